// SPDX-License-Identifier: Apache-2.0
// rule/rule.hpp — a rule is a point of one equation, never a code path of its own.
//
//   S_t = S_{t−1} Diag(γ_t) + Σ_{j∈I_t} x_j ( w_t ⊙ (y_j − ρ_t S_{t−1}ᵀ x_j) )ᵀ ,   w_t = η_t / B_t        o_t = S_tᵀ q_t
//
//   ρ ∈ {0 inner product, 1 regression, γ residual after the decay}; η, γ one a token or one a value column;
//   the window I_t holds the last B pairs.                                                Eq. (3.3), (4.4), (4.6), (4.7), (4.14), (4.19)
#pragma once

#include "../options.hpp"
#include "../step/gain.hpp"
#include "residual.hpp"

#include <string_view>

namespace fwa {

struct rule {
  std::string_view name;
  residual rho = residual::one;
  bool per_column = false;  ///< β, η, γ of shape (T, dv) instead of (T, 1)
  bool windowed = false;    ///< accepts a window B > 1
  step_law law = step_law::normalised;
  fwa::pairing pairing = fwa::pairing::shifted;  ///< used where the options name none

  friend bool operator==(rule const&, rule const&) = default;
};

}  // namespace fwa
