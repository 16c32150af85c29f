// SPDX-License-Identifier: Apache-2.0
// step/gain.hpp — from a gain, a ridge and an energy to a step size and a carry.                Eq. (3.4), (4.8), (4.18), (4.20)
//
//   D = E + λ + ε      η = β / D, 0 where D = 0      γ = 1 − ηλ, clamped from below by ε_γ
//
// For β ≤ 1 the carry is computed as (E + (1−β)λ + ε) / D: all terms ≥ 0, so its relative error is at most (d+6)u, where
// 1 − ηλ loses every digit near the clamp; and summed in the order of D, so that rounding cannot carry it above 1. The clamp is
// max(1 − ηλ, ε_γ), not 1 − min(ηλ, 1−ε_γ): equal in exact arithmetic, but the latter gives γ = 0 in binary32 for ε_γ = 1e-8.
// Laws: step_bounds, zero_denominator_is_no_op, clamp_is_a_surrogate_step.
#pragma once

#include "../concepts.hpp"
#include "../host_device.hpp"

namespace fwa {

/// Where η and γ come from: from a gain β and a ridge λ as below, or as given.
enum class step_law { normalised, given };

/// η.   @pre β ≥ 0, D ≥ 0
template <real S>
[[nodiscard]] FWA_HOST_DEVICE S step_size(S const& beta, S const& D) {
  return D == S(0) ? S(0) : S(beta / D);
}

/// 1 − ηλ ∈ (−1, 1], rounded.   @pre β ∈ [0, 2), E, λ, ε ≥ 0, D = (E + λ) + ε, η = step_size(β, D)
template <real S>
[[nodiscard]] FWA_HOST_DEVICE S carry(S const& beta, S const& E, S const& lambda, S const& epsilon, S const& D, S const& eta) {
  if (D == S(0)) return S(1);
  S const plain = S(1) - eta * lambda, without_cancellation = (E + (S(1) - beta) * lambda + epsilon) / D;  // no branch: vectorises
  return S(1) < beta ? plain : without_cancellation;
}

/// True where the decay floor acts; a tie counts.   @param raw 1 − ηλ
template <real S>
[[nodiscard]] FWA_HOST_DEVICE bool clamp_acts(S const& raw, S const& epsilon_gamma) {
  return !(epsilon_gamma < raw);
}

/// λ̂ = α / η, the ridge whose unclamped step this is: λ itself where the clamp rests, 0 where η = 0.      Appendix C.6
template <real S>
[[nodiscard]] FWA_HOST_DEVICE S effective_ridge(S const& eta, S const& gamma, S const& lambda, bool clamped) {
  if (eta == S(0)) return S(0);
  return clamped ? S((S(1) - gamma) / eta) : lambda;
}

}  // namespace fwa
