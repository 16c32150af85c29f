// SPDX-License-Identifier: Apache-2.0
// device/hopper/scan.cuh — the state of a head from chunk to chunk, and the outputs, from what prepare.cuh left.
//
//   Rᵀ = Uᵀ − Sᵀ Wᵀ      Oᵀ = Sᵀ Qᵀ Diag(P(t,0)) + Rᵀ Nᵀ      Sᵀ ← P(C,0) Sᵀ + Rᵀ Diag(P(C,s) w_s) X
//
// A warpgroup owns 64 value columns and keeps Sᵀ (64, 128) in registers in f32: rounded to bf16, wgmma's accumulators are its left operands,
// so the state never goes through shared memory. One more thread fetches tiles, three chunks ahead.
// Laws: forms_agree.
#pragma once

#include "prepare.cuh"
#include "ptx.cuh"

namespace fwa::device::hopper {

inline constexpr int stages = 3, decay_bytes = decay_count * 4;
inline constexpr int stage_bytes = 7 * tile_bytes;  // W, X, Q: two tiles each; N: one

/// @tparam warpgroups 1: half the value columns a block; 2: all of them
template <int warpgroups>
inline constexpr int scan_bytes = stages * stage_bytes + 2 * warpgroups * tile_bytes + stages * 640 + 128;

struct scan_call {
  sizes n;
  prepared from;
  float const* entry;  // (unit, d, dv) or null
  float* exit;         // likewise
  bool shifted;
};

/// @tparam solves whether the rule predicts; else W = 0
template <int warpgroups, bool solves>
__global__ void __launch_bounds__(128 * warpgroups + 128, 1)
    scan(scan_call const call, CUtensorMap const __grid_constant__ k_map, CUtensorMap const __grid_constant__ q_map,
         CUtensorMap const __grid_constant__ o_map) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char room[];
  constexpr int consumers = 128 * warpgroups;
  std::uint32_t const base = shared_address(room), o_base = base + stages * stage_bytes;
  unsigned char* const decay_room = room + stages * stage_bytes + 2 * warpgroups * tile_bytes;
  std::uint32_t const full = shared_address(decay_room) + stages * 640, empty = full + 8 * stages;
  int const tid = threadIdx.x, group = tid / 128, warp = tid / 32 % 4, lane = tid % 32;
  index_t const chunks = (call.n.time + C - 1) / C, unit = blockIdx.x * warpgroups / 2;
  int const slice = warpgroups == 2 ? group : blockIdx.x % 2;  // 64 value columns
  int const batch = static_cast<int>(unit / call.n.heads), head = static_cast<int>(unit % call.n.heads);
  if (tid == 0) {
    for (int i = 0; i < stages; ++i) {
      signal_init(full + 8 * i, 1);
      signal_init(empty + 8 * i, warpgroups);
    }
    signals_ready();
  }
  __syncthreads();

  if (tid >= consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (tid != consumers) return;
    for (index_t c = 0; c < chunks; ++c) {
      int const stage = static_cast<int>(c % stages);
      std::uint32_t const signal = full + 8 * stage, to = base + stage * stage_bytes;
      if (c >= stages) wait(empty + 8 * stage, static_cast<std::uint32_t>(c / stages - 1) & 1);
      index_t const at = unit * chunks + c;
      int const t = static_cast<int>(c * C);
      expect(signal, (solves ? 7 : 5) * tile_bytes + decay_bytes);
      if (solves) load_bulk(to, call.from.W + at * W_words, 2 * tile_bytes, signal);
      load_tile(to + 2 * tile_bytes, &k_map, 0, head, t - (call.shifted ? 1 : 0), batch, signal);
      load_tile(to + 3 * tile_bytes, &k_map, 64, head, t - (call.shifted ? 1 : 0), batch, signal);
      load_tile(to + 4 * tile_bytes, &q_map, 0, head, t, batch, signal);
      load_tile(to + 5 * tile_bytes, &q_map, 64, head, t, batch, signal);
      load_bulk(to + 6 * tile_bytes, call.from.N + at * N_words, tile_bytes, signal);
      load_bulk(shared_address(decay_room) + stage * 640, call.from.decays + at * decay_count, decay_bytes, signal);
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float low[32], high[32], r[32], o[32];       // Sᵀ: features 0 to 63 and 64 to 127; Rᵀ; Oᵀ
  std::uint32_t state[8][4], left[4][4], weighted[4][4];  // left operands: Sᵀ, Rᵀ, Rᵀ Diag(P(C,s) w_s)
  int const row = 16 * warp + lane / 4, column = 2 * (lane & 3);
  auto pack_state = [&](float const(&half)[32], int to) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) state[to + j][e] = pack(half[8 * j + 2 * e], half[8 * j + 2 * e + 1]);
  };
  /// Features f of Sᵀ: entry i of `low` is row `row` + 8 (i / 2 mod 2), feature 8 (i / 4) + column + i mod 2.
  auto place = [&](int i, int f0) {
    return (unit * width + f0 + 8 * (i / 4) + column + (i & 1)) * width + 64 * slice + row + 8 * (i / 2 & 1);
  };
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    low[i] = call.entry != nullptr ? call.entry[place(i, 0)] : 0.0f;
    high[i] = call.entry != nullptr ? call.entry[place(i, 64)] : 0.0f;
    o[i] = 0.0f;
  }
  pack_state(low, 0);
  pack_state(high, 4);

  auto const* const U = reinterpret_cast<uint4 const*>(call.from.U) + (unit * chunks * 2 + slice) * 512 + (tid % 128) * 4;
  uint4 next[4];
  if (chunks > 0)
