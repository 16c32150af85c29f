// SPDX-License-Identifier: Apache-2.0
// Claim clamp_is_a_surrogate_step: a clamped write is the exact gradient step of the same objective with λ̂ = α/η for λ, column by column
// and over windows; λ̂ ≤ λ, and that surrogate always descends, while the original loss can rise. Claim transition: γI − ηC̄ never
// expands, clamped or not, and with ε = 0 and no clamp scales the top eigenvector by 1 − β. Claim inverse_entries: those of (I + A)⁻¹,
// symmetrically scaled, stay below √(β_i β_j). Plans are the library's own.
#include "support/for_all.hpp"
#include "support/one_write.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

rational const zero(0), one(1);

}  // namespace

TEST_CASE("the step is β / D, the carry max(1 − ηλ, ε_γ), and a tie is clamped") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("step and carry, rho = ") + (rho == residual::one ? "1" : "0"), 1000, [rho] {
      one_write const a = any_write(rho, true);
      classify(a);
      plan<rational> const p = planned(a);
      rational const floor(a.o.epsilon_gamma);
      for (index_t j = 0; j < a.beta.cols(); ++j) {
        rational const eta = a.D() == zero ? zero : rational(a.beta(0, j) / a.D()), raw = one - eta * a.lambda;
        RC_ASSERT(p.eta(0, j) == eta);
        RC_ASSERT(p.schedule.weight(0, j) * rational(static_cast<int>(a.o.window)) == eta);
        RC_ASSERT(p.schedule.gamma(0, j) == std::max(raw, floor));
        RC_ASSERT(p.clamped(0, j) == (raw <= floor));
      }
    });
}

TEST_CASE("a clamped write is the gradient step of the surrogate, which descends") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("clamp_is_a_surrogate_step, rho = ") + (rho == residual::one ? "1" : "0"), 1000, [rho] {
      one_write const a = any_write(rho, true);
      classify(a);
      for (column const& c : columns_of(a)) {
        matrix const g = c.gradient();
        RC_ASSERT(c.t == c.s - c.eta * g);
        RC_ASSERT(one - c.gamma == c.eta * c.lambda_hat);
        RC_ASSERT(c.lambda_hat <= a.lambda);
        RC_ASSERT(c.eta * c.L < rational(2));
        RC_ASSERT(c.rise(c.lambda_hat) <= -descent<rational>(c.eta, c.L, g.squaredNorm()));
      }
    });
}

TEST_CASE("at its least the original loss rises with every clamped write that moves") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("the original can rise, rho = ") + (rho == residual::one ? "1" : "0"), 1000, [rho] {
      one_write a = any_write(rho, true);
      turn_along(a, matrix::Constant(1, a.S.cols(), zero));
      classify(a);
      for (column const& c : columns_of(a)) {
        bool const moves = c.t != c.s;
        RC_CLASSIFY(moves, "moves");
        RC_ASSERT(!moves || c.clamped);
        RC_ASSERT((zero < c.rise(a.lambda)) == moves);
      }
    });
}

TEST_CASE("the original loss can rise: a witness") {
  matrix const unit = matrix::Constant(1, 1, one), quarter = unit / rational(4);
  one_write a{residual::one, {unit, unit, one}, unit * rational(19) / rational(10), rational(3), {}, unit, quarter};
  a.o.epsilon_gamma = 0x1p-10;
  column const c = columns_of(a).front();
  CHECK(c.clamped);
  CHECK(c.t(0, 0) == rational(57) / rational(160) + one / rational(4096));
  CHECK(loss<rational>(residual::one, a.S, unit, a.Y, a.lambda) == rational(3) / rational(8));
  CHECK(c.rise(a.lambda) > rational(2) / rational(100));
}

TEST_CASE("the transition never expands, clamped or not") {
  for_all("transition", 1000, [] {
    one_write a = any_write(residual::one, *rc::gen::arbitrary<bool>());
    matrix const &X = a.keys.X, second = X.transpose() * X / rational(static_cast<int>(X.rows())), along = X.transpose() * a.keys.top;
    a.Y.setConstant(zero);
    classify(a);
    for (column const& c : columns_of(a)) {
      rational const least = c.gamma - c.eta * a.E();
      RC_ASSERT(c.t == c.gamma * c.s - c.eta * second * c.s);
      RC_ASSERT(matrix(second * along) == a.E() * along);
      RC_ASSERT(c.t.squaredNorm() <= c.s.squaredNorm());
      RC_ASSERT(-one <= least);
      RC_ASSERT(-one < c.gamma);
      RC_ASSERT(c.gamma <= one);
      if (a.o.epsilon == 0 && !c.clamped && c.eta != zero) RC_ASSERT(least == one - c.beta);
    }
  });
}

TEST_CASE("entries of the inverse stay below √(β_i β_j), whatever the keys") {
  for_all("inverse_entries", 300, [] {
    shape s = shape_of(falcon_2, 1);
    index_t const n = s.T = die(6), columns = die(2);
    s.d = 2;
    pairs<rational> const p = special_problem(s).p;
    matrix beta(n, columns), lambda(n, 1);
    for (index_t t = 0; t < n; ++t) {
      lambda(t, 0) = any_ridge(p.x.row(t).squaredNorm());
      for (index_t j = 0; j < columns; ++j) beta(t, j) = any_gain();
    }
    options o;
    o.epsilon_gamma = *rc::gen::element(0.5, 1e-6);
    plan<rational> const steps = make_plan<rational>(residual::one, p, gains<rational>(beta, lambda), o);
    tag(classes_of_keys(p.x));
    RC_CLASSIFY(steps.clamped.any(), "clamped");
    for (index_t j = 0; j < columns; ++j) {
      matrix A = matrix::Constant(n, n, zero), inverse = matrix::Identity(n, n);
      for (index_t t = 1; t < n; ++t) {
        rational kept = one;  // P(t−1, f)
        for (index_t f = t - 1; f >= 0; --f) {
          A(t, f) = kept * steps.eta(f, j) * p.x.row(t).dot(p.x.row(f));
          kept *= steps.schedule.gamma(f, j);
        }
      }
      solve_unit_lower<rational>(A, inverse);
      for (index_t t = 0; t < n; ++t)
        for (index_t f = 0; f < t; ++f) {  // √(w_t/w_f) |L⁻¹_tf| ≤ √(β_t β_f)
          rational const entry = inverse(t, f);
          RC_ASSERT(steps.eta(t, j) * entry * entry <= steps.eta(f, j) * beta(t, j) * beta(f, j));
        }
    }
  });
}
