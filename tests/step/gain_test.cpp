// SPDX-License-Identifier: Apache-2.0
#include <fwa/step/gain.hpp>

#include "support/head.hpp"

#include <fwa/number/digits.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fwa {
namespace {

using exact = digits_100;

template <class S>
struct step {
  S beta, E, lambda, epsilon;
  [[nodiscard]] S D() const { return E + lambda + epsilon; }
  [[nodiscard]] S eta() const { return step_size<S>(beta, D()); }
  [[nodiscard]] S gamma() const { return carry<S>(beta, E, lambda, epsilon, D(), eta()); }
  [[nodiscard]] step<exact> widened() const { return {exact(beta), exact(E), exact(lambda), exact(epsilon)}; }
  /// 1 − ηλ over 100 digits, as it is defined.
  [[nodiscard]] static exact defined_carry(step<exact> const& s) { return exact(1) - s.eta() * s.lambda; }
};

/// Magnitudes over twelve decades on both sides of 1; one in eight is zero.
template <class S>
S magnitude(test::dice& roll) {
  return roll.below(8) == 0 ? S(0) : static_cast<S>(std::pow(10.0, roll.uniform(-12, 12)));
}

template <class S>
step<S> some_step(test::dice& roll, double low, double high) {
  S beta = static_cast<S>(roll.uniform(low, high));
  if (roll.below(8) == 0) beta = static_cast<S>(low);
  if (roll.below(8) == 0) beta = std::nextafter(static_cast<S>(high), S(0));
  return {beta, magnitude<S>(roll), magnitude<S>(roll), magnitude<S>(roll)};
}

template <class S>
double in_units(exact const& got, exact const& want) {
  if (want == 0) return got == 0 ? 0 : std::numeric_limits<double>::infinity();
  return static_cast<double>(exact(abs(got - want) / abs(want))) / (static_cast<double>(std::numeric_limits<S>::epsilon()) / 2);
}

TEST_CASE_TEMPLATE("step_bounds: eta within 3 u and, for beta <= 1, gamma within 6 u of their definitions, E given", S, float, double) {
  test::dice roll(1);
  for (int i = 0; i < 20000; ++i) {
    step<S> const s = some_step<S>(roll, 0, 1);
    step<exact> const wide = s.widened();
    CHECK(in_units<S>(exact(s.eta()), wide.eta()) <= 3 * (1 + 1e-6));
    CHECK(in_units<S>(exact(s.gamma()), step<S>::defined_carry(wide)) <= 6 * (1 + 1e-6));
    CHECK(s.gamma() >= 0);
    CHECK(s.gamma() <= 1);
  }
}

TEST_CASE_TEMPLATE("step_bounds: for beta > 1 the carry is within u + 4 u alpha / |gamma|", S, float, double) {
  test::dice roll(2);
  double const u = static_cast<double>(std::numeric_limits<S>::epsilon()) / 2;
  for (int i = 0; i < 20000; ++i) {
    step<S> const s = some_step<S>(roll, std::nextafter(1.0f, 2.0f), 2);
    exact const want = step<S>::defined_carry(s.widened()), alpha = 1 - want;
    CHECK(static_cast<double>(exact(abs(exact(s.gamma()) - want))) <= u * static_cast<double>(exact(abs(want) + 4 * alpha)) * (1 + 1e-6));
    CHECK(s.gamma() >= -1);
    CHECK(s.gamma() <= 1);
  }
}

TEST_CASE("the carry keeps its digits where 1 - eta lambda has none") {
  step<float> const s{1, 1e-9f, 1, 0};  // γ = 1e-9 / (1 + 1e-9)
  CHECK(1 - s.eta() * s.lambda == 0);
  CHECK(s.gamma() == doctest::Approx(1e-9).scale(0).epsilon(1e-6));
}

TEST_CASE("zero_denominator_is_no_op") {
  for (double beta : {0.0, 0.5, 1.0, 1.9}) {
    step<double> const s{beta, 0, 0, 0};
    CHECK(s.eta() == 0);
    CHECK(s.gamma() == 1);
  }
  CHECK(step<double>{1.5, 0, 2, 0}.eta() == 0.75);  // x = 0 with λ > 0 still decays
  CHECK(step<double>{1.5, 0, 2, 0}.gamma() == -0.5);
  CHECK(step<double>{0, 3, 2, 1}.gamma() == 1);
  CHECK(step<double>{1, 3, 0, 1}.gamma() == 1);
}

TEST_CASE("the decay floor acts below itself and on a tie") {
  CHECK(clamp_acts<double>(0.5, 0.5));
  CHECK(clamp_acts<double>(std::nextafter(0.5, 0), 0.5));
  CHECK(!clamp_acts<double>(std::nextafter(0.5, 1), 0.5));
  CHECK(clamp_acts<double>(-0.9, 1e-6));
}

TEST_CASE("clamp_is_a_surrogate_step: the effective ridge is alpha / eta, at most lambda") {
  CHECK(effective_ridge<double>(0, 1, 3, false) == 0);
  CHECK(effective_ridge<double>(0.475, 0.001, 3, true) == doctest::Approx(0.999 / 0.475).epsilon(1e-15));
  CHECK(effective_ridge<double>(0.1, 0.7, 3, false) == 3);
  test::dice roll(3);
  for (int i = 0; i < 20000; ++i) {
    step<double> const s = some_step<double>(roll, 0, 2);
    double const floor = std::pow(10.0, roll.uniform(-9, -0.01)), raw = s.gamma();
    bool const acts = clamp_acts(raw, floor);
    double const ridge = effective_ridge<double>(s.eta(), acts ? floor : raw, s.lambda, acts);
    CHECK(ridge >= 0);
    CHECK(ridge <= s.lambda * (1 + 1e-15));
    if (!acts && s.eta() > 0) CHECK(ridge == s.lambda);
  }
}

}  // namespace
}  // namespace fwa
