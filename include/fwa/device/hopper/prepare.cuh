// SPDX-License-Identifier: Apache-2.0
// device/hopper/prepare.cuh — what a chunk of 64 tokens of bf16 knows before its entry state comes.
//
//   A_{t,s} = ρ_t P(t−1,s) w_s ⟨x_t,x_s⟩, s < t      T = (I + A)⁻¹      W = T Diag(ρ P(t−1,0)) X      U = T Y
//   R = U − W S_0      N_{t,s} = P(t,s) w_s ⟨q_t,x_s⟩      O = P(·,0) Q S_0 + N R      S = P(C,0) S_0 + Xᵀ Diag(P(C,s) w_s) R
//
// T: blocks of 16 by substitution in f32, the blocks below them by products of 11-bit factors; T, W, U and N are then rounded to bf16, a
// bounded matter, since the entries of T are (form/triangular.hpp). 256 threads a chunk; chunks do not wait for each other.
// Laws: forms_agree, step_bounds.
#pragma once

#include "plan.cuh"
#include "ptx.cuh"

namespace fwa::device::hopper {

/// What prepare leaves for scan, one entry a chunk of a unit.
struct prepared {
  std::uint32_t* W;  // −W: two tiles of 64 × 64
  std::uint32_t* U;  // [column half][16 tokens, 4 times][thread 128][4]: Uᵀ as wgmma's accumulators hold it, two tokens a word
  std::uint32_t* N;  // one tile
  unsigned* ready;   // whether the rest is there; or null, and the grid ends first
  float* decays;     // [64] what is left of S_0 for o_t, [64] P(C,s) w_s, [4] P(C,0) and padding
};
inline constexpr int W_words = 4096, U_words = 4096, N_words = 2048, decay_count = 132;

struct prepare_call {
  view_t in;
  plan_call plan;
  prepared out;
  bool early;
  int shared, leaving;  // chunks of a unit that all blocks prepare; the first blocks leave after those
};

inline constexpr int stride = 68;  // of (64, 64) in f32
template <int groups>
inline constexpr int prepare_bytes = groups*(4 * tile_bytes + 2 * C * stride * 4);

/// What the warps of a group tell each other.
struct prepare_room {
  alignas(16) float energy[C], weight[C], gamma[C], upto[C], after[C], whole[4];  // products within blocks of 16 tokens
  float left[C + 1];
  alignas(16) int4 here;  // batch, head, first token, place among all chunks: registers are short
  unsigned long long keys, others;
};

/// @tparam groups of 256 threads, a chunk each at a time: 1, several blocks a processor, or 3
template <int groups>
__global__ void __launch_bounds__(256 * groups, groups == 1 ? 3 : 1)
    prepare(prepare_call const call, CUtensorMap const __grid_constant__ k_map, CUtensorMap const __grid_constant__ q_map,
            CUtensorMap const __grid_constant__ v_map) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ prepare_room rooms[groups];
  int const group = groups == 1 ? 0 : threadIdx.x / 256;
  auto& [energy, weight, gamma, upto, after, whole, left, here, keys, others] = rooms[group];
  unsigned char* const x_tile = tiles + group * prepare_bytes<1>;
  float* const M = reinterpret_cast<float*>(x_tile + 4 * tile_bytes);               // (64, stride) P(t,s) w_s; then T
  float* const A = M + C * stride;                                                  // (64, stride); then T in bf16, twice
  std::uint32_t const x_at = shared_address(x_tile), q_at = x_at + 2 * tile_bytes;  // queries, then values
  std::uint32_t const keys_here = shared_address(&keys), others_here = shared_address(&others);
  int const tid = threadIdx.x % 256, warp = tid / 32, lane = tid % 32, mi = lane >> 3, li = lane & 7;
  auto const& in = call.in;
  auto together = [&] { barrier(group, 256); };
  // 32 bits: divisions of 64 cost as much as a phase
  int const units = static_cast<int>(in.n.units()), heads = static_cast<int>(in.n.heads),
            chunks = static_cast<int>((in.n.time + C - 1) / C), items = chunks * units, blocks = static_cast<int>(gridDim.x),
            block = static_cast<int>(blockIdx.x);
  auto next_of = [&](int item) {  // chunks that are read first are prepared first
    if (groups == 1) return items;
    int const staying = blocks - call.leaving, all = call.shared * units;
    if (item >= all) return item + groups * staying;
    if (item += groups * blocks; item < all) return item;
    return block < call.leaving ? items : all + group * staying + block - call.leaving;
  };
  auto fetch = [&](std::uint32_t to, CUtensorMap const* map, int batch, int head, int time, std::uint32_t signal) {
    expect(signal, 2 * tile_bytes);
    for (int half = 0; half < 2; ++half) load_tile(to + half * tile_bytes, map, 64 * half, head, time, batch, signal);
  };
  auto fetch_queries = [&](int item) { fetch(q_at, &q_map, item % units / heads, item % heads, item / units * C, others_here); };
  auto fetch_keys = [&](int item) {
    fetch(x_at, &k_map, item % units / heads, item % heads, item / units * C - (in.shifted ? 1 : 0), keys_here);
  };
  int item = groups == 1 ? block : next_of((group - groups) * blocks + block);
  if (tid == 0) {
    signal_init(keys_here, 1);
    signal_init(others_here, 1);
    signals_ready();
    if (item < items) {
      fetch_keys(item);
      fetch_queries(item);
    }
  }
  __syncthreads();
  release_next_grid();
  for (unsigned parity = 0; item < items; item = next_of(item), parity ^= 1) {
    {
      int const unit = item % units, chunk = item / units;
      if (tid == 0) here = make_int4(unit / heads, unit % heads, chunk * C, unit * chunks + chunk);
      unit_span const s = in.span(unit / heads, unit % heads);
      if (index_t const t = static_cast<index_t>(chunk) * C + tid; tid < C && t < s.count) {
        copy_4(shared_address(weight + tid), in.at(call.plan.size, s, t));
        copy_4(shared_address(gamma + tid), in.at(call.plan.forget, s, t));
      }
    }

    // X Xᵀ by warps 0 to 3, Q Xᵀ by warps 4 to 7, 16 rows each
    int const rows16 = 16 * (warp & 3);
    bool const scores = warp >= 4;
    float c[8][4] = {};
    wait(keys_here, parity);
    if (scores) wait(others_here, 0);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      std::uint32_t a[4];
      load_matrices((scores ? q_at : x_at) + (k >> 2) * tile_bytes + swizzled(rows16 + (mi & 1) * 8 + li, (k & 3) * 2 + (mi >> 1)), a);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        if (16 * n > rows16) break;
        std::uint32_t b[4];
        load_matrices(x_at + (k >> 2) * tile_bytes + swizzled(16 * n + (mi >> 1) * 8 + li, (k & 3) * 2 + (mi & 1)), b);
        multiply(c[2 * n], a, b[0], b[1]);
        multiply(c[2 * n + 1], a, b[2], b[3]);
      }
    }
    if (!scores)
