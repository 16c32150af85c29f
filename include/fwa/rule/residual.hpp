// SPDX-License-Identifier: Apache-2.0
// rule/residual.hpp — ρ ∈ {0, 1, γ_t}.                                                               Eq. (3.3), (4.6), (C.1)
#pragma once

namespace fwa {

/// How much of its own prediction a write takes back, the factor ρ of S_{t−1}ᵀx: none for the inner product, all of it for the
/// regression, γ_t where the residual is read after the decay (gated DeltaNet).
enum class residual { zero, one, gamma };

}  // namespace fwa
