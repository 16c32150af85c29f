// SPDX-License-Identifier: Apache-2.0
// study_rules.hpp — who takes part, which settings each may choose from, and how a setting becomes a trial.
//
//   Falcon rules       β_{t,j} = min(size · (m_j/m̄)^tilt, 1.9), λ̄ = forget (scale-coupled); m_j: mean of v_j² on the prefix
//   linear attention   η = 1, γ = 1; normalised: φ = elu+1 or relu
//   RetNet             η = 1, γ = 1 − forget
//   Mamba-2            Δ_t = min(‖k_t − k_{t−1}‖² / its mean on the prefix, 4), η = Δ_t, γ = exp(−forget Δ_t)
//   DeltaNet, gated    η = size / max ‖k‖² on the prefix, γ = 1 or 1 − forget; on a signal this is LMS, not NLMS
//
// All are causal: a setting uses the prefix, a step uses tokens up to its own.
#pragma once

#include "study_data.hpp"
#include "study_run.hpp"

#include <span>
#include <string>
#include <vector>

namespace fwa::study {

struct contestant {
  std::string name;
  fwa::rule rule;
  bool normalised_read = false;
};

/// Not where γ = 1.
[[nodiscard]] bool has_decay(contestant const&);

/// The eight Falcon corners, the neighbours, and linear attention with its denominator.
[[nodiscard]] std::vector<contestant> contestants();

struct setting {
  double size = 1, forget = 0;
  index_t window = 1;
  double tilt = 0;
  fwa::feature feature = fwa::feature::identity;
};

struct cell {
  fwa::pairing pairing;
  fwa::timing timing;
};
inline constexpr cell cells[] = {{pairing::shifted, timing::read_after_write},
                                 {pairing::shifted, timing::read_before_write},
                                 {pairing::same_step, timing::read_after_write},
                                 {pairing::same_step, timing::read_before_write}};

/// Settings to choose from: a grid, then windows, then tilts, each with the best of what came before.
[[nodiscard]] std::vector<setting> grid(contestant const&);
[[nodiscard]] std::vector<setting> refinements(contestant const&, setting const& best, int round);
inline constexpr int refinement_rounds = 2;
/// Of the exact ridge solution.
inline constexpr double ridge_grid[] = {1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4};

/// What is used where nothing is tuned: drift, agreement, speed.
[[nodiscard]] setting plain_setting(contestant const&);

/// The first tokens of the data, which must outlive the trial; q = k.
[[nodiscard]] trial make_trial(contestant const&, setting const&, cell, dataset const&, index_t tokens);

}  // namespace fwa::study
