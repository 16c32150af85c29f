// SPDX-License-Identifier: Apache-2.0
// rule/neighbours.hpp — published rules that are further points of the same equation, with η and γ as given.
//
//   linear attention   S = S + x yᵀ                       η = 1, γ = 1                       Eq. (2.2)
//   RetNet             S = γ S + x yᵀ                     η = 1, γ given
//   Mamba-2            S = exp(ΔA) S + Δ x yᵀ             η = Δ, γ = exp(ΔA), A ≤ 0
//   DeltaNet           S = S + b x (y − Sᵀx)ᵀ             η = b, γ = 1                       Eq. (2.6)
//   gated DeltaNet     S = g(I − b x xᵀ)S + b x yᵀ        η = b, γ = g, ρ = g                Eq. (C.1)
//
// With a denominator (options.normalized_read) linear attention is Eq. (2.2) whole.
#pragma once

#include "../matrix.hpp"
#include "rule.hpp"

#include <cmath>

namespace fwa {

// clang-format off
inline constexpr rule linear_attention = {"linear-attention", residual::zero,  false, false, step_law::given, pairing::same_step};
inline constexpr rule retnet           = {"retnet",           residual::zero,  false, false, step_law::given, pairing::same_step};
inline constexpr rule mamba_2          = {"mamba-2",          residual::zero,  false, false, step_law::given, pairing::same_step};
inline constexpr rule delta_net        = {"delta-net",        residual::one,   false, false, step_law::given, pairing::same_step};
inline constexpr rule gated_delta_net  = {"gated-delta-net",  residual::gamma, false, false, step_law::given, pairing::same_step};
// clang-format on

inline constexpr rule neighbour_rules[] = {linear_attention, retnet, mamba_2, delta_net, gated_delta_net};

/// Step sizes and decays, each (T, 1): what steps(eta, gamma) takes.
template <class S>
struct given_steps {
  mat<S> eta, gamma;
};

/// Mamba-2's discretisation: η = Δ, γ = exp(ΔA).   @param delta (T, 1), ≥ 0   @param a one number a head, ≤ 0
template <class S>
[[nodiscard]] given_steps<S> mamba_2_steps(mat<S> const& delta, S const& a) {
  using std::exp;
  return {delta, delta.unaryExpr([&a](S const& d) { return S(exp(d * a)); })};
}

}  // namespace fwa
