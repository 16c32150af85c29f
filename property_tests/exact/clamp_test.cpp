// SPDX-License-Identifier: Apache-2.0
// Claim clamp_is_a_surrogate_step: a clamped write is the exact gradient step of the same objective with λ̂ = α/η for λ; λ̂ ≤ λ, and
// that surrogate always descends, while the original loss can rise. Claim transition: γI − ηxxᵀ never expands, clamped or not, and
// with ε = 0 and no clamp scales x by 1 − β. Claim inverse_entries: those of (I + A)⁻¹, symmetrically scaled, stay below √(β_i β_j).
#include "support/for_all.hpp"
#include "support/generate.hpp"

#include <fwa/objective.hpp>
#include <fwa/step/gain.hpp>

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

rational const zero(0), one(1);

struct step {
  rational beta, E, lambda, epsilon, floor, eta, raw, gamma;
  bool clamped;
};

/// Ridges up to far above E, so that the floor acts in some of the cases; now and then exactly at a tie, or just beside it.
step any_step(rational const& E) {
  step s;
  s.beta = rational(*rc::gen::inRange(1, 20)) / rational(10);
  s.E = E;
  s.epsilon = rational(*rc::gen::element(0, 0, 1)) / rational(8);
  s.lambda = rational(*rc::gen::inRange(0, 40)) / rational(4) * rational(*rc::gen::element(1, 1, 1000));
  s.floor = one / rational(*rc::gen::element(2, 10, 1000));
  s.eta = step_size<rational>(s.beta, s.E + s.lambda + s.epsilon);
  s.raw = carry<rational>(s.beta, s.E, s.lambda, s.epsilon, s.E + s.lambda + s.epsilon, s.eta);
  rational const next = one / rational(1 << 30);  // where a float would be one unit away
  if (zero < s.raw - next && s.raw + next < one) {
    int const edge = *rc::gen::inRange(0, 12);
    if (edge == 9) s.floor = s.raw;
    if (edge == 10) s.floor = s.raw - next;
    if (edge == 11) s.floor = s.raw + next;
  }
  s.clamped = clamp_acts<rational>(s.raw, s.floor);
  s.gamma = s.clamped ? s.floor : s.raw;
  RC_CLASSIFY(s.clamped, "clamped");
  RC_CLASSIFY(s.raw == s.floor, "tie");
  return s;
}

matrix after_write(residual rho, matrix S, matrix const& x, matrix const& y, step const& s) {
  schedule<rational> plan{matrix::Constant(1, 1, s.eta), matrix::Constant(1, 1, s.gamma), {1}, rho};
  matrix residuals(1, y.cols());
  write<rational>(S, x, y, plan, 0, residuals);
  return S;
}

}  // namespace

TEST_CASE("the carry is 1 − ηλ by either formula, and a tie is clamped") {
  for_all("carry", 300, [] {
    step const s = any_step(rational(*rc::gen::inRange(0, 20)) / rational(4));
    RC_ASSERT(s.raw == (s.E + s.lambda + s.epsilon == zero ? one : rational(one - s.eta * s.lambda)));
    RC_ASSERT(s.clamped == (s.raw <= s.floor));
    RC_ASSERT(s.gamma == std::max(s.raw, s.floor));
    rational const lambda_hat = effective_ridge<rational>(s.eta, s.gamma, s.lambda, s.clamped);
    RC_ASSERT(lambda_hat <= s.lambda);
    RC_ASSERT(s.eta == zero || one - s.gamma == s.eta * lambda_hat);
  });
}

TEST_CASE("a clamped write is the gradient step of the surrogate, which descends") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("clamp_is_a_surrogate_step, rho = ") + (rho == residual::one ? "1" : "0"), 400, [rho] {
      index_t const d = *rc::gen::inRange<index_t>(1, 3), dv = *rc::gen::inRange<index_t>(1, 3);
      matrix const x = any_matrix(1, d), y = any_matrix(1, dv), S = any_matrix(d, dv);
      step const s = any_step(x.squaredNorm());
      rational const lambda_hat = effective_ridge<rational>(s.eta, s.gamma, s.lambda, s.clamped);
      matrix const g = gradient<rational>(rho, S, x, y, lambda_hat), next = after_write(rho, S, x, y, s);
      RC_ASSERT(next == S - s.eta * g);
      rational const L = rho == residual::zero ? lambda_hat : rational(s.E + lambda_hat);
      RC_ASSERT(s.eta * L < rational(2));
      RC_ASSERT(loss<rational>(rho, next, x, y, lambda_hat) <=
                loss<rational>(rho, S, x, y, lambda_hat) - descent<rational>(s.eta, L, g.squaredNorm()));
    });
}

