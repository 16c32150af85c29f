// SPDX-License-Identifier: Apache-2.0
// Claim delta_rule, Eq. (2.6) and (E.1): DeltaNet is S ← (I − η x xᵀ) S + η x vᵀ, with x = φ(k_t) and η given in the one, x = φ(k_{t−1})
// and η = β / (‖x‖² + ε) without a ridge in the other. Over fractions, with ==, by every form; what is right comes from dense matrices
// I − η x xᵀ, and, where one map W answers every target, from their product: S_T − W = Π (I − η x xᵀ) (S_0 − W).
#include "support/for_all.hpp"
#include "support/generate.hpp"

#include <fwa/step/gain.hpp>

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

matrix transition(matrix const& x, rational const& eta) { return matrix::Identity(x.cols(), x.cols()) - eta * x.transpose() * x; }

/// Same-step pairs with steps as drawn, or shifted pairs with the step of a gain: Falcon-1 without a ridge.
problem<rational> any_delta(rule const& r) {
  index_t const T = any_size(1, 6), d = any_size(1, 3), dv = any_size(1, 3);
  matrix const k = any_matrix(T, d), v = any_matrix(T, dv);
  problem<rational> a;
  a.of = shape_of(r, 1);
  a.of.when = *rc::gen::element(timing::read_after_write, timing::read_before_write);
  a.p = align<rational>(k, v, r.pairing);
  a.q = any_matrix(T, d);
  a.S = any_matrix(d, dv);
  a.plan = {any_matrix(T, 1), matrix::Constant(T, 1, rational(1)), std::vector<index_t>(static_cast<std::size_t>(T), 1), r.rho};
  if (r.law == step_law::given) return a;
  rational const none(0), epsilon = rational(die(3) - 1) / rational(4);
  for (index_t t = 0; t < T; ++t) {
    rational const beta = any_gain(), E = a.p.x.row(t).squaredNorm(), D = E + epsilon;
    a.plan.weight(t, 0) = step_size<rational>(beta, D);
    a.plan.gamma(t, 0) = carry<rational>(beta, E, none, epsilon, D, a.plan.weight(t, 0));
  }
  a.plan.window[0] = 0;
  a.plan.weight(0, 0) = none;
  return a;
}

/// Outputs and exit state from the dense matrices.
reading<rational> by_matrices(problem<rational> const& a) {
  matrix o(a.q.rows(), a.S.cols()), S = a.S;
  for (index_t t = 0; t < o.rows(); ++t) {
    matrix const x = a.p.x.row(t), y = a.p.y.row(t);
    rational const eta = a.plan.weight(t, 0);
    if (a.of.when == timing::read_before_write) o.row(t) = a.q.row(t) * S;
    S = (transition(x, eta) * S + eta * x.transpose() * y).eval();
    if (a.of.when == timing::read_after_write) o.row(t) = a.q.row(t) * S;
  }
  return {o, S};
}

}  // namespace

TEST_CASE("DeltaNet is a product of dense matrices, same-step and shifted") {
  for (rule const& r : {delta_net, falcon_1})
    for_all("delta_rule, " + std::string(r.name), 300, [&r] {
      problem<rational> const a = any_delta(r);
      index_t const C = any_chunk(a.q.rows());
      reading<rational> const want = by_matrices(a);
      RC_CLASSIFY(a.q.rows() % C != 0, "ragged");
      for (path f : paths) RC_ASSERT(equal(solve(a, f, C), want));
    });
}

TEST_CASE("with targets that one map answers, the distance to it goes through the transitions alone") {
  for (rule const& r : {delta_net, falcon_1})
    for_all("delta_rule, one map, " + std::string(r.name), 200, [&r] {
      problem<rational> a = any_delta(r);
      matrix const W = any_matrix(a.S.rows(), a.S.cols());
      a.p.y = a.p.x * W;
      matrix product = matrix::Identity(a.S.rows(), a.S.rows());
      for (index_t t = 0; t < a.q.rows(); ++t) product = (transition(a.p.x.row(t), a.plan.weight(t, 0)) * product).eval();
      for (path f : paths) RC_ASSERT(matrix(solve(a, f, 2).S - W) == matrix(product * (a.S - W)));
    });
}

TEST_CASE("the transition is a projector where the step is 1/‖x‖² and, but for no step at all, nowhere else") {
  for_all("delta_rule, projector", 200, [] {
    matrix const x = any_matrix(1, any_size(1, 3));
    rational const E = x.squaredNorm(), eta = *rc::gen::arbitrary<bool>() && E != rational(0) ? rational(rational(1) / E) : fraction();
    RC_PRE(E != rational(0));
    matrix const A = transition(x, eta);
    RC_CLASSIFY(eta * E == rational(1), "1/‖x‖²");
    RC_ASSERT((matrix(A * A) == A) == (eta == rational(0) || eta * E == rational(1)));
  });
}
