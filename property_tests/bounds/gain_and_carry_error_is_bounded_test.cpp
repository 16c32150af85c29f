// SPDX-License-Identifier: Apache-2.0
// Claim gain_and_carry_error_is_bounded: from floats x, β, λ, ε taken as exact, with s = d + [B>1] B and l = [scale-coupled],
//
//   η, w   relative error ≤ gam(s + l + 3), and gam(s + l + 4) for η / B
//   γ      β ≤ 1, (E + (1−β)λ + ε) / D:   relative error ≤ (1 + g)(1 + gam(c)) − 1,   g = gam(s) / (1 − gam(s)) · |e_N − e_D|
//          β > 1, 1 − ηλ:                  error ≤ gam(s + 2l + 4) |ηλ| (1 + u) + u |γ|
//
// E: sums of squares, all terms ≥ 0, so Ê = E(1 + θ_s): d for ‖x‖², B for the mean of B > 1 of them (B − 1 additions, one division). D:
// two additions, where λ = λ̄E one product more; the division one, η / B another. ηλ takes one more product, l for λ again; λ̄Ê / D̂ takes
// no more of Ê's error than ε's share of D. The two terms of 1 − ηλ are bounded as they stand: near the clamp |ηλ| / γ has no bound.
//
// The stable carry reads the same Ê above and below: with N = E + (1−β)λ + ε, e_N and e_D the share of E in N and D (of E(1 + (1−β)λ̄)
// where the ridge is coupled) and |θ| ≤ gam(s), (1 + θe_N) / (1 + θe_D) − 1 ≤ g. Apart from it N has 4 + l roundings at most (1 − β,
// product, two additions), D 2 + l, the division 1: c = 7 + 2l; two fewer where ε = 0 is added. e_N − e_D ≤ ηλ ≤ 1. To first order g + c u
// is at most (d + 6)u, the bound of step/gain.hpp, since a large share of E leaves few roundings to λ: asserted as well, at gam(s + 6 +
// 2l).
//
// max(γ, ε_γ) moves no two numbers apart, so the bound of γ outlives the clamp, and the clamp acts as it should unless γ is within its
// bound of ε_γ. λ_max of a window is not summed but found by bisection, and has no bound here.
#include "support/bound.hpp"

#include <fwa/step/schedule.hpp>

using namespace fwa;
using namespace fwa::test;

