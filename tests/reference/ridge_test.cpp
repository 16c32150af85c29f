// SPDX-License-Identifier: Apache-2.0
#include <fwa/reference/ridge.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/number/digits.hpp>

namespace fwa {
namespace {

/// Σ ‖Sᵀx − y‖² + λ‖S − S_0‖².
double cost(mat<double> const& S, mat<double> const& X, mat<double> const& Y, double lambda, mat<double> const& S_0) {
  return (X * S - Y).squaredNorm() + lambda * (S - S_0).squaredNorm();
}

TEST_CASE("after every pair the recursion is the solution of the normal equations") {
  test::dice roll(1);
  for (double lambda : {0.01, 1.0, 100.0}) {
    mat<double> const X = roll.matrix(30, 4), Y = roll.matrix(30, 3), S_0 = roll.matrix(4, 3);
    reference::recursive_ridge<double> exact(lambda, S_0);
    CHECK(exact.S() == S_0);
    for (index_t n = 1; n <= 30; ++n) {
      exact.write(X.row(n - 1), Y.row(n - 1));
      CHECK_CLOSE(exact.S(), (reference::ridge_solution<double>(X.topRows(n), Y.topRows(n), lambda, S_0)), test::ridge);
    }
  }
}

TEST_CASE("over 50 digits to 45 digits") {
  test::dice roll(2);
  mat<digits_50> const X = roll.matrix<digits_50>(12, 3), Y = roll.matrix<digits_50>(12, 2), S_0 = roll.matrix<digits_50>(3, 2);
  reference::recursive_ridge<digits_50> exact(digits_50(0.25), S_0);
  for (index_t t = 0; t < 12; ++t) exact.write(X.row(t), Y.row(t));
  CHECK_CLOSE(exact.S(), (reference::ridge_solution<digits_50>(X, Y, digits_50(0.25), S_0)), 1e-45);
}

TEST_CASE("by hand: one pair x = 2, y = 6 with a ridge of 1 to 1 gives 13/5") {
  reference::recursive_ridge<double> exact(1, mat<double>::Ones(1, 1));
  exact.write(row<double>::Constant(1, 2), row<double>::Constant(1, 6));
  CHECK(exact.S()(0, 0) == doctest::Approx(2.6).epsilon(1e-15));
  CHECK(exact.P()(0, 0) == doctest::Approx(0.2).epsilon(1e-15));
}

TEST_CASE("ridge_is_least: no neighbour costs less") {
  test::dice roll(3);
  mat<double> const X = roll.matrix(20, 4), Y = roll.matrix(20, 3), S_0 = roll.matrix(4, 3);
  mat<double> const S = reference::ridge_solution<double>(X, Y, 0.5, S_0);
  double const least = cost(S, X, Y, 0.5, S_0);
  for (int i = 0; i < 200; ++i) CHECK(cost(S + 1e-3 * roll.matrix(4, 3), X, Y, 0.5, S_0) > least);
}

}  // namespace
}  // namespace fwa