TEST_CASE("the original loss can rise under the clamp: a witness") {
  step s;
  s.beta = rational(19) / rational(10);
  s.E = one;
  s.lambda = rational(3);
  s.epsilon = zero;
  s.floor = one / rational(1000);
  s.eta = step_size<rational>(s.beta, s.E + s.lambda);
  s.raw = carry<rational>(s.beta, s.E, s.lambda, zero, s.E + s.lambda, s.eta);
  s.clamped = clamp_acts<rational>(s.raw, s.floor);
  s.gamma = s.floor;
  CHECK(s.clamped);
  matrix const x = matrix::Constant(1, 1, one), S = matrix::Constant(1, 1, one / rational(4));
  matrix const next = after_write(residual::one, S, x, x, s);
  CHECK(next(0, 0) == rational(1426) / rational(4000));
  CHECK(loss<rational>(residual::one, S, x, x, s.lambda) == rational(3) / rational(8));
  CHECK(loss<rational>(residual::one, next, x, x, s.lambda) > loss<rational>(residual::one, S, x, x, s.lambda));
}

TEST_CASE("the transition never expands, clamped or not") {
  for_all("transition", 400, [] {
    matrix const x = any_matrix(1, 2);
    step const s = any_step(x.squaredNorm());
    matrix const A = s.gamma * matrix::Identity(2, 2) - s.eta * x.transpose() * x;
    rational const along = s.gamma - s.eta * s.E;
    matrix const across = (matrix(1, 2) << -x(0, 1), x(0, 0)).finished();
    RC_ASSERT(matrix(x * A) == matrix(along * x));
    RC_ASSERT(matrix(across * A) == matrix(s.gamma * across));
    RC_ASSERT(-one <= along);
    RC_ASSERT(along <= one);
    RC_ASSERT(-one < s.gamma);
    RC_ASSERT(s.gamma <= one);
    if (s.epsilon == zero && !s.clamped && s.eta != zero) RC_ASSERT(along == one - s.beta);
  });
}

TEST_CASE("entries of the inverse stay below √(β_i β_j), whatever the keys") {
  for_all("inverse_entries", 150, [] {
    index_t const n = *rc::gen::inRange<index_t>(1, 7);
    matrix x = any_matrix(n, 2);
    for (index_t t = 1; t < n; ++t)
      if (*rc::gen::inRange(0, 3) == 0) x.row(t) = x.row(t - 1);
    std::vector<step> s;
    for (index_t t = 0; t < n; ++t) s.push_back(any_step(x.row(t).squaredNorm()));
    matrix A = matrix::Constant(n, n, zero), inverse = matrix::Identity(n, n);
    for (index_t t = 1; t < n; ++t) {
      rational kept = one;  // P(t−1, f)
      for (index_t f = t - 1; f >= 0; --f) {
        A(t, f) = kept * s[static_cast<std::size_t>(f)].eta * x.row(t).dot(x.row(f));
        kept *= s[static_cast<std::size_t>(f)].gamma;
      }
    }
    solve_unit_lower<rational>(A, inverse);
    for (index_t t = 0; t < n; ++t)
      for (index_t f = 0; f < t; ++f) {
        step const &a = s[static_cast<std::size_t>(t)], &b = s[static_cast<std::size_t>(f)];
        if (b.eta == zero) continue;
        RC_ASSERT(a.eta * inverse(t, f) * inverse(t, f) <= b.eta * a.beta * b.beta);  // √(w_t/w_f) |L⁻¹_tf| ≤ √(β_t β_f)
      }
  });
}
