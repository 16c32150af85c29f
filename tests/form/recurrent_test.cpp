// SPDX-License-Identifier: Apache-2.0
// The definition, by hand: every number here is worked out on paper.
#include <fwa/form/recurrent.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

namespace fwa {
namespace {

mat<double> column(std::initializer_list<double> values) {
  mat<double> m(static_cast<index_t>(values.size()), 1);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

/// One value column over dx = 1: S and o are numbers.
reading<double> read(pairs<double> const& p, schedule<double> const& plan, timing when, double S) {
  return recurrent<double>(mat<double>::Ones(p.tokens(), 1), p, plan, when, mat<double>::Constant(1, 1, S));
}

TEST_CASE("regression: S = g S + w x (y - S x)") {
  pairs<double> const p{column({1, 2}), column({5, 3}), 0, false};
  schedule<double> const plan{column({0.5, 0.25}), column({0.5, 1}), {1, 1}, residual::one};
  // 0.5·4 + 0.5·(5 − 4) = 2.5;  2.5 + 0.25·2·(3 − 5) = 1.5
  CHECK(read(p, plan, timing::read_after_write, 4).o == column({2.5, 1.5}));
  CHECK(read(p, plan, timing::read_before_write, 4).o == column({4, 2.5}));
  CHECK(read(p, plan, timing::read_before_write, 4).S(0, 0) == 1.5);
}

TEST_CASE("inner product: S = g S + w x y") {
  pairs<double> const p{column({1, 2}), column({5, 3}), 0, false};
  schedule<double> const plan{column({0.5, 0.25}), column({0.5, 1}), {1, 1}, residual::zero};
  CHECK(read(p, plan, timing::read_after_write, 4).o == column({4.5, 6}));  // 2 + 2.5;  4.5 + 1.5
}

TEST_CASE("residual after the decay: S = g S + w x (y - g S x)") {
  pairs<double> const p{column({1, 2}), column({5, 3}), 0, false};
  schedule<double> const plan{column({0.5, 0.25}), column({0.5, 0.5}), {1, 1}, residual::gamma};
  // 2 + 0.5·(5 − 2) = 3.5;  1.75 + 0.5·(3 − 3.5) = 1.5
  CHECK(read(p, plan, timing::read_after_write, 4).o == column({3.5, 1.5}));
}

TEST_CASE("a window writes all its pairs from the state before") {
  pairs<double> const p{column({1, 2, 1}), column({5, 3, 1}), 1, false};
  schedule<double> const plan{column({0.25, 0.5}), column({1, 1}), {2, 2}, residual::one};
  // S = 4: 4 + 0.25·(1·(5 − 4) + 2·(3 − 8)) = 1.75;  1.75 + 0.5·(2·(3 − 3.5) + 1·(1 − 1.75)) = 0.875
  CHECK(read(p, plan, timing::read_after_write, 4).o == column({1.75, 0.875}));
}

TEST_CASE("per column: each column has its own weight and decay") {
  pairs<double> const p{column({2}), (mat<double>(1, 2) << 5, 5).finished(), 0, false};
  schedule<double> const plan{(mat<double>(1, 2) << 0.5, 0.25).finished(), (mat<double>(1, 2) << 1, 0.5).finished(), {1}, residual::one};
  auto const got = recurrent<double>(mat<double>::Ones(1, 1), p, plan, timing::read_after_write, mat<double>::Constant(1, 2, 1));
  CHECK(got.o == (mat<double>(1, 2) << 4, 2).finished());  // 1 + 0.5·2·3;  0.5 + 0.25·2·3
}

TEST_CASE("an empty window keeps the state, bit for bit") {
  pairs<double> const p{column({0}), column({7}), 0, true};
  schedule<double> const plan{column({0}), column({1}), {0}, residual::one};
  CHECK(read(p, plan, timing::read_after_write, 0.1).S(0, 0) == 0.1);
}

TEST_CASE("a key of zeros writes nothing, however large the weight and the value") {
  mat<double> const large = mat<double>::Constant(1, 2, 1e200);
  pairs<double> const p{column({0}), large, 0, false};
  for (residual rho : {residual::zero, residual::one, residual::gamma}) {
    schedule<double> const plan{large, mat<double>::Ones(1, 2), {1}, rho};
    auto const got = recurrent<double>(mat<double>::Ones(1, 1), p, plan, timing::read_after_write, mat<double>::Constant(1, 2, 3));
    CHECK(got.o == mat<double>::Constant(1, 2, 3));
  }
}

TEST_CASE("a key of the smallest number: w x y is in range, w y and 1/x are not") {
  mat<double> const x = mat<double>::Constant(1, 1, 0x1p-1074);
  pairs<double> const p{x, mat<double>::Constant(1, 2, 0x1p74), 0, false};
  schedule<double> const plan{mat<double>::Constant(1, 2, 0x1p1000), mat<double>::Ones(1, 2), {1}, residual::zero};
  auto const got = recurrent<double>(mat<double>::Ones(1, 1), p, plan, timing::read_after_write, mat<double>::Zero(1, 2));
  CHECK(got.o == mat<double>::Ones(1, 2));
}

TEST_CASE("no tokens") {
  pairs<double> const p{mat<double>(0, 1), mat<double>(0, 1), 0, false};
  schedule<double> const plan{mat<double>(0, 1), mat<double>(0, 1), {}, residual::one};
  auto const got = read(p, plan, timing::read_after_write, 3);
  CHECK(got.o.rows() == 0);
  CHECK(got.S(0, 0) == 3);
}

}  // namespace
}  // namespace fwa
