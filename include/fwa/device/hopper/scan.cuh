// SPDX-License-Identifier: Apache-2.0
// device/hopper/scan.cuh — the state of a head from chunk to chunk, and the outputs, from what prepare.cuh left.
//
//   Rᵀ = Uᵀ − Sᵀ Wᵀ      Oᵀ = Sᵀ Qᵀ Diag(P(t,0)) + Rᵀ Nᵀ      Sᵀ ← P(C,0) Sᵀ + Rᵀ Diag(P(C,s) w_s) X
//
// A warpgroup owns 64 value columns and keeps Sᵀ (64, 128) in registers in f32: rounded to bf16, wgmma's accumulators are its left
// operands, so the state never goes through shared memory. A further warp fetches tiles, three chunks ahead, and further warps store
// outputs. Laws: forms_agree.
#pragma once

#include "outputs.cuh"
#include "prepare.cuh"
#include "ptx.cuh"
#include "state.cuh"

namespace fwa::device::hopper {

inline constexpr int stages = 3, decay_bytes = decay_count * 4;
/// W, X, Q: two tiles each; N: one; U of a lone warpgroup: one. Two warpgroups load theirs themselves: there are enough to wait for it.
template <int warpgroups>
inline constexpr int stage_bytes = (warpgroups == 1 ? 8 : 7) * tile_bytes;

/// @tparam warpgroups 1: half the value columns a block; 2: all of them
template <int warpgroups>
inline constexpr int scan_bytes = stages* stage_bytes<warpgroups> + 2 * warpgroups* tile_bytes + stages * 640 + 128;

struct scan_call {
  sizes n;
  prepared from;
  float const* entry;  // (unit, d, dv) or null
  float* exit;         // likewise
  bool shifted;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/// A warp: tiles of all chunks of a unit into the stages, as they become free.   @param slice of U
template <int warpgroups>
__device__ void fetch_chunks(scan_call const& call, CUtensorMap const& k_map, CUtensorMap const& q_map, std::uint32_t base,
                             std::uint32_t decay_at, std::uint32_t full, std::uint32_t empty, index_t unit, index_t chunks, int batch,
                             int head, int slice) {
  int const lane = threadIdx.x % 32;
  index_t there = call.from.ready == nullptr ? chunks : 0;  // chunks that are known to be prepared
  for (index_t c = 0; c < chunks; ++c) {
    while (there <= c) {  // many are asked for at once: the fence takes as long as a load
      unsigned const more = __ballot_sync(0xffffffffu, there + lane < chunks && is_set(call.from.ready + unit * chunks + there + lane));
      there += more == 0xffffffffu ? 32 : __ffs(~more) - 1;
      if (there > c) fence_async_all();
    }
    if (lane > 0) continue;
    int const stage = static_cast<int>(c % stages);
    std::uint32_t const signal = full + 8 * stage, to = base + stage * stage_bytes<warpgroups>;
    auto wait_empty = [&](int part) {
      if (c >= stages) wait(empty + 8 * (part * stages + stage), static_cast<std::uint32_t>(c / stages - 1) & 1);
    };
    index_t const at = unit * chunks + c;
    int const t = static_cast<int>(c * C);
    wait_empty(0);
    expect(signal, (7 + (warpgroups == 1 ? 1 : 0)) * tile_bytes + decay_bytes);
    load_bulk(to, call.from.W + at * W_words, 2 * tile_bytes, signal);
    if (warpgroups == 1) load_bulk(to + 7 * tile_bytes, call.from.U + at * U_words + slice * (U_words / 2), tile_bytes, signal);
    wait_empty(1);
    load_tile(to + 4 * tile_bytes, &q_map, 0, head, t, batch, signal);
    load_tile(to + 5 * tile_bytes, &q_map, 64, head, t, batch, signal);
    wait_empty(2);
    load_tile(to + 2 * tile_bytes, &k_map, 0, head, t - (call.shifted ? 1 : 0), batch, signal);
    load_tile(to + 3 * tile_bytes, &k_map, 64, head, t - (call.shifted ? 1 : 0), batch, signal);
    load_bulk(to + 6 * tile_bytes, call.from.N + at * N_words, tile_bytes, signal);
    load_bulk(decay_at + stage * 640, call.from.decays + at * decay_count, decay_bytes, signal);
  }
}
#endif

template <int warpgroups>
__global__ void __launch_bounds__(128 * warpgroups + 128, 1)
    scan(scan_call const call, CUtensorMap const __grid_constant__ k_map, CUtensorMap const __grid_constant__ q_map,
         CUtensorMap const __grid_constant__ o_map) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char room[];
  constexpr int consumers = 128 * warpgroups;
  std::uint32_t const base = shared_address(room), o_base = base + stages * stage_bytes<warpgroups>;
  unsigned char* const decay_room = room + stages * stage_bytes<warpgroups> + 2 * warpgroups * tile_bytes;
  std::uint32_t const full = shared_address(decay_room) + stages * 640, empty = full + 8 * stages;
  int const tid = threadIdx.x, group = tid / 128;
  index_t const chunks = (call.n.time + C - 1) / C, count = chunks, unit = blockIdx.x * warpgroups / 2;
  int const slice = warpgroups == 2 ? group : blockIdx.x % 2;  // 64 value columns
  int const batch = static_cast<int>(unit / call.n.heads), head = static_cast<int>(unit % call.n.heads);
  if (call.from.ready == nullptr) wait_for_earlier_grid();
  if (tid == 0) {
    for (int i = 0; i < stages; ++i) {
      signal_init(full + 8 * i, 1);
      for (int part = 0; part < 3; ++part) signal_init(empty + 8 * (part * stages + i), consumers);
    }
    signals_ready();
  }
  __syncthreads();