#pragma unroll
    for (int i = 0; i < 4; ++i) next[i] = U[i];
  for (index_t c = 0; c < chunks; ++c) {
    int const stage = static_cast<int>(c % stages);
    std::uint32_t const here = base + stage * stage_bytes, o_tile = o_base + (2 * group + static_cast<int>(c & 1)) * tile_bytes;
    float const* const decays = reinterpret_cast<float const*>(decay_room + stage * 640);
    std::uint64_t const W = descriptor(here, 16, 1024), X = descriptor(here + 2 * tile_bytes, tile_bytes, 1024),
                        Q = descriptor(here + 4 * tile_bytes, 16, 1024), N = descriptor(here + 6 * tile_bytes, 16, 1024);
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
    if (c + 1 < chunks)
#pragma unroll
      for (int i = 0; i < 4; ++i) next[i] = U[(c + 1) * 1024 + i];
    wait(full + 8 * stage, static_cast<std::uint32_t>(c / stages) & 1);
    float const gamma = decays[2 * C];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      low[i] *= gamma;
      high[i] *= gamma;
    }

    pin(r);
    pin(o);
    pin(state);
    wgmma_fence();
    if constexpr (solves) {
#pragma unroll
      for (int j = 0; j < 8; ++j) multiply<0>(r, state[j], W + (((j >> 2) * tile_bytes + (j & 3) * 32) >> 4), 1);
    }
    wgmma_commit();
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply<0>(o, state[j], Q + (((j >> 2) * tile_bytes + (j & 3) * 32) >> 4), j > 0);
    wgmma_commit();
    wgmma_wait<1>();
    pin(r);
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
    pin(low);
    pin(high);
    wgmma_fence();
#pragma unroll
    for (int j = 0; j < 4; ++j) multiply<1>(low, weighted[j], X + 128 * j, 1);
#pragma unroll
    for (int j = 0; j < 4; ++j) multiply<1>(high, weighted[j], X + tile_bytes / 16 + 128 * j, 1);
    wgmma_commit();
    wgmma_wait<1>();
    pin(o);
    pin(state);
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
    pin(low);
    pin(high);
    pin(weighted);
    pack_state(low, 0);
    pack_state(high, 4);
    wgmma_wait<0>();
    pin(o);
    pin(left);
    if (tid % 128 == 0) wait_for_reads<1>();  // the tile of two chunks ago has been stored
    barrier(1 + group, 128);
    if (tid % 128 == 0) arrive(empty + 8 * stage);
    std::uint32_t const to = o_tile + swizzled((lane >> 4) * 8 + (lane & 7), 2 * warp + (lane >> 3 & 1));
#pragma unroll
    for (int h = 0; h < 4; ++h)
      store_transposed(to + h * 2048, pack(o[8 * h], o[8 * h + 1]), pack(o[8 * h + 2], o[8 * h + 3]), pack(o[8 * h + 4], o[8 * h + 5]),
                       pack(o[8 * h + 6], o[8 * h + 7]));
    fence_async();
    barrier(1 + group, 128);
    if (tid % 128 == 0) {
      store_tile(&o_map, 64 * slice, head, static_cast<int>(c * C), batch, o_tile);
      commit_stores();
    }
  }
  if (call.exit != nullptr)
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      call.exit[place(i, 0)] = low[i];
      call.exit[place(i, 64)] = high[i];
    }
  if (tid % 128 == 0) wait_for_stores();
#endif
}

}  // namespace fwa::device::hopper
