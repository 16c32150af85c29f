// SPDX-License-Identifier: Apache-2.0
// rule/falcon.hpp — the eight corners of regression or inner product × one step or one per column × one pair or a window.
#pragma once

#include "rule.hpp"

namespace fwa {

// clang-format off
//                                        name          ρ               per column  window
inline constexpr rule falcon_1   = {"falcon-1",   residual::one,  false, false};  // Eq. (3.3)
inline constexpr rule falcon_2   = {"falcon-2",   residual::one,  true,  false};  // Eq. (4.4)
inline constexpr rule falcon_3   = {"falcon-3",   residual::one,  false, true};   // Eq. (4.14)
inline constexpr rule falcon_1a  = {"falcon-1a",  residual::zero, false, false};  // Eq. (4.6)
inline constexpr rule falcon_2a  = {"falcon-2a",  residual::zero, true,  false};  // Eq. (4.7)
inline constexpr rule falcon_3a  = {"falcon-3a",  residual::zero, false, true};   // Eq. (4.19)
inline constexpr rule falcon_23  = {"falcon-23",  residual::one,  true,  true};   // the paper names neither
inline constexpr rule falcon_23a = {"falcon-23a", residual::zero, true,  true};
// clang-format on

inline constexpr rule falcon_rules[] = {falcon_1, falcon_2, falcon_3, falcon_1a, falcon_2a, falcon_3a, falcon_23, falcon_23a};

}  // namespace fwa
