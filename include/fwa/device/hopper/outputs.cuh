// SPDX-License-Identifier: Apache-2.0
// device/hopper/outputs.cuh — outputs of a chunk from the registers of a warpgroup to memory: 64 tokens, 64 value columns.
//
// The warpgroup leaves them in one of two tiles, a warp of their own sends that off with the copy engine. Named barriers 1 to 4 and,
// of a second group, 5 to 8: two that say that a tile is full, two that it is free.
#pragma once

#include "ptx.cuh"

namespace fwa::device::hopper {

inline constexpr int outputs_ready = 1, outputs_free = 3;

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/// @param outputs Oᵀ as wgmma's accumulators hold it, two tokens a word   @param c number of the chunk   @param tiles two of the group's
/// own
__device__ __forceinline__ void leave_outputs(std::uint32_t const (&outputs)[16], unsigned c, int group, std::uint32_t tiles) {
  int const warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, buffer = static_cast<int>(c & 1);
  std::uint32_t const to = tiles + buffer * tile_bytes + swizzled((lane >> 4) * 8 + (lane & 7), 2 * warp + (lane >> 3 & 1));
  if (c >= 2) barrier(outputs_free + 4 * group + buffer, 160);
#pragma unroll
  for (int h = 0; h < 4; ++h) store_transposed(to + h * 2048, outputs[4 * h], outputs[4 * h + 1], outputs[4 * h + 2], outputs[4 * h + 3]);
  fence_async();
  barrier_arrive(outputs_ready + 4 * group + buffer, 160);
}

/// A warp: what a group leaves of `count` chunks, the first of them `first`.   @param column the group's first value column
__device__ __forceinline__ void send_outputs(CUtensorMap const* map, unsigned first, unsigned count, int group, std::uint32_t tiles,
                                             int column, int head, int batch) {
  bool const sends = threadIdx.x % 32 == 0;
  for (unsigned c = 0; c < count; ++c) {
    int const buffer = static_cast<int>(c & 1);
    barrier(outputs_ready + 4 * group + buffer, 160);
    if (sends) {
      store_tile(map, column, head, static_cast<int>((first + c) * 64), batch, tiles + buffer * tile_bytes);
      commit_stores();
      wait_for_reads<0>();
    }
    __syncwarp();
    if (c + 2 < count) barrier_arrive(outputs_free + 4 * group + buffer, 160);
  }
  if (sends) wait_for_stores();
}

#endif

}  // namespace fwa::device::hopper
