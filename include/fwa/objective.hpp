// SPDX-License-Identifier: Apache-2.0
// objective.hpp — the two losses that a write takes one gradient step of.                     Section 3, 4.3–4.5
//
//   regression      ℓ(S) = (1/2n) Σ ‖Sᵀx_j − y_j‖² + (λ/2)‖S‖²     ∇ = C̄ S − N̄ + λS     L = λ_max(C̄) + λ     Eq. (3.1), (4.10)
//   inner product   ℓ(S) = −(1/n) Σ ⟨Sᵀx_j, y_j⟩ + (λ/2)‖S‖²       ∇ = −N̄ + λS          L = λ                Eq. (4.5), (4.17)
//
//   C̄ = (1/n) Σ x_j x_jᵀ (dx, dx)     N̄ = (1/n) Σ x_j y_jᵀ (dx, dv)     X (n, dx), Y (n, dv): the pairs of one window
//
// Lemma 3.1: f L-smooth, 0 < η < 2/L, S⁺ = S − η∇f(S)  ⇒  f(S⁺) ≤ f(S) − (η(2 − ηL)/2) ‖∇f(S)‖².
// Laws: descent, clamp_is_a_surrogate_step.
#pragma once

#include "matrix.hpp"
#include "rule/residual.hpp"
#include "scalar.hpp"

namespace fwa {

/// ℓ(S).   @pre X has n ≥ 1 rows
template <real T>
[[nodiscard]] T loss(residual rho, mat<T> const& S, mat<T> const& X, mat<T> const& Y, T const& lambda) {
  T const n(static_cast<int>(X.rows())), half = T(1) / T(2);
  mat<T> const prediction = X * S;  // (n, dv)
  T const fit = rho == residual::zero ? T(-prediction.cwiseProduct(Y).sum() / n) : T(half * (prediction - Y).squaredNorm() / n);
  return fit + half * lambda * S.squaredNorm();
}

/// ∇ℓ(S) (dx, dv).                                                                            Eq. (3.2), (4.12)
template <real T>
[[nodiscard]] mat<T> gradient(residual rho, mat<T> const& S, mat<T> const& X, mat<T> const& Y, T const& lambda) {
  T const n(static_cast<int>(X.rows()));
  mat<T> error = -Y;  // (n, dv)
  if (rho != residual::zero) error += X * S;
  mat<T> const fit = X.transpose() * error;
  return fit / n + lambda * S;
}

/// The decrease that Lemma 3.1 guarantees.   @pre 0 < eta < 2 / L   @param squared_gradient ‖∇f(S)‖²         Eq. (3.5)
template <real T>
[[nodiscard]] T descent(T const& eta, T const& L, T const& squared_gradient) {
  return eta * (T(2) - eta * L) / T(2) * squared_gradient;
}

}  // namespace fwa
