// SPDX-License-Identifier: Apache-2.0
// Claim ridge_is_least: recursive least squares is the exact minimiser of Σ ‖Sᵀx_j − y_j‖² + λ‖S − S_0‖²: its gradient there is zero, and
// any other state is worse by exactly the energy of the difference. Over fractions.
#include "support/for_all.hpp"
#include "support/generate.hpp"

#include <fwa/reference/ridge.hpp>

using namespace fwa;
using namespace fwa::test;

TEST_CASE("the recursive solution is the least of the ridge problem") {
  using matrix = mat<rational>;
  for_all("ridge_is_least", 400, [] {
    index_t const n = any_size(0, 5), d = any_size(1, 3), dv = any_size(1, 2);
    matrix const X = any_matrix(n, d), Y = any_matrix(n, dv), S_0 = any_matrix(d, dv), other = any_matrix(d, dv);
    rational const lambda = rational(die(11)) / rational(4);
    reference::recursive_ridge<rational> solver(lambda, S_0);
    for (index_t t = 0; t < n; ++t) solver.write(X.row(t), Y.row(t));
    matrix const S = solver.S();
    auto cost = [&](matrix const& A) { return rational((X * A - Y).eval().squaredNorm() + lambda * (A - S_0).eval().squaredNorm()); };
    RC_CLASSIFY(n < d, "fewer pairs than unknowns");
    RC_ASSERT(matrix(X.transpose() * (X * S - Y) + lambda * (S - S_0)) == matrix(matrix::Constant(d, dv, rational(0))));
    matrix const off = other - S;
    RC_ASSERT(cost(other) == cost(S) + (X * off).eval().squaredNorm() + lambda * off.squaredNorm());
  });
}
