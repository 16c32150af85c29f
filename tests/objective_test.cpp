// SPDX-License-Identifier: Apache-2.0
#include <fwa/objective.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/number/digits.hpp>
#include <fwa/rule/falcon.hpp>

#include <algorithm>
#include <cmath>

namespace fwa {
namespace {

TEST_CASE("by hand") {
  mat<double> const S = mat<double>::Constant(1, 1, 2), X = (mat<double>(2, 1) << 1, 3).finished(),
                    Y = (mat<double>(2, 1) << 1, 4).finished();
  CHECK(loss<double>(residual::one, S, X, Y, 0.5) == doctest::Approx((1.0 + 4.0) / 4 + 1));  // residuals 1, 2
  CHECK(loss<double>(residual::zero, S, X, Y, 0.5) == doctest::Approx(-(2.0 + 24.0) / 2 + 1));
  CHECK(gradient<double>(residual::one, S, X, Y, 0.5)(0, 0) == doctest::Approx((1.0 + 6.0) / 2 + 1));
  CHECK(gradient<double>(residual::zero, S, X, Y, 0.5)(0, 0) == doctest::Approx(-(1.0 + 12.0) / 2 + 1));
  CHECK(descent<double>(0.5, 2, 3) == 0.75);
}

/// Central differences are exact for a quadratic but for rounding, which 50 digits take away.
TEST_CASE("the gradient is that of the loss") {
  using S = digits_50;
  test::dice roll(1);
  mat<S> const X = roll.matrix<S>(3, 4), Y = roll.matrix<S>(3, 2), at = roll.matrix<S>(4, 2);
  for (residual rho : {residual::zero, residual::one}) {
    mat<S> const g = gradient<S>(rho, at, X, Y, S(0.3));
    for (index_t i = 0; i < 4; ++i)
      for (index_t j = 0; j < 2; ++j) {
        mat<S> up = at, down = at;
        up(i, j) += 1;
        down(i, j) -= 1;
        S const slope = (loss<S>(rho, up, X, Y, S(0.3)) - loss<S>(rho, down, X, Y, S(0.3))) / 2;
        CHECK(abs(S(slope - g(i, j))) < S(1e-45));
      }
  }
}

/// One step: the state before and after it, its window, its size and its effective ridge.
template <class F>
void each_step(F&& see) {
  for (rule const& r : {falcon_1, falcon_3, falcon_1a, falcon_3a})  // one step size a token
    for (double ridge : {0.5, 40.0}) {
      index_t const count = 60, B = r.windowed ? 3 : 1;
      auto const h = test::some_head(r, count, 4, 3, 2, ridge);
      options o;
      o.window = B;
      o.epsilon_gamma = 0.25;
      reader<double> head(r, 4, 3, o);
      mat<double> S = head.memory().S;
      for (index_t t = 0; t < count; ++t) {
        auto const one = h.slice(t, 1);
        head.step(one.q, one.k, one.v, one.size, one.forget);
        mat<double> const next = head.memory().S;
        if (index_t const n = std::min(B, t); n > 0) {
          mat<double> const X = h.k.middleRows(t - n, n), Y = h.v.middleRows(t + 1 - n, n);
          see(r.rho, S, next, X, Y, head.last_plan().eta(0, 0), head.last_plan().effective_ridge(0, 0));
        }
        S = next;
      }
    }
}

TEST_CASE("an update is one gradient step, of the surrogate where the clamp acts") {
  each_step([](residual rho, auto const& S, auto const& next, auto const& X, auto const& Y, double eta, double lambda) {
    CHECK_CLOSE(next, (S - eta * gradient<double>(rho, S, X, Y, lambda)).eval(), test::forms);
  });
}

TEST_CASE("descent: the surrogate loss falls by at least the stated amount") {
  energies<double> make;
  each_step([&](residual rho, auto const& S, auto const& next, auto const& X, auto const& Y, double eta, double lambda) {
    index_t const n = X.rows();
    double const E = rho == residual::one ? make(rho, n, align<double>(X, Y, pairing::same_step))(n - 1) : 0;
    double const before = loss<double>(rho, S, X, Y, lambda), after = loss<double>(rho, next, X, Y, lambda);
    double const promised = descent<double>(eta, E + lambda, gradient<double>(rho, S, X, Y, lambda).squaredNorm());
    CHECK(promised >= 0);
    CHECK(before - after >= promised - 1e-12 * (1 + std::abs(before)));
  });
}

/// E = y = 1, λ = 3, β = 1.9, ε_γ = 1e-3 from S = 1/4: the clamped step raises the loss that it was derived from.
TEST_CASE("the original loss can rise under the clamp") {
  test::head<double> h = test::some_head(falcon_1, 1, 1, 1, 1);
  h.k.setOnes();
  h.v.setOnes();
  h.size.setConstant(1.9);
  h.forget.setConstant(3);
  options o;
  o.epsilon_gamma = 1e-3;
  o.pairing = pairing::same_step;
  memory<double> entry;
  entry.S = mat<double>::Constant(1, 1, 0.25);
  auto const got = attend<double>(falcon_1, h.all(), o, entry);
  CHECK(loss<double>(residual::one, entry.S, h.k, h.v, 3) == doctest::Approx(0.375).epsilon(1e-15));
  CHECK(loss<double>(residual::one, got.memory.S, h.k, h.v, 3) == doctest::Approx(0.3977).epsilon(1e-4));
  double const surrogate = 0.999 / 0.475;
  CHECK(loss<double>(residual::one, got.memory.S, h.k, h.v, surrogate) < loss<double>(residual::one, entry.S, h.k, h.v, surrogate));
}

}  // namespace
}  // namespace fwa