namespace {

struct outcomes {
  ratios gain, weight, stable, stable_simple, cancelling, subtracted;  // subtracted: 1 − ηλ measured by the stable bound
};

template <class F>
void one_window(dice& roll, index_t d, index_t B, ridge kind, bool small, outcomes& seen) {
  pairs<F> const p{heavy_tailed<F>(roll, B, d, 3), mat<F>::Zero(B, 1), B - 1, false};
  options o;
  o.window = B;
  o.ridge = kind;
  o.epsilon = roll.below(2) == 0 ? 0 : static_cast<double>(static_cast<float>(roll.uniform(0, 0.1)));
  o.epsilon_gamma = 0x1p-10;
  o.clamp = roll.below(4) == 0;
  digits E(0);
  for (index_t i = 0; i < p.x.size(); ++i) E += digits(p.x.data()[i]) * digits(p.x.data()[i]) / static_cast<int>(B);
  // Ridges from far below E to far above; half the gains above 1, some of those where ηλ = 1 but for a little.
  double const ratio = std::ldexp(roll.uniform(1, 2), static_cast<int>(roll.below(41)) - 20);
  F const lambda = static_cast<F>(kind == ridge::absolute ? ratio * static_cast<double>(E) : ratio);
  double beta = small ? (roll.below(4) == 0 ? 1.0 : roll.uniform(0, 1)) : roll.uniform(1, 2);
  if (!small && ratio > 1.1 && roll.below(2) == 0) beta = 1 + 1 / ratio;
  mat<F> const gain = mat<F>::Constant(1, 1, static_cast<F>(beta)), forget = mat<F>::Constant(1, 1, lambda);
  auto const got = make_plan<F>(residual::zero, p, gains<F>(gain, forget), o);
  if (E == 0 && (lambda == 0 || kind == ridge::scale_coupled) && o.epsilon == 0) return;

  bool const coupled = kind == ridge::scale_coupled;
  index_t const s = d + (B > 1 ? B : 0), l = coupled;
  digits const b(gain(0, 0)), epsilon(static_cast<F>(o.epsilon)), floor(static_cast<F>(o.epsilon_gamma)), u = unit_roundoff<F>();
  digits const ridge = coupled ? digits(lambda) * E : digits(lambda), D = E + ridge + epsilon, eta = b / D,
               N = E + (1 - b) * ridge + epsilon;
  seen.gain.add(digits(got.eta(0, 0)) - eta, gam<F>(s + l + 3) * eta);
  if (B > 1) seen.weight.add(digits(got.schedule.weight(0, 0)) - eta / static_cast<int>(B), gam<F>(s + l + 4) * eta / static_cast<int>(B));

  digits const gamma = N / D, share = coupled ? digits((N - epsilon) / N - (D - epsilon) / D) : digits(E / N - E / D);
  digits const g = gam<F>(s) / (1 - gam<F>(s)) * abs(share), c = gam<F>((epsilon == 0 ? 5 : 7) + 2 * l);
  digits const bound =
      b <= 1 ? digits(gamma * ((1 + g) * (1 + c) - 1)) : digits(gam<F>(s + 2 * l + 4) * eta * ridge * (1 + u) + u * abs(gamma));
  digits const clamped = o.clamp ? std::max(gamma, floor) : gamma, error = digits(got.schedule.gamma(0, 0)) - clamped;
  (b <= 1 ? seen.stable : seen.cancelling).add(error, bound);
  if (abs(digits(gamma - floor)) > bound) CHECK(got.clamped(0, 0) == (o.clamp && gamma < floor));
  if (b <= 1) {
    seen.stable_simple.add(error, gamma * gam<F>(s + 6 + 2 * l));
    F const plain = F(1) - got.eta(0, 0) * got.lambda(0, 0);
    seen.subtracted.add(digits(plain) - gamma, bound);
  }
}

template <class F>
void all_gains(table const& t) {
  for (auto kind : {ridge::absolute, ridge::scale_coupled}) {
    outcomes seen;
    dice roll(29);
    for (index_t d : {1, 2, 3, 8, 64})
      for (index_t B : {1, 2, 4})
        for (bool small : {true, false})
          for (int i = 0; i < 2000; ++i) one_window<F>(roll, d, d == 64 ? 1 : B, kind, small, seen);
    auto row = [&](char const* what, ratios const& r) {
      t.row(std::string(what) + (kind == ridge::absolute ? ", λ, " : ", λ̄E, ") + name_of<F>, r, 0.3);
    };
    row("η", seen.gain);
    row("η / B", seen.weight);
    row("γ, β ≤ 1", seen.stable);
    row("γ, β ≤ 1, by gam(d + 6)", seen.stable_simple);
    row("γ, β > 1", seen.cancelling);
    CHECK(seen.subtracted.most > 1000);
  }
}

}  // namespace

TEST_CASE("step size, weight and carry, ridges from 2^-20 E to 2^20 E") {
  table const t("gain and carry");
  all_gains<float>(t);
  all_gains<double>(t);
}

TEST_CASE("alpha near 1: the carry has all its digits, 1 - eta lambda none") {
  table const t("carry at β = 1, λ = 2^k");
  for (int k : {10, 20, 30}) {
    ratios stable, subtracted;
    dice roll(31);
    for (int i = 0; i < 1000; ++i) {
      float const E = static_cast<float>(roll.uniform(1, 2)), lambda = std::ldexp(static_cast<float>(roll.uniform(1, 2)), k),
                  D = E + lambda, eta = step_size(1.0f, D);
      digits const exact = digits(E) / (digits(E) + digits(lambda)), bound = exact * gam<float>(4);  // N: E alone; D: 1; the division: 1
      stable.add(digits(carry(1.0f, E, lambda, 0.0f, D, eta)) - exact, bound);
      subtracted.add(digits(1.0f - eta * lambda) - exact, bound);
    }
    t.row("2^" + std::to_string(k) + ", as a quotient", stable, 0.1);
    t.row("2^" + std::to_string(k) + ", as 1 − ηλ", subtracted);
    CHECK(subtracted.most > 100);
  }
}