#pragma unroll
      for (int n = 0; n < 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (int const t = rows16 + lane / 4 + 8 * (e / 2); 8 * n + 2 * (lane & 3) + e % 2 == t) energy[t] = c[n][e];
    together();
    if (tid == 255) fetch(q_at, &v_map, here.x, here.y, here.z, others_here);  // a thread that does not plan

    if (tid < C) {
      token_step step;
      unit_span const s = in.span(here.x, here.y);
      if (index_t const t = static_cast<index_t>(here.z) + tid; t < s.count) {
        wait_for_copies();
        step = detail::step_of(call.plan.how, weight[tid], gamma[tid], energy[tid], [&] { return row_is_nonzero(x_tile, tid); });
        if (t == 0 && in.sentinel(s)) step.write_nothing();
        keep(call.plan.to, in.place(s, t), step);
      }
      weight[tid] = step.eta;
      gamma[tid] = step.gamma;
      float before = step.gamma, behind = step.gamma;
#pragma unroll
      for (int d = 1; d < 16; d *= 2) {
        float const b = __shfl_up_sync(0xffffffffu, before, d, 16), a = __shfl_down_sync(0xffffffffu, behind, d, 16);
        if (lane % 16 >= d) before *= b;
        if (lane % 16 + d < 16) behind *= a;
      }
      float const next = __shfl_down_sync(0xffffffffu, behind, 1, 16);
      upto[tid] = before;
      after[tid] = lane % 16 == 15 ? 1.0f : next;
      if (lane % 16 == 15) whole[tid / 16] = before;
    }
    together();
    {  // P(t,s) w_s for 16 tokens t of a column s
      int const column = tid % C, begin = tid / C * 16, block = column / 16;
      float m = weight[column];
      float* to = M + begin * stride + column;
      float4 const blocks_whole = *reinterpret_cast<float4 const*>(whole);
      bool const below = begin > column;
      if (below) {
        m *= after[column];
        if (block < 1 && begin > 16) m *= blocks_whole.y;
        if (block < 2 && begin > 32) m *= blocks_whole.z;
      }
      float const* const decay = (below ? upto : gamma) + begin;
#pragma unroll
      for (int r = 0; r < 16; r += 4) {
        float4 const four = *reinterpret_cast<float4 const*>(decay + r);
        float const by[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          int const over = begin + r + i - column;
          float const product = over > 0 ? m * by[i] : m;
          if (!below) m = product;
          to[(r + i) * stride] = over < 0 ? 0.0f : product;
        }
      }
      if (begin == 48) {  // left[t] = P(t−1, 0)
        float p = upto[column];
        if (block > 0) p *= blocks_whole.x;
        if (block > 1) p *= blocks_whole.y;
        if (block > 2) p *= blocks_whole.z;
        left[column + 1] = p;
        if (column == 0) left[0] = 1;
      }
    }
    together();
    if (tid < C) {
      float* const decays = call.out.decays + index_t(here.w) * decay_count;
      decays[tid] = left[call.early ? tid : tid + 1];
      decays[C + tid] = M[(C - 1) * stride + tid];
      if (tid < 4) decays[2 * C + tid] = left[C];
    }
    // What lies above the diagonal meets zeros of M.
    int const g = lane / 4, h = lane % 4;
    float const* const weights = M + (rows16 + g) * stride + 2 * h;
    if (scores) {
      std::uint32_t* const N = call.out.N + index_t(here.w) * N_words + (rows16 + g) * 32 + h;
      float const* const now = call.early ? weights - stride : weights;
      bool const none = call.early && rows16 + g == 0;  // nothing was written before the first token
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        float2 const m = none ? make_float2(0, 0) : *reinterpret_cast<float2 const*>(now + 8 * n);
        float2 const below = *reinterpret_cast<float2 const*>(now + 8 * stride + 8 * n);
        N[(n ^ g) * 4] = pack(m.x * c[n][0], m.y * c[n][1]);
        N[(n ^ g) * 4 + 256] = pack(below.x * c[n][2], below.y * c[n][3]);
      }
    } else {
      bool const fading = call.plan.how.rho == residual::gamma, none = rows16 + g == 0;
      float const factor = fading ? gamma[rows16 + g] : 1.0f, factor_below = fading ? gamma[rows16 + g + 8] : 1.0f;
      float* const to = A + (rows16 + g) * stride + 2 * h;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        if (8 * n > rows16 + 8) break;
        float2 const m = none ? make_float2(0, 0) : *reinterpret_cast<float2 const*>(weights - stride + 8 * n);
        float2 const below = *reinterpret_cast<float2 const*>(weights + 7 * stride + 8 * n);
        *reinterpret_cast<float2*>(to + 8 * n) = make_float2(m.x * c[n][0] * factor, m.y * c[n][1] * factor);
        *reinterpret_cast<float2*>(to + 8 * stride + 8 * n) =
            make_float2(below.x * c[n][2] * factor_below, below.y * c[n][3] * factor_below);
      }
    }
    together();

    std::uint32_t* const U =
        call.out.U + index_t(here.w) * U_words + (warp >> 2) * 2048 + ((warp & 3) * 32 + lane) * 4;  // 16 value columns a warp
    auto values = [&](int k, std::uint32_t(&a)[4]) {                                                 // 16 tokens of Yᵀ
      load_transposed(q_at + (warp >> 2) * tile_bytes + swizzled(16 * k + (mi >> 1) * 8 + li, 2 * (warp & 3) + (mi & 1)), a);
    };
    float* const T = M;
    if (tid < C) {  // a column of the inverse of a diagonal block
      int const block = tid / 16 * 16, column = tid % 16;
      float r[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) r[i] = i == column ? 1.0f : 0.0f;
      float const* const a = A + block * stride + block;
#pragma unroll
      for (int f = 0; f < 15; ++f)  // later rows do not wait for each other
#pragma unroll
        for (int i = f + 1; i < 16; ++i) r[i] -= a[i * stride + f] * r[f];
#pragma unroll
      for (int i = 0; i < 16; ++i) T[(block + i) * stride + block + column] = r[i];
    }
    together();
    // The block below two inverses T_0, T_1 is −T_1 A_10 T_0: first of 16 rows, then of 32; a tile of 16 × 8 a warp.
    auto add = [&](float(&sum)[4], float const* left_rows, float const* right_rows, int n) {
#pragma unroll
      for (int m = 0; m < n; m += 8) {
        float const* const l = left_rows + g * stride + m + h;
        float const* const r = right_rows + (m + h) * stride + g;
        std::uint32_t const a[4] = {round_tf32(l[0]), round_tf32(l[8 * stride]), round_tf32(l[4]), round_tf32(l[8 * stride + 4])};
        multiply_tf32(sum, a, round_tf32(r[0]), round_tf32(r[4 * stride]));
      }
    };
    auto put = [&](float const(&sum)[4], int row, int column, float sign) {
      float2* const to = reinterpret_cast<float2*>(T + (row + g) * stride + column + 2 * h);
      to[0] = make_float2(sign * sum[0], sign * sum[1]);
      to[4 * stride] = make_float2(sign * sum[2], sign * sum[3]);
    };
    if (warp < 4) {
      int const corner = 32 * (warp >> 1), row = corner + 16, column = corner + 8 * (warp & 1);
      float sum[4] = {}, product[4] = {};
      add(sum, A + row * stride + corner, T + corner * stride + column, 16);
      put(sum, row, column, 1);
      __syncwarp();
      add(product, T + row * stride + row, T + row * stride + column, 16);
      __syncwarp();
      put(product, row, column, -1);
    }
    together();
    {
      int const row = 32 + 16 * (warp >> 2), column = 8 * (warp & 3);
      float sum[4] = {}, product[4] = {};
      add(sum, A + row * stride, T + column, 32);
      put(sum, row, column, 1);
      together();
      add(product, T + row * stride + 32, T + 32 * stride + column, 32);
      together();
      put(product, row, column, -1);
    }
    together();
    unsigned char* const plain = reinterpret_cast<unsigned char*>(A);  // T
    unsigned char* const fading = plain + tile_bytes;                  // −T Diag(ρ P(t−1,0))
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int const t = tid / 8 + 32 * i, part = tid % 8;
      std::uint32_t words[8];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        int const column = 8 * part + 2 * e, shift = call.plan.how.rho == residual::gamma ? 1 : 0;
        float2 const two = *reinterpret_cast<float2 const*>(T + t * stride + column);
        words[e] = pack(two.x, two.y);  // above the diagonal are zeros of M
        words[4 + e] = pack(-two.x * left[column + shift], -two.y * left[column + 1 + shift]);
      }
      *reinterpret_cast<uint4*>(plain + swizzled(t, part)) = make_uint4(words[0], words[1], words[2], words[3]);
      *reinterpret_cast<uint4*>(fading + swizzled(t, part)) = make_uint4(words[4], words[5], words[6], words[7]);
    }
    together();
    std::uint32_t const plain_at = shared_address(plain), fading_at = plain_at + tile_bytes;
    float w[8][4] = {};  // −W, 16 rows and half the columns a warp
    int const half = warp >> 2;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (16 * k > rows16) continue;
      std::uint32_t a[4];
      load_matrices(fading_at + swizzled(rows16 + (mi & 1) * 8 + li, 2 * k + (mi >> 1)), a);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        std::uint32_t b[4];
        load_transposed(x_at + half * tile_bytes + swizzled(16 * k + (mi & 1) * 8 + li, 2 * n + (mi >> 1)), b);
        multiply(w[2 * n], a, b[0], b[1]);
        multiply(w[2 * n + 1], a, b[2], b[3]);
      }
    }
    together();  // keys have been read: W goes through their room
