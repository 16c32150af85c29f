// SPDX-License-Identifier: Apache-2.0
// options.hpp — every choice that a caller has besides the rule.
#pragma once

#include "index.hpp"

#include <optional>

namespace fwa {

/// Which key a value is written under: the one before it (next-latent) or its own.          Section 3, Appendix C.5
enum class pairing { shifted, same_step };

/// Whether o_t is read from S_t or from S_{t−1}.                                            Appendix C.5
enum class timing { read_after_write, read_before_write };

/// λ_t as given, or the given number times the energy E_t.                                  Appendix C.1
enum class ridge { absolute, scale_coupled };

/// φ, applied to q and k; see align/feature.hpp.                                            Section 4.1
enum class feature { identity, rms_norm, l2_norm, elu_plus_one, relu };

/// What a normalised read does where zᵀq may be negative: refuse such features, or divide by zᵀq ± ε with the sign of zᵀq.
enum class denominator { nonnegative, sign_stable };

/// The three forms of one map; chunk_scan is chunk with an associative scan as its second phase.
enum class form { recurrent, masked, chunk, chunk_scan };

struct options {
  index_t window = 1;           ///< B ≥ 1; > 1 only for windowed rules
  double epsilon = 0;           ///< ε ≥ 0 in D = E + λ + ε
  double epsilon_gamma = 1e-6;  ///< decay floor ε_γ ∈ (0, 1)
  bool clamp = true;            ///< γ = max(1 − ηλ, ε_γ); off: the carry may be negative
  bool any_gain = false;        ///< accept any finite β, for studies of instability
  fwa::ridge ridge = fwa::ridge::absolute;
  std::optional<fwa::pairing> pairing;  ///< absent: the rule's own
  fwa::timing timing = fwa::timing::read_after_write;
  fwa::feature feature = fwa::feature::identity;
  double feature_epsilon = 1e-6;          ///< ≥ 0, inside the root of rms_norm and l2_norm
  bool value_norm = false;                ///< rms_norm of v before pairing
  std::optional<double> normalized_read;  ///< ε_attn > 0: divide by zᵀφ(q) + ε_attn
  fwa::denominator denominator = fwa::denominator::nonnegative;
  fwa::form form = fwa::form::chunk;
  index_t chunk = 64;  ///< C ≥ 1
};

}  // namespace fwa
