// SPDX-License-Identifier: Apache-2.0
#include <fwa/form/read.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>

namespace fwa {
namespace {

TEST_CASE("numerators over z q + epsilon, the sign of z q kept under sign_stable") {
  mat<double> const wide = (mat<double>(4, 3) << 6, 9, 2, 6, 9, -2, 6, 9, 0, 6, 9, -0.0).finished();
  mat<double> const plain = (mat<double>(4, 2) << 2, 3, -6, -9, 6, 9, 6, 9).finished();
  mat<double> const stable = (mat<double>(4, 2) << 2, 3, -2, -3, 6, 9, 6, 9).finished();
  auto divided = [&](denominator policy) -> mat<double> {
    mat<double> m = wide;
    for (index_t t = 0; t < m.rows(); ++t) normalise<double>(m.row(t), 1, policy);
    return m.leftCols(2);
  };
  CHECK(divided(denominator::nonnegative) == plain);
  CHECK(divided(denominator::sign_stable) == stable);
}

/// Two same-step tokens x = 1, 2 with v = 10, 40, β = 1, λ = 0: η = 1, 1/4, z = 1, 1.5, S = 10, 30.
TEST_CASE("by hand, through the front door, in both timings") {
  test::head<double> h = test::some_head(falcon_1a, 2, 1, 1, 1);
  h.q << 1, 2;
  h.k << 1, 2;
  h.v << 10, 40;
  h.size.setOnes();
  h.forget.setZero();
  options o;
  o.pairing = pairing::same_step;
  o.feature = feature::relu;
  o.normalized_read = 1;
  for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
    o.form = f;
    o.timing = timing::read_after_write;
    auto const after = attend<double>(falcon_1a, h.all(), o);
    CHECK_CLOSE(after.o, (mat<double>(2, 1) << 10.0 / 2, 60.0 / 4).finished(), test::forms);
    CHECK((*after.memory.z)(0) == 1.5);
    CHECK(after.memory.S(0, 0) == 30);
    o.timing = timing::read_before_write;
    CHECK_CLOSE(attend<double>(falcon_1a, h.all(), o).o, (mat<double>(2, 1) << 0, 20.0 / 3).finished(), test::forms);
  }
}

}  // namespace
}  // namespace fwa
