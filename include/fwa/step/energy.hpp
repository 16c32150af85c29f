// SPDX-License-Identifier: Apache-2.0
// step/energy.hpp — the statistic E_t that a step size is divided by.                     Eq. (3.4), (4.15), (4.18)
//
//   window 1                  ‖x_t‖²
//   window B, regression      μ_t = λ_max( (1/B_t) Σ_{j∈I_t} x_j x_jᵀ ) = λ_max of the B_t × B_t Gram matrix / B_t
//   window B, inner product   Ē_t = (1/B_t) Σ_{j∈I_t} ‖x_j‖²
//
// λ_max comes by bisection, to rounding and from below (eigenvalue.hpp). A power iteration can return another eigenvalue: features
// (1, 0), (−.8, .6) from the start (1, 1) give 0.2 instead of 1.8, and a step size nine times too large.
// Laws: descent, step_bounds.
#pragma once

#include "../align/pairs.hpp"
#include "../matrix.hpp"
#include "../objective.hpp"
#include "../scalar.hpp"
#include "eigenvalue.hpp"

#include <algorithm>

namespace fwa {

/// B_t of token t: the pairs that a window of at most B holds.
template <class T>
[[nodiscard]] index_t window_length(pairs<T> const& p, index_t t, index_t B) {
  return std::min(B, p.before + t + 1 - (p.sentinel ? 1 : 0));
}

/// The energies of all tokens of a block; keeps its room from one block to the next.
template <rooted S>
class energies {
 public:
  /// @param B window, ≥ 1   @return E (T), valid until the next call; 0 for a token without a pair
  row<S> const& operator()(residual rho, index_t B, pairs<S> const& p) {
    out_.resize(p.tokens());
    if (B > 1 && rho != residual::zero)
      spectral(B, p);
    else
      mean(B, p);
    return out_;
  }

 private:
  void mean(index_t B, pairs<S> const& p) {
    band_.resize(p.x.rows(), 1);
    for (index_t i = 0; i < p.x.rows(); ++i) band_(i, 0) = p.x.row(i).squaredNorm();
    for (index_t t = 0; t < p.tokens(); ++t) {
      index_t const n = window_length(p, t, B), end = p.before + t + 1;
      out_(t) = n == 0 ? S(0) : S(band_.col(0).segment(end - n, n).sum() / S(static_cast<int>(n)));
    }
  }

  void spectral(index_t B, pairs<S> const& p) {
    index_t const lanes = eigen_lanes<S>;
    B = std::min(B, p.x.rows());
    band_.resize(p.x.rows(), B);  // ⟨x_i, x_{i−l}⟩
    for (index_t i = 0; i < p.x.rows(); ++i)
      for (index_t l = 0; l < std::min(B, i + 1); ++l) band_(i, l) = p.x.row(i).dot(p.x.row(i - l));
    solver_.resize(B);
    for (index_t first = 0; first < p.tokens(); first += lanes) {
      for (index_t e = 0; e < lanes; ++e) {
        index_t const t = first + e, n = t < p.tokens() ? window_length(p, t, B) : 0, oldest = p.before + t + 1 - n;
        for (index_t i = 0; i < B; ++i)
          for (index_t j = 0; j <= i; ++j) solver_.at(i, j)(e) = i < n ? band_(oldest + i, i - j) : S(0);
      }
      typename largest_eigenvalues<S>::lane const top = solver_.solve();
      for (index_t t = first; t < std::min(first + lanes, p.tokens()); ++t) {
        index_t const n = window_length(p, t, B);
        out_(t) = n == 0 ? S(0) : S(top(t - first) / S(static_cast<int>(n)));
      }
    }
  }

  row<S> out_;
  mat<S> band_;
  largest_eigenvalues<S> solver_;
};

}  // namespace fwa
