// SPDX-License-Identifier: Apache-2.0
// Claim descent (Lemma 3.1): one write is one exact gradient step of its objective, and for 0 < β < 2 it lowers the loss by at least
// η(2 − ηL)/2 ‖∇‖², with equality where the gradient lies along x; at β ≥ 2 it need not. Over fractions, no tolerance.
#include "support/for_all.hpp"
#include "support/generate.hpp"

#include <fwa/objective.hpp>
#include <fwa/step/gain.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

/// β in (0, 2); λ and ε ≥ 0, zero now and then.
rational any_gain() { return rational(*rc::gen::inRange(1, 20)) / rational(10); }
rational any_nonnegative() { return rational(*rc::gen::inRange(0, 12)) / rational(4); }

/// The state after one unclamped write of the pairs X, Y with step η and ridge λ.
matrix after_write(residual rho, matrix S, matrix const& X, matrix const& Y, rational const& eta, rational const& lambda) {
  schedule<rational> plan;
  plan.rho = rho;
  plan.weight = matrix::Constant(1, 1, eta / rational(static_cast<int>(X.rows())));
  plan.gamma = matrix::Constant(1, 1, rational(1) - eta * lambda);
  plan.window = {X.rows()};
  matrix residuals(X.rows(), Y.cols());
  write<rational>(S, X, Y, plan, 0, residuals);
  return S;
}

/// I − 2 v vᵀ / ‖v‖².
matrix any_reflection(index_t n) {
  matrix const v = any_matrix(n, 1);
  rational const E = v.squaredNorm();
  return matrix::Identity(n, n) - (E == rational(0) ? rational(0) : rational(rational(2) / E)) * v * v.transpose();
}

/// Keys whose energy is a fraction: one of any kind, or several between two reflections.
struct keys {
  matrix X;    // (n, d)
  rational E;  // λ_max of the mean x xᵀ
};
keys any_keys(index_t n, index_t d) {
  if (n == 1) {
    matrix const x = any_matrix(1, d);
    return {x, x.squaredNorm()};
  }
  matrix D = matrix::Constant(n, d, rational(0));
  for (index_t i = 0; i < std::min(n, d); ++i) D(i, i) = fraction();
  return {any_reflection(n) * D * any_reflection(d), D.cwiseProduct(D).maxCoeff() / rational(static_cast<int>(n))};
}

struct step {
  rational eta, L;
};
step step_of(residual rho, rational const& E, rational const& beta, rational const& lambda, rational const& epsilon) {
  return {step_size<rational>(beta, E + lambda + epsilon), rho == residual::zero ? lambda : rational(E + lambda)};
}

}  // namespace

TEST_CASE("a write descends by the stated amount, and is the gradient step") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("descent, rho = ") + (rho == residual::one ? "1" : "0"), 400, [rho] {
      index_t const n = *rc::gen::inRange<index_t>(1, 4), d = *rc::gen::inRange<index_t>(1, 4), dv = *rc::gen::inRange<index_t>(1, 3);
      auto const [X, E] = any_keys(n, d);
      matrix const Y = any_matrix(n, dv), S = any_matrix(d, dv);
      rational const lambda = any_nonnegative();
      auto const [eta, L] = step_of(rho, E, any_gain(), lambda, any_nonnegative());
      matrix const g = gradient<rational>(rho, S, X, Y, lambda), next = S - eta * g;
      RC_CLASSIFY(n > 1, "window");
      RC_CLASSIFY(eta == rational(0), "no-op");
      RC_CLASSIFY(g.squaredNorm() == rational(0), "stationary");
      RC_ASSERT(next == after_write(rho, S, X, Y, eta, lambda));
      RC_ASSERT(loss<rational>(rho, next, X, Y, lambda) <=
                loss<rational>(rho, S, X, Y, lambda) - descent<rational>(eta, L, g.squaredNorm()));
    });
}

TEST_CASE("column by column, each with its own gain") {
  for (residual rho : {residual::one, residual::zero})
    for_all("descent, per column", 200, [rho] {
      index_t const n = *rc::gen::inRange<index_t>(1, 4), d = *rc::gen::inRange<index_t>(1, 4), dv = 3;
      auto const [X, E] = any_keys(n, d);
      matrix const Y = any_matrix(n, dv), S = any_matrix(d, dv);
      rational const lambda = any_nonnegative(), epsilon = any_nonnegative();
      schedule<rational> plan;
      plan.rho = rho;
      plan.window = {n};
      plan.weight.resize(1, dv);
      plan.gamma.resize(1, dv);
      std::vector<step> steps;
      for (index_t j = 0; j < dv; ++j) {
        steps.push_back(step_of(rho, E, any_gain(), lambda, epsilon));
        plan.weight(0, j) = steps.back().eta / rational(static_cast<int>(n));
        plan.gamma(0, j) = rational(1) - steps.back().eta * lambda;
      }
      matrix next = S, residuals(n, dv);
      write<rational>(next, X, Y, plan, 0, residuals);
      for (index_t j = 0; j < dv; ++j) {
        matrix const before = S.col(j), after = next.col(j), target = Y.col(j);
        auto const [eta, L] = steps[static_cast<std::size_t>(j)];
        rational const square = gradient<rational>(rho, before, X, target, lambda).squaredNorm();
        RC_ASSERT(loss<rational>(rho, after, X, target, lambda) <=
                  loss<rational>(rho, before, X, target, lambda) - descent<rational>(eta, L, square));
      }
    });
}

TEST_CASE("the amount is attained where the gradient lies along x") {
  for_all("descent is tight along x", 200, [] {
    index_t const d = *rc::gen::inRange<index_t>(1, 4), dv = *rc::gen::inRange<index_t>(1, 3);
    matrix const x = any_matrix(1, d), y = any_matrix(1, dv), S = x.transpose() * any_matrix(1, dv);
    rational const lambda = any_nonnegative();
    auto const [eta, L] = step_of(residual::one, x.squaredNorm(), any_gain(), lambda, any_nonnegative());
    matrix const g = gradient<rational>(residual::one, S, x, y, lambda), next = S - eta * g;
    RC_ASSERT(loss<rational>(residual::one, next, x, y, lambda) ==
              loss<rational>(residual::one, S, x, y, lambda) - descent<rational>(eta, L, g.squaredNorm()));
  });
}

TEST_CASE("at β = 2 a write need not descend, and beyond it can rise") {
  matrix const x = matrix::Constant(1, 1, rational(1)), y = x, S = matrix::Constant(1, 1, rational(0));
  auto rise = [&](rational const& beta) {
    rational const eta = step_size<rational>(beta, rational(1));
    matrix const next = after_write(residual::one, S, x, y, eta, rational(0));
    return rational(loss<rational>(residual::one, next, x, y, rational(0)) - loss<rational>(residual::one, S, x, y, rational(0)));
  };
  CHECK(rise(rational(19) / rational(10)) < rational(0));
  CHECK(rise(rational(2)) == rational(0));
  CHECK(rise(rational(21) / rational(10)) > rational(0));
}
