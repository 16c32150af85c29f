// SPDX-License-Identifier: Apache-2.0
// device/hopper/state.cuh — Sᵀ in the registers of a warpgroup: 64 value columns, 128 features.
#pragma once

#include "plan.cuh"
#include "ptx.cuh"

namespace fwa::device::hopper {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

struct state_part {
  float low[32], high[32];      // as wgmma's accumulators hold them: features 0 to 63 and 64 to 127
  std::uint32_t rounded[8][4];  // wgmma's left operand
  /// A thread's first value column, the other is 8 below; and the first of its features, and tokens, of every 8.
  int row, column;

  __device__ state_part(int warp, int lane) : row(16 * warp + lane / 4), column(2 * (lane & 3)) {}

  /// Entry i of `low` is value column `row` + 8 (i / 2 mod 2), feature 8 (i / 4) + `column` + i mod 2.
  /// @param f0 feature 0 or 64   @param first value column of the warpgroup
  __device__ index_t place(int i, int f0, index_t unit, int first) const {
    return (unit * width + f0 + 8 * (i / 4) + column + (i & 1)) * width + first + row + 8 * (i / 2 & 1);
  }
  /// @param from (unit, d, dv), or null: zeros
  __device__ __forceinline__ void load(float const* const& from, index_t const& unit, int const& first) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      low[i] = from != nullptr ? from[place(i, 0, unit, first)] : 0.0f;
      high[i] = from != nullptr ? from[place(i, 64, unit, first)] : 0.0f;
    }
  }
  __device__ __forceinline__ void round() {
    round(low, 0);
    round(high, 4);
  }
  __device__ __forceinline__ void fade(float by) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      low[i] *= by;
      high[i] *= by;
    }
  }
  __device__ __forceinline__ void pin_sums() {
    pin(low);
    pin(high);
  }
  /// @param to (unit, d, dv), or null
  __device__ __forceinline__ void leave(float* const& to, index_t const& unit, int const& first) const {
    if (to != nullptr)
#pragma unroll
      for (int i = 0; i < 32; ++i) {
        to[place(i, 0, unit, first)] = low[i];
        to[place(i, 64, unit, first)] = high[i];
      }
  }

 private:
  __device__ __forceinline__ void round(float const (&half)[32], int to) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) rounded[to + j][e] = pack(half[8 * j + 2 * e], half[8 * j + 2 * e + 1]);
  }
};

#endif

}  // namespace fwa::device::hopper
