// SPDX-License-Identifier: Apache-2.0
// device/hopper/state.cuh — Sᵀ in the registers of a warpgroup: 64 value columns, 128 features; and blocks of 512 threads, two such
// warpgroups, one that plans for them, and one that fetches and sends.
#pragma once

#include "plan.cuh"
#include "ptx.cuh"

namespace fwa::device::hopper {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

struct state_part {
  float low[32], high[32];      // as wgmma's accumulators hold them: features 0 to 63 and 64 to 127
  std::uint32_t rounded[8][4];  // wgmma's left operand

  /// Row of the first of a thread's value columns; the other is 8 below.
  __device__ static int row() { return static_cast<int>(threadIdx.x) / 32 % 4 * 16 + static_cast<int>(threadIdx.x) % 32 / 4; }
  /// The first of the thread's columns of every 8: tokens, features.
  __device__ static int column() { return 2 * (static_cast<int>(threadIdx.x) & 3); }
  /// Entry i of `low`: value column row() + 8 (i / 2 mod 2), feature 8 (i / 4) + column() + i mod 2.   @param first value column
  __device__ static index_t place(int i, index_t unit, int first) {
    return (unit * width + 8 * (i / 4) + column() + (i & 1)) * width + first + row() + 8 * (i / 2 & 1);
  }

  /// @param from (unit, d, dv), or null: zeros
  __device__ __forceinline__ void load(float const* from, index_t unit, int first) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      low[i] = from != nullptr ? from[place(i, unit, first)] : 0.0f;
      high[i] = from != nullptr ? from[place(i, unit, first) + 64 * width] : 0.0f;
    }
  }
  __device__ __forceinline__ void round() {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        rounded[j][e] = pack(low[8 * j + 2 * e], low[8 * j + 2 * e + 1]);
        rounded[4 + j][e] = pack(high[8 * j + 2 * e], high[8 * j + 2 * e + 1]);
      }
  }
  /// @param lower of the second value column of a thread
  __device__ __forceinline__ void fade(float upper, float lower) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      low[i] *= i / 2 & 1 ? lower : upper;
      high[i] *= i / 2 & 1 ? lower : upper;
    }
  }
  __device__ __forceinline__ void pin_sums() {
    pin(low);
    pin(high);
  }
  /// @param to (unit, d, dv), or null
  __device__ __forceinline__ void leave(float* to, index_t unit, int first) const {
    if (to == nullptr) return;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      to[place(i, unit, first)] = low[i];
      to[place(i, unit, first) + 64 * width] = high[i];
    }
  }
};

template <std::size_t n>
__device__ void signals_init(unsigned long long (&signals)[n], std::uint32_t arrivals) {
  for (unsigned long long& signal : signals) signal_init(shared_address(&signal), arrivals);
}

/// Begins the signals, then gives each of four warpgroups its part and its registers.
/// @param init by one thread   @param aside of the last warpgroup, with the number of the warp   @param plan of the third   @param keep of
/// two
template <int aside_registers, int keep_registers, class Init, class Aside, class Plan, class Keep>
__device__ __forceinline__ void share_out(Init&& init, Aside&& aside, Plan&& plan, Keep&& keep) {
  int const group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    init();
    signals_ready();
  }
  __syncthreads();
  if (group == 3) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(aside_registers));
    aside(threadIdx.x / 32 % 4);
  } else if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 112;");
    plan();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(keep_registers));
    keep();
  }
}

#endif

}  // namespace fwa::device::hopper
