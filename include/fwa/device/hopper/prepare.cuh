// SPDX-License-Identifier: Apache-2.0
// device/hopper/prepare.cuh — what a chunk of 64 tokens of bf16 knows before its entry state comes.
//
//   A_{t,s} = ρ_t P(t−1,s) w_s ⟨x_t,x_s⟩, s < t      T = (I + A)⁻¹      W = T Diag(ρ P(t−1,0)) X      U = T Y
//   R = U − W S_0      N_{t,s} = P(t,s) w_s ⟨q_t,x_s⟩      O = P(·,0) Q S_0 + N R      S = P(C,0) S_0 + Xᵀ Diag(P(C,s) w_s) R
//
// T: blocks of 16 by substitution, the blocks below them by products, all in f32; T, W, U and N are then rounded to bf16, a bounded
// matter, since the entries of T are (form/triangular.hpp). A block of 256 threads a chunk; chunks do not wait for each other.
// Laws: forms_agree, step_bounds.
#pragma once

#include "../../step/gain.hpp"
#include "../plan.cuh"
#include "ptx.cuh"

#include <limits>

namespace fwa::device::hopper {

inline constexpr int C = 64, width = 128;

/// What prepare leaves for scan, one entry a chunk of a unit.
struct prepared {
  std::uint32_t* W;   // (128 tokens' worth of tiles) −W: two tiles of 64 × 64
  std::uint32_t* U;   // [column half][thread 128][16]: Uᵀ as wgmma's accumulators hold it, two tokens a word
  std::uint32_t* N;   // one tile
  float* decays;      // [64] what is left of S_0 for o_t, [64] P(C,s) w_s, [4] P(C,0) and padding
};
inline constexpr int W_words = 4096, U_words = 4096, N_words = 2048, decay_count = 132;

struct prepare_call {
  view<__nv_bfloat16, float> in;
  rows<float const> size, forget;
  detail::step_settings<float> how;
  detail::plan_arrays<float> plan;  // eta, gamma and clamped where wanted
  prepared out;
  bool early;
};

inline constexpr int stride_a = 65, stride_t = 68;
inline constexpr int prepare_bytes = 6 * tile_bytes + C * stride_t * 4 + C * stride_a * 4 + 64;

/// Sums of squares of the 8 rows of a warp.
__device__ __forceinline__ void energies_of(unsigned char const* x, int warp, int lane, float* energy) {
  for (int r = 8 * warp; r < 8 * warp + 8; ++r) {
    int const part = lane / 2;  // 4 entries a lane
    uint2 const four = *reinterpret_cast<uint2 const*>(x + (part >> 3) * tile_bytes + swizzled(r, part & 7) + (lane & 1) * 8);
    float2 const a = unpack(four.x), b = unpack(four.y);
    float const sum = sum_over_lanes<1>(a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y);
    if (lane == 0) energy[r] = sum;
  }
}

/// @tparam solves whether the rule predicts; else U = Y and there is no W
template <bool solves>
__global__ void __launch_bounds__(256, 2) prepare(prepare_call const call) {
  extern __shared__ __align__(1024) unsigned char room[];
  unsigned char *const x_tile = room, *const q_tile = room + 2 * tile_bytes, *const v_tile = room + 4 * tile_bytes;
  float* const M = reinterpret_cast<float*>(room + 6 * tile_bytes);  // (64, stride_t) P(t,s) w_s; then T
  float* const A = M + C * stride_t;                                 // (64, stride_a); then T in bf16, twice
  __shared__ float energy[C], weight[C], gamma[C], left[C + 1];
  std::uint32_t const x_at = shared_address(x_tile), q_at = shared_address(q_tile), v_at = shared_address(v_tile);
  int const tid = threadIdx.x, warp = tid / 32, lane = tid % 32, mi = lane >> 3, li = lane & 7;
  auto const& in = call.in;
  index_t const chunks = (in.n.time + C - 1) / C, unit = blockIdx.x / chunks, chunk = blockIdx.x % chunks, first = chunk * C;
  unit_span const s = in.span(unit);
  int const count = static_cast<int>(s.count - first < C ? s.count - first : C);

  auto fetch = [&](unsigned char* tile, std::uint32_t at, rows<__nv_bfloat16 const> const& from, index_t shift) {
    for (int i = tid; i < C * 16; i += 256) {
      int const r = i / 16, part = i % 16;
      std::uint32_t const off = (part >> 3) * tile_bytes + swizzled(r, part & 7);
      index_t const t = first + r - shift;
      if (r < count && t >= 0)
        copy_16(at + off, in.at(from, s, t) + part * 8);
      else
        *reinterpret_cast<uint4*>(tile + off) = make_uint4(0, 0, 0, 0);
    }
  };
  fetch(x_tile, x_at, in.k, in.shifted ? 1 : 0);
  fetch(q_tile, q_at, in.q, 0);
  fetch(v_tile, v_at, in.v, 0);
  wait_for_copies();
  __syncthreads();
  bool const given = call.how.law == step_law::given;
  if (!given) energies_of(x_tile, warp, lane, energy);
  __syncthreads();

  if (tid < C) {
    float eta = 0, decay = 1;
    if (tid < count) {
      index_t const t = first + tid, place = in.place(s, t);
      float const beta = in.at(call.size, s, t)[0], forget = in.at(call.forget, s, t)[0];
      bool clamped = false;
      unsigned refused = 0;
      if (given) {
        eta = beta;
        decay = forget;
      } else {
        float const E = energy[tid], lambda = call.how.scale_coupled ? forget * E : forget, D = E + lambda + call.how.epsilon;
        bool outside = !(D - D == 0.0f);
        if (D == 0.0f)
          for (int part = 0; part < 16; ++part) {
            uint4 const eight = *reinterpret_cast<uint4 const*>(x_tile + (part >> 3) * tile_bytes + swizzled(tid, part & 7));
            outside = outside || ((eight.x | eight.y | eight.z | eight.w) & 0x7fff7fffu) != 0;
          }
        if (!(forget >= 0.0f)) refused |= ridge_out_of_range;
        if (!(beta - beta == 0.0f) || (!call.how.any_gain && !(beta >= 0.0f && beta < 2.0f))) refused |= gain_out_of_range;
        eta = outside ? std::numeric_limits<float>::quiet_NaN() : step_size(beta, D);
        if (!outside) decay = carry(beta, E, lambda, call.how.epsilon, D, eta);
        clamped = !outside && call.how.clamp && clamp_acts(decay, call.how.floor);
        if (clamped) decay = call.how.floor;
      }
      if (t == 0 && in.sentinel(s)) eta = 0.0f, decay = 1.0f, clamped = false, refused = 0;
      if (!(eta - eta == 0.0f) || !(decay - decay == 0.0f)) refused |= energy_out_of_range;
      if (call.plan.eta != nullptr) call.plan.eta[place] = eta;
      if (call.plan.gamma != nullptr) call.plan.gamma[place] = decay;
      if (call.plan.clamped != nullptr) call.plan.clamped[place] = clamped;
      if (refused != 0 && call.plan.refused != nullptr) atomicOr(call.plan.refused, refused);
    }
    weight[tid] = eta;
    gamma[tid] = decay;
  }
  __syncthreads();
  if (tid < C) {  // column s of P(t,s) w_s
    float m = weight[tid];
    for (int t = 0; t < C; ++t) {
      if (t > tid) m *= gamma[t];
      M[t * stride_t + tid] = t < tid ? 0.0f : m;
    }
  } else if (tid == C) {
    float p = 1;
    left[0] = p;  // left[t] = P(t−1, 0)
    for (int t = 0; t < C; ++t) left[t + 1] = p *= gamma[t];
  }
  __syncthreads();
  index_t const at = unit * chunks + chunk;
  if (tid < C) {
    float* const decays = call.out.decays + at * decay_count;
    decays[tid] = left[call.early ? tid : tid + 1];
    decays[C + tid] = M[(C - 1) * stride_t + tid];
    if (tid < 4) decays[2 * C + tid] = left[C];
  }

  {  // X Xᵀ by warps 0 to 3, Q Xᵀ by warps 4 to 7, 16 rows each
    int const rows = 16 * (warp & 3);
    bool const scores = warp >= 4;
    std::uint32_t const from = scores ? q_at : x_at;
    if (solves || scores) {
      float c[8][4] = {};
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        std::uint32_t a[4];
        load_matrices(from + (k >> 2) * tile_bytes + swizzled(rows + (mi & 1) * 8 + li, (k & 3) * 2 + (mi >> 1)), a);
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          if (16 * n > rows) continue;
          std::uint32_t b[4];
          load_matrices(x_at + (k >> 2) * tile_bytes + swizzled(16 * n + (mi >> 1) * 8 + li, (k & 3) * 2 + (mi & 1)), b);
          multiply(c[2 * n], a, b[0], b[1]);
          multiply(c[2 * n + 1], a, b[2], b[3]);
        }
      }
#pragma unroll
      for (int n = 0; n < 8; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          int const t = rows + lane / 4 + 8 * half, column = 8 * n + 2 * (lane & 3);
          bool const before = !scores || call.early;  // weights after token t − 1
          float factor = 1;
          if (!scores && call.how.rho == residual::gamma) factor = gamma[t];
          float value[2];
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            int const to = column + e;
            float const m = before ? (to < t ? M[(t - 1) * stride_t + to] : 0.0f) : M[t * stride_t + to];
            value[e] = m * factor * c[n][2 * half + e];
            if (to > t) value[e] = 0.0f;
          }
          if (scores) {
            call.out.N[at * N_words + (swizzled(t, n) + (column & 7) * 2) / 4] = pack(value[0], value[1]);
          } else {
            A[t * stride_a + column] = value[0];
            A[t * stride_a + column + 1] = value[1];
          }
        }
    }
  }
  __syncthreads();

  std::uint32_t* const U = call.out.U + at * U_words + (warp >> 2) * 2048 + ((warp & 3) * 32 + lane) * 16;  // 16 value columns a warp
  if constexpr (!solves) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      std::uint32_t a[4];
      load_transposed(v_at + (warp >> 2) * tile_bytes + swizzled(16 * k + (mi >> 1) * 8 + li, 2 * (warp & 3) + (mi & 1)), a);
      *reinterpret_cast<uint4*>(U + 4 * k) = make_uint4(a[0], a[1], a[2], a[3]);
    }
  } else {
    float* const T = M;
    if (tid < C) {  // column `c` of the inverse of a diagonal block
      int const block = tid / 16 * 16, c = tid % 16;
      float r[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        float sum = i == c ? 1.0f : 0.0f;
#pragma unroll
        for (int f = 0; f < i; ++f) sum -= A[(block + i) * stride_a + block + f] * r[f];
        r[i] = sum;
        T[(block + i) * stride_t + block + c] = sum;
      }
    }
    __syncthreads();
    {  // T_ij = −T_ii Σ_k A_ik T_kj: half a block column a warp
      int const j = warp >> 1, row = lane / 2, column = 16 * j + 8 * (warp & 1) + 4 * (lane & 1);
      for (int i = j + 1; i < 4; ++i) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (int m = 16 * j; m < 16 * i; ++m) {
          float const a = A[(16 * i + row) * stride_a + m];
          float4 const t = *reinterpret_cast<float4 const*>(T + m * stride_t + column);
          sum.x += a * t.x, sum.y += a * t.y, sum.z += a * t.z, sum.w += a * t.w;
        }
        float4* const mine = reinterpret_cast<float4*>(T + (16 * i + row) * stride_t + column);
        *mine = sum;
        __syncwarp();
        sum = make_float4(0, 0, 0, 0);
        for (int m = 0; m < 16; ++m) {
          float const a = T[(16 * i + row) * stride_t + 16 * i + m];
          float4 const t = *reinterpret_cast<float4 const*>(T + (16 * i + m) * stride_t + column);
          sum.x -= a * t.x, sum.y -= a * t.y, sum.z -= a * t.z, sum.w -= a * t.w;
        }
        __syncwarp();
        *mine = sum;
        __syncwarp();
      }
    }
    __syncthreads();
    unsigned char* const plain = reinterpret_cast<unsigned char*>(A);  // T
    unsigned char* const fading = plain + tile_bytes;                  // −T Diag(ρ P(t−1,0))
    for (int i = tid; i < C * C / 2; i += 256) {
      int const t = i / 32, column = i % 32 * 2;
      float const a = column <= t ? T[t * stride_t + column] : 0.0f, b = column + 1 <= t ? T[t * stride_t + column + 1] : 0.0f;
      bool const after = call.how.rho == residual::gamma;
      float const pa = left[after ? column + 1 : column], pb = left[after ? column + 2 : column + 1];
      std::uint32_t const off = swizzled(t, column >> 3) + (column & 7) * 2;
      *reinterpret_cast<std::uint32_t*>(plain + off) = pack(a, b);
      *reinterpret_cast<std::uint32_t*>(fading + off) = pack(-a * pa, -b * pb);
    }
    __syncthreads();
    std::uint32_t const plain_at = shared_address(plain), fading_at = plain_at + tile_bytes;
    {  // −W, 16 rows and half the columns a warp, into the queries' room
      int const rows = 16 * (warp & 3), half = warp >> 2;
      float c[8][4] = {};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (16 * k > rows) continue;
        std::uint32_t a[4];
        load_matrices(fading_at + swizzled(rows + (mi & 1) * 8 + li, 2 * k + (mi >> 1)), a);
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          std::uint32_t b[4];
          load_transposed(x_at + half * tile_bytes + swizzled(16 * k + (mi & 1) * 8 + li, 2 * n + (mi >> 1)), b);
          multiply(c[2 * n], a, b[0], b[1]);
          multiply(c[2 * n + 1], a, b[2], b[3]);
        }
      }
