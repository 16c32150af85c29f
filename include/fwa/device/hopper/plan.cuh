// SPDX-License-Identifier: Apache-2.0
// device/hopper/plan.cuh — step sizes and decays of single tokens, inside the kernels that read them.
//
// Laws: step_bounds, zero_denominator_is_no_op.
#pragma once

#include "../plan.cuh"
#include "ptx.cuh"

namespace fwa::device::hopper {

using view_t = view<__nv_bfloat16, float>;
inline constexpr int C = 64, width = 128;  // tokens of a chunk; entries of keys, queries and values

/// How steps are planned, and where what is wanted of them goes.
struct plan_call {
  rows<float const> size, forget;
  detail::step_settings<float> how;
  detail::plan_arrays<float> to;  // eta, gamma and clamped where wanted
};

using token_step = detail::token_step<float>;

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

/// Weights and decays of a rule with a step a column, one pair a window; a warp a token, four columns a lane.
/// @pre n.tokens() < 2^32; what is read or written of columns is 16-byte aligned
/// @param weight, gamma (place, 128)
template <class = void>  // so that several files may have it
__global__ void __launch_bounds__(256) plan_columns(view_t const in, plan_call const plan, float* weight, float* gamma) {
  unsigned const place = blockIdx.x * 8 + threadIdx.x / 32, heads = static_cast<unsigned>(in.n.heads),
                 time = static_cast<unsigned>(in.n.time);
  int const lane = threadIdx.x % 32;
  if (place >= in.n.tokens()) return;
  unsigned const batch = place / heads / time;
  index_t const t = place / heads % time;
  unit_span const s = in.span(batch, place % heads);
  bool const given = plan.how.law == step_law::given, none = in.shifted && t == 0;
  uint2 x = make_uint2(0, 0);
  if (!none) x = reinterpret_cast<uint2 const*>(in.at(in.k, s, in.shifted ? t - 1 : t))[lane];
  float4 const size = reinterpret_cast<float4 const*>(in.at(plan.size, s, t))[lane];
  float const* const forget = in.at(plan.forget, s, t);
  float4 const forgets = given ? reinterpret_cast<float4 const*>(forget)[lane] : make_float4(*forget, *forget, *forget, *forget);
  float2 const low = unpack(x.x), high = unpack(x.y);
  float const E = sum_over_lanes<1>(low.x * low.x + low.y * low.y + high.x * high.x + high.y * high.y);
  bool const nonzero = __any_sync(0xffffffffu, ((x.x | x.y) & 0x7fff7fffu) != 0);
  float const sizes[4] = {size.x, size.y, size.z, size.w}, each_forget[4] = {forgets.x, forgets.y, forgets.z, forgets.w};
  float eta[4], decay[4];
  unsigned clamped = 0, refused = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    token_step step = detail::step_of(plan.how, sizes[j], each_forget[j], E, [&] { return nonzero; });
    if (none) step.write_nothing();
    eta[j] = step.eta;
    decay[j] = step.gamma;
    clamped |= step.clamped ? 1u << 8 * j : 0u;
    refused |= step.refused;
  }
  index_t const at = static_cast<index_t>(place) * 32 + lane;
  float4 const etas = make_float4(eta[0], eta[1], eta[2], eta[3]);
  reinterpret_cast<float4*>(weight)[at] = etas;
  reinterpret_cast<float4*>(gamma)[at] = make_float4(decay[0], decay[1], decay[2], decay[3]);
  if (plan.to.eta != nullptr) reinterpret_cast<float4*>(plan.to.eta)[at] = etas;
  if (plan.to.clamped != nullptr) reinterpret_cast<unsigned*>(plan.to.clamped)[at] = clamped;
  if (refused != 0 && plan.to.refused != nullptr) atomicOr(plan.to.refused, refused);
}

}  // namespace fwa::device::hopper