#pragma unroll
    for (int n = 0; n < 4; ++n)
      store_matrices(x_at + half * tile_bytes + swizzled(rows16 + (mi & 1) * 8 + li, 2 * n + (mi >> 1)), pack(w[2 * n][0], w[2 * n][1]),
                     pack(w[2 * n][2], w[2 * n][3]), pack(w[2 * n + 1][0], w[2 * n + 1][1]), pack(w[2 * n + 1][2], w[2 * n + 1][3]));
    fence_async();
    {  // Uᵀ = Yᵀ Tᵀ, 16 value columns a warp
      float u[8][4] = {};
      wait(others_here, 1);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        std::uint32_t a[4];
        values(k, a);
#pragma unroll
        for (int n = k; n < 4; ++n) {
          std::uint32_t b[4];
          load_matrices(plain_at + swizzled(16 * n + (mi >> 1) * 8 + li, 2 * k + (mi & 1)), b);
          multiply(u[2 * n], a, b[0], b[1]);
          multiply(u[2 * n + 1], a, b[2], b[3]);
        }
      }
#pragma unroll
      for (int n = 0; n < 4; ++n)
        *reinterpret_cast<uint4*>(U + 512 * n) = make_uint4(pack(u[2 * n][0], u[2 * n][1]), pack(u[2 * n][2], u[2 * n][3]),
                                                            pack(u[2 * n + 1][0], u[2 * n + 1][1]), pack(u[2 * n + 1][2], u[2 * n + 1][3]));
    }
    together();
    if (tid == 0) {
      int const next = next_of(item);
      if (next < items) fetch_queries(next);
      store_bulk(call.out.W + index_t(here.w) * W_words, x_at, 2 * tile_bytes);
      commit_stores();
      wait_for_reads<0>();
      if (next < items) fetch_keys(next);
      if (call.out.ready != nullptr || next >= items) wait_for_stores();
      if (call.out.ready != nullptr) set_flag(call.out.ready + here.w);
    }
  }
#endif
}

}  // namespace fwa::device::hopper