#pragma unroll
      for (int n = 0; n < 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          *reinterpret_cast<std::uint32_t*>(q_tile + half * tile_bytes + swizzled(rows + lane / 4 + 8 * e, n) + (lane & 3) * 4) =
              pack(c[n][2 * e], c[n][2 * e + 1]);
    }
    {  // Uᵀ = Yᵀ Tᵀ, 16 value columns a warp
      float c[8][4] = {};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        std::uint32_t a[4];
        load_transposed(v_at + (warp >> 2) * tile_bytes + swizzled(16 * k + (mi >> 1) * 8 + li, 2 * (warp & 3) + (mi & 1)), a);
#pragma unroll
        for (int n = k; n < 4; ++n) {
          std::uint32_t b[4];
          load_matrices(plain_at + swizzled(16 * n + (mi >> 1) * 8 + li, 2 * k + (mi & 1)), b);
          multiply(c[2 * n], a, b[0], b[1]);
          multiply(c[2 * n + 1], a, b[2], b[3]);
        }
      }
#pragma unroll
      for (int n = 0; n < 4; ++n)
        *reinterpret_cast<uint4*>(U + 4 * n) = make_uint4(pack(c[2 * n][0], c[2 * n][1]), pack(c[2 * n][2], c[2 * n][3]),
                                                          pack(c[2 * n + 1][0], c[2 * n + 1][1]), pack(c[2 * n + 1][2], c[2 * n + 1][3]));
    }
    __syncthreads();
    for (int i = tid; i < W_words / 4; i += 256)
      reinterpret_cast<uint4*>(call.out.W + at * W_words)[i] = reinterpret_cast<uint4 const*>(q_tile)[i];
  }
}

}  // namespace fwa::device::hopper
