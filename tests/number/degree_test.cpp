// SPDX-License-Identifier: Apache-2.0
#include <fwa/number/degree.hpp>

#include <fwa/matrix.hpp>

#include <doctest/doctest.h>

namespace fwa {
namespace {

TEST_CASE("degrees of polynomials in two groups of variables") {
  using D = degree<2>;
  D const x = D::variable(0), y = D::variable(1), zero(0), one(1);
  auto is = [](D const& d, int total, int first, int second) {
    CHECK(!d.is_zero());
    CHECK(d.total() == total);
    CHECK(d.in(0) == first);
    CHECK(d.in(1) == second);
  };
  is(one, 0, 0, 0);
  is(x + one, 1, 1, 0);
  is(x * y + x * x * x, 3, 3, 1);
  is((x + y) * (x - y), 2, 2, 2);
  is(-x * y, 2, 1, 1);
  is(x + zero, 1, 1, 0);
  CHECK(D() == zero);
  CHECK(zero * x == zero);
  CHECK(x * zero == zero);
  CHECK((zero + zero - zero).is_zero());
  is(zero * x * x + y, 1, 0, 1);
  is(x - x, 1, 1, 0);  // an upper bound: cancellation is not seen
  mat<D> const row = mat<D>::Constant(1, 3, x), column = mat<D>::Constant(3, 1, y);
  is((row * column)(0, 0), 2, 1, 1);
}

}  // namespace
}  // namespace fwa
