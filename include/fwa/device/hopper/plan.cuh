// SPDX-License-Identifier: Apache-2.0
// device/hopper/plan.cuh — step sizes and decays of single tokens, inside the kernels that read them.
//
// Laws: step_bounds, zero_denominator_is_no_op.
#pragma once

#include "../../step/gain.hpp"
#include "../plan.cuh"
#include "ptx.cuh"

#include <limits>

namespace fwa::device::hopper {

using view_t = view<__nv_bfloat16, float>;
inline constexpr int C = 64, width = 128;  // tokens of a chunk; entries of keys, queries and values

/// How steps are planned, and where what is wanted of them goes.
struct plan_call {
  rows<float const> size, forget;
  detail::step_settings<float> how;
  detail::plan_arrays<float> to;  // eta, gamma and clamped where wanted
};

/// η and γ of a token, or of one of its columns, and what is wrong with them.
struct token_step {
  float eta = 0, gamma = 1;
  bool clamped = false;
  unsigned refused = 0;
};

/// @param nonzero called where D = 0: whether a feature is not 0
template <class Nonzero>
__device__ token_step step_of(detail::step_settings<float> const& how, float size, float forget, float E, Nonzero&& nonzero) {
  token_step s;
  if (how.law == step_law::given) {
    s.eta = size;
    s.gamma = forget;
  } else {
    float const lambda = how.scale_coupled ? forget * E : forget, D = E + lambda + how.epsilon;
    bool const outside = !(D - D == 0.0f) || (D == 0.0f && nonzero());
    if (!(forget >= 0.0f)) s.refused |= ridge_out_of_range;
    if (!(size - size == 0.0f) || (!how.any_gain && !(size >= 0.0f && size < 2.0f))) s.refused |= gain_out_of_range;
    s.eta = outside ? std::numeric_limits<float>::quiet_NaN() : step_size(size, D);
    if (!outside) s.gamma = carry(size, E, lambda, how.epsilon, D, s.eta);
    s.clamped = !outside && how.clamp && clamp_acts(s.gamma, how.floor);
    if (s.clamped) s.gamma = how.floor;
  }
  if (!(s.eta - s.eta == 0.0f) || !(s.gamma - s.gamma == 0.0f)) s.refused |= energy_out_of_range;
  return s;
}

/// Puts a step where it is wanted.   @param at (place, column)
__device__ inline void keep(detail::plan_arrays<float> const& to, index_t at, token_step const& step) {
  if (to.eta != nullptr) to.eta[at] = step.eta;
  if (to.gamma != nullptr) to.gamma[at] = step.gamma;
  if (to.clamped != nullptr) to.clamped[at] = step.clamped;
  if (step.refused != 0 && to.refused != nullptr) atomicOr(to.refused, step.refused);
}

/// Whether row `row` of a (64, 128) pair of tiles has an entry that is not 0.
__device__ inline bool row_is_nonzero(unsigned char const* tiles, int row) {
  unsigned any = 0;
  for (int part = 0; part < 16; ++part) {
    uint4 const eight = *reinterpret_cast<uint4 const*>(tiles + (part >> 3) * tile_bytes + swizzled(row, part & 7));
    any |= eight.x | eight.y | eight.z | eight.w;
  }
  return (any & 0x7fff7fffu) != 0;
}

}  // namespace fwa::device::hopper