  if (tid >= consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (tid < consumers + 32) {
      fetch_chunks<warpgroups>(call, k_map, q_map, base, shared_address(decay_room), full, empty, unit, chunks, batch, head, slice);
      wait_for_earlier_grid();  // so that what follows this grid follows that one too
    }
    if (int const of = tid / 32 - consumers / 32 - 1; of >= 0 && of < warpgroups)
      send_outputs(&o_map, 0, static_cast<unsigned>(count), of, o_base + 2 * of * tile_bytes, 64 * (warpgroups == 2 ? of : slice), head,
                   batch);
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  state_part S(tid / 32 % 4, tid % 32);
  float r[32], o[32] = {};                   // Rᵀ; Oᵀ
  std::uint32_t left[4][4], weighted[4][4];  // left operands: Rᵀ, Rᵀ Diag(P(C,s) w_s)
  int const column = S.column;
  S.load(call.entry, unit, 64 * slice);
  S.round();
  auto const* const U = reinterpret_cast<uint4 const*>(call.from.U) + (unit * chunks * 2 + slice) * 512 + tid % 128;
  std::uint32_t outputs[16];  // of the chunk before, rounded; stored while the products of this one run
  uint4 next[4];
  auto prefetch = [&](index_t c) {
    if constexpr (warpgroups == 2)
#pragma unroll
      for (int i = 0; i < 4; ++i) next[i] = U[c * 1024 + 128 * i];
  };
  /// Waits for a chunk, and begins it: Rᵀ = Uᵀ, Sᵀ fades.
  auto begin = [&](index_t c) {
    int const stage = static_cast<int>(c % stages);
    wait(full + 8 * stage, static_cast<std::uint32_t>(c / stages) & 1);
    float const gamma = reinterpret_cast<float const*>(decay_room + stage * 640)[2 * C];
    if constexpr (warpgroups == 1)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        next[i] = *reinterpret_cast<uint4 const*>(room + stage * stage_bytes<warpgroups> + 7 * tile_bytes + (128 * i + tid) * 16);
    S.fade(gamma);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      std::uint32_t const words[4] = {next[i].x, next[i].y, next[i].z, next[i].w};
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float2 const two = unpack(words[e]);
        r[8 * i + 2 * e] = two.x;
        r[8 * i + 2 * e + 1] = two.y;
      }
    }
  };
  auto store_outputs = [&](index_t c) { leave_outputs(outputs, static_cast<unsigned>(c), group, o_base + 2 * group * tile_bytes); };
  if (count > 0) {
    prefetch(0);
    begin(0);
  }
  for (index_t c = 0; c < count; ++c) {
    int const stage = static_cast<int>(c % stages);
    std::uint32_t const here = base + stage * stage_bytes<warpgroups>;
    float const* const decays = reinterpret_cast<float const*>(decay_room + stage * 640);
    std::uint64_t const W = descriptor(here, 16, 1024), X = descriptor(here + 2 * tile_bytes, tile_bytes, 1024),
                        Q = descriptor(here + 4 * tile_bytes, 16, 1024), N = descriptor(here + 6 * tile_bytes, 16, 1024);

    pin(r);
    pin(o);
    pin(S.rounded);
    wgmma_fence();
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply<0>(r, S.rounded[j], W + (((j >> 2) * tile_bytes + (j & 3) * 32) >> 4), 1);
    wgmma_commit();
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply<0>(o, S.rounded[j], Q + (((j >> 2) * tile_bytes + (j & 3) * 32) >> 4), j > 0);
    wgmma_commit();
    if (c > 0) store_outputs(c - 1);
    if (c + 1 < count) prefetch(c + 1);  // after the fence, which waits for all loads before it
    wgmma_wait<1>();
    pin(r);
    arrive(empty + 8 * stage);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float2 const w = *reinterpret_cast<float2 const*>(decays + C + 8 * j + column);
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        left[j / 2][2 * (j & 1) + e] = pack(r[4 * j + 2 * e], r[4 * j + 2 * e + 1]);
        weighted[j / 2][2 * (j & 1) + e] = pack(w.x * r[4 * j + 2 * e], w.y * r[4 * j + 2 * e + 1]);
      }
    }
    pin(weighted);
    S.pin_sums();
    wgmma_fence();
#pragma unroll
    for (int j = 0; j < 4; ++j) multiply<1>(S.low, weighted[j], X + 128 * j, 1);
#pragma unroll
    for (int j = 0; j < 4; ++j) multiply<1>(S.high, weighted[j], X + tile_bytes / 16 + 128 * j, 1);
    wgmma_commit();
    wgmma_wait<1>();
    pin(o);
    pin(S.rounded);
    arrive(empty + 8 * (stages + stage));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float2 const p = *reinterpret_cast<float2 const*>(decays + 8 * j + column);
      o[4 * j] *= p.x;
      o[4 * j + 1] *= p.y;
      o[4 * j + 2] *= p.x;
      o[4 * j + 3] *= p.y;
    }
    pin(o);
    pin(left);
    wgmma_fence();
#pragma unroll
    for (int j = 0; j < 4; ++j) multiply<0>(o, left[j], N + 2 * j, 1);
    wgmma_commit();
    wgmma_wait<1>();
    S.pin_sums();
    pin(weighted);
    S.round();
    if (c + 1 < count) begin(c + 1);
    wgmma_wait<0>();
    pin(o);
    pin(left);
#pragma unroll
    for (int i = 0; i < 16; ++i) outputs[i] = pack(o[2 * i], o[2 * i + 1]);
    arrive(empty + 8 * (2 * stages + stage));
  }
  if (count > 0) store_outputs(count - 1);
  S.leave(call.exit, unit, 64 * slice);
#endif
}

}  // namespace fwa::device::hopper
