// SPDX-License-Identifier: Apache-2.0
// form/read.hpp — the read with a denominator.                                                       Eq. (2.2), (2.3), Appendix C.2
//
//   o_t = S_tᵀφ(q_t) / (z_tᵀφ(q_t) + ε_attn)        z_t = γ_t z_{t−1} + w_t Σ_{j∈I_t} x_j
//
// z is one more value column with y ≡ 1, so a form computes it without knowing, and one division follows it. Attention-like
// for non-negative features only; with signed ones zᵀq can vanish or change sign: sign_stable divides by zᵀq ± ε_attn, the sign
// that of zᵀq (+ at 0).
#pragma once

#include "../matrix.hpp"
#include "../options.hpp"
#include "../scalar.hpp"

namespace fwa {

/// Divides one row, in place.   @param wide (1, dv + 1): numerators, and zᵀq in the last column
template <real S, class Row>
void normalise(Row&& wide, S const& epsilon_attn, denominator policy) {
  index_t const dv = wide.size() - 1;
  S const zq = wide(dv);
  wide.head(dv) /= policy == denominator::sign_stable && zq < S(0) ? S(zq - epsilon_attn) : S(zq + epsilon_attn);
}

}  // namespace fwa
