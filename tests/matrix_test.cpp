// SPDX-License-Identifier: Apache-2.0
#include <fwa/matrix.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace fwa {
namespace {

TEST_CASE_TEMPLATE("for_lanes visits each column once, in order, in groups that fit", S, float, double, long double) {
  for (index_t columns = 0; columns <= 3 * lanes<S> + 1; ++columns) {
    index_t next = 0;
    for_lanes<S>(columns, [&]<int N>(index_t j, index_t width) {
      CHECK(j == next);
      CHECK(width >= 1);
      CHECK(width <= lanes<S>);
      CHECK(N == (width == lanes<S> ? lanes<S> : Eigen::Dynamic));
      next = j + width;
    });
    CHECK(next == columns);
  }
}

TEST_CASE("a view reads rows that are any distance apart without a copy") {
  mat<double> const m = mat<double>::Random(5, 4);
  view<double> const block = m.block(1, 1, 3, 2);
  CHECK(block.data() == &m(1, 1));
  CHECK(block.outerStride() == 4);
  CHECK(block(2, 1) == m(3, 2));
}

}  // namespace
}  // namespace fwa
