// SPDX-License-Identifier: Apache-2.0
// device/hopper/sweep.cuh — rules whose value columns have systems of their own, or whose windows hold up to 4 pairs, in spans of 16
// tokens.
//
//   S_t = P(t,0) S_0 + X_Jᵀ W_t        J: the 16 pairs of the span and the 3 before it; see form/span.hpp
//
// A block a head. Two warpgroups keep Sᵀ of 64 value columns each as scan.cuh does. Of every span wgmma gives Sᵀ Xᵀ and Sᵀ Qᵀ, then a
// thread a column sweeps the 16 tokens with W and p in registers, then wgmma adds Wᵀ X_J. Another warpgroup makes Gram matrices, scores and
// steps ahead of them, a thread fetches tiles, a warp for each half sends outputs off.
// Laws: forms_agree, step_bounds.
#pragma once

#include "../../step/bisection.hpp"
#include "outputs.cuh"
#include "plan.cuh"
#include "ptx.cuh"

namespace fwa::device::hopper {

inline constexpr int span_tokens = 16, spans = C / span_tokens;
inline constexpr int most_pairs = 4;                          // of a window
inline constexpr int gram_stride = most_pairs + span_tokens;  // ⟨·, x⟩ with the pairs before a span, then with its own
inline constexpr int seen_stride = 68;                        // of Sᵀ Xᵀ, Sᵀ Qᵀ: 64 columns

struct sweep_call {
  view_t in;
  plan_call plan;
  float const *weight, *gamma;  // (place, 128) of a rule with a step a column
  float const* entry;           // (unit, d, dv) or null
  float* exit;                  // likewise
  bool early;
};

/// What the warpgroups of a block tell each other.
/// @tparam columns of steps: 1 or 128
template <int columns>
struct sweep_room {
  static constexpr int step_rows = columns > 1 ? 2 * span_tokens : 2 * C;  // of two spans, or of two chunks
  alignas(16) float gram[2][C][gram_stride], scores[2][C][gram_stride];    // of two chunks
  float4 band[2][most_pairs - 1 + C];                      // ⟨x_i, x_{i−l}⟩, l < 4, from the third pair before the chunk on
  float steps[step_rows][2][columns];                      // w, γ
  float seen[2][2][span_tokens][seen_stride], kept[2][C];  // of each group: Sᵀ Xᵀ and Sᵀ Qᵀ; P(16,0)
  unsigned long long full[3], empty[3], known[2], used[2], planned[2], followed[2];
};

template <bool windows, bool per_column>
struct sweep_sizes {
  static constexpr int stages = windows && !per_column ? 3 : 2, stage_bytes = 6 * tile_bytes, columns = per_column ? width : 1;
  static constexpr int write_bytes = 2 * 2048;  // W of a group: 16 pairs of the span, 16 before it
  static constexpr int tiles_bytes = stages * stage_bytes + 4 * tile_bytes + 2 * write_bytes;
  static constexpr int bytes = tiles_bytes + static_cast<int>(sizeof(sweep_room<columns>));
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/// A block's part of shared memory.
template <bool windows, bool per_column>
struct swept : sweep_sizes<windows, per_column> {
  using sizes_t = sweep_sizes<windows, per_column>;
  using sizes_t::stages, sizes_t::stage_bytes, sizes_t::columns, sizes_t::write_bytes;
  static constexpr int lead = windows ? 1 : 0, before = windows ? most_pairs - 1 : 0, skipped = most_pairs - before;
  sweep_call const& call;
  sweep_room<columns>& room;
  unsigned char* tiles;
  std::uint32_t base;
  unit_span s;
  unsigned chunks;

  __device__ swept(sweep_call const& of, sweep_room<columns>& with, unsigned char* at, unit_span const& span)
      : call(of), room(with), tiles(at), base(shared_address(at)), s(span), chunks(static_cast<unsigned>((of.in.n.time + C - 1) / C)) {}

  __device__ std::uint32_t x_at(unsigned n) const { return base + n % stages * stage_bytes; }  // n: chunks since the first that is fetched
  __device__ std::uint32_t v_at(unsigned n) const { return x_at(n) + 2 * tile_bytes; }
  __device__ std::uint32_t q_at(unsigned n) const { return x_at(n) + 4 * tile_bytes; }
  __device__ int outputs_offset(int group) const { return stages * stage_bytes + 2 * group * tile_bytes; }
  __device__ int writes_offset(int group) const { return stages * stage_bytes + 4 * tile_bytes + group * write_bytes; }
  __device__ void wait_full(unsigned n) const { wait(shared_address(&room.full[n % stages]), n / stages & 1); }
  __device__ void release(unsigned n) const { arrive(shared_address(&room.empty[n % stages])); }

  __device__ __forceinline__ void fetch(CUtensorMap const* x, CUtensorMap const* q, CUtensorMap const* v) const {
    int const batch = static_cast<int>(s.batch), head = static_cast<int>(s.head), shift = call.in.shifted ? 1 : 0;
    for (unsigned n = 0; n < chunks + lead; ++n) {
      std::uint32_t const signal = shared_address(&room.full[n % stages]);
      if (n >= stages) wait(shared_address(&room.empty[n % stages]), (n / stages - 1) & 1);
      bool const whole = !windows || n > 0;  // of the chunk before the first only keys, which are zeros
      int const t = (static_cast<int>(n) - lead) * C;
      expect(signal, (whole ? 6 : 2) * tile_bytes);
      for (int half = 0; half < 2; ++half) {
        load_tile(x_at(n) + half * tile_bytes, x, 64 * half, head, t - shift, batch, signal);
        if (!whole) continue;
        load_tile(v_at(n) + half * tile_bytes, v, 64 * half, head, t, batch, signal);
        load_tile(q_at(n) + half * tile_bytes, q, 64 * half, head, t, batch, signal);
      }
    }
  }

  /// E_t of token r of a chunk.   @param band from the third pair before the chunk on
  __device__ __forceinline__ float energy(float4 const* band, int r, int B) const {
    auto inner = [&](int i, int l) { return reinterpret_cast<float const*>(band + i)[l]; };  // pair i with the one l before it
    int const oldest = most_pairs - 1 + r + 1 - B;
    if (B == 0) return 0;
    if (call.plan.how.rho == residual::zero || B == 1) {
      float sum = 0;
      for (int i = 0; i < B; ++i) sum += inner(oldest + i, 0);
      return B == 1 ? sum : sum / static_cast<float>(B);
    }
    float a[most_pairs * most_pairs], v[most_pairs], w[most_pairs], off[most_pairs];
#pragma unroll
    for (int i = 0; i < most_pairs; ++i)
#pragma unroll
      for (int j = 0; j <= i; ++j) a[i * most_pairs + j] = i < B ? inner(oldest + i, i - j) : 0.0f;
    return fwa::detail::bisection<float, float, fwa::detail::one_number<float>>{most_pairs, a, v, w, off}.solve() / static_cast<float>(B);
  }

  /// A warpgroup: Gram matrices, scores and steps of every chunk.
  __device__ __forceinline__ void plan_ahead() const {
    int const tid = threadIdx.x % 128, warp = tid / 32, lane = tid % 32, mi = lane >> 3, li = lane & 7, g = lane / 4, h = lane % 4;
    auto const& in = call.in;
    auto together = [] { barrier(9, 128); };
    if (windows) {
      if (tid < before) room.band[1][C + tid] = make_float4(0, 0, 0, 0);
      wait_full(0);
    }
    float size = 0, forget = 0;
    auto ask = [&](unsigned c) {
      index_t const t = static_cast<index_t>(c) * C + tid;
      if (per_column || c == chunks || tid >= C || t >= s.count) return;
      size = in.at(call.plan.size, s, t)[0];
      forget = in.at(call.plan.forget, s, t)[0];
    };
    ask(0);
    for (unsigned c = 0; c < chunks; ++c) {
      unsigned const n = c + lead, buffer = c & 1;
      wait_full(n);
      if (c >= 2) wait(shared_address(&room.used[buffer]), (c / 2 - 1) & 1);
      {  // a span a warp: X and Q with X of the span and of the 8 pairs before it
        float own[2][2][4] = {}, older[2][4] = {};
        int const row = span_tokens * warp + (mi & 1) * 8 + li, of = span_tokens * warp + (mi >> 1) * 8 + li;
        std::uint32_t const previous = warp > 0 ? x_at(n) : x_at(n - lead);
        int const earlier = warp > 0 ? of - span_tokens : of + C - span_tokens;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
          std::uint32_t x[4], q[4], b[4];
          int const half = (k >> 2) * tile_bytes, part = (k & 3) * 2;
          load_matrices(x_at(n) + half + swizzled(row, part + (mi >> 1)), x);
          load_matrices(q_at(n) + half + swizzled(row, part + (mi >> 1)), q);
          load_matrices(x_at(n) + half + swizzled(of, part + (mi & 1)), b);
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            multiply(own[0][e], x, b[2 * e], b[2 * e + 1]);
            multiply(own[1][e], q, b[2 * e], b[2 * e + 1]);
          }
          if constexpr (windows) {
            load_matrices(previous + half + swizzled(earlier, part + (mi & 1)), b);
            multiply(older[0], x, b[2], b[3]);
            multiply(older[1], q, b[2], b[3]);
          }
        }
#pragma unroll
        for (int which = 0; which < 2; ++which)
#pragma unroll
          for (int below = 0; below < 2; ++below) {
            float* const to = (which == 0 ? room.gram : room.scores)[buffer][span_tokens * warp + g + 8 * below];
#pragma unroll
            for (int e = 0; e < 2; ++e)
              *reinterpret_cast<float2*>(to + most_pairs + 8 * e + 2 * h) =
                  make_float2(own[which][e][2 * below], own[which][e][2 * below + 1]);
            if (h >= 2) *reinterpret_cast<float2*>(to + 2 * h - 4) = make_float2(older[which][2 * below], older[which][2 * below + 1]);
          }
      }
      together();
      if (windows) {
        float4* const band = room.band[buffer];
        if (tid < C) {
          float const* const row = room.gram[buffer][tid] + most_pairs + tid % span_tokens;
          band[before + tid] = make_float4(row[0], row[-1], row[-2], row[-3]);
        } else if (tid < C + before) {
          band[tid - C] = room.band[buffer ^ 1][tid];
        }
        together();
      }
      if (index_t const t = static_cast<index_t>(c) * C + tid; !per_column && tid < C) {
        token_step step;
        if (t < s.count) {
          int const B = windows ? static_cast<int>(in.window(s, t)) : 1;
          float const E = windows ? energy(room.band[buffer], tid, B) : room.gram[buffer][tid][most_pairs + tid % span_tokens];
          step = detail::step_of(call.plan.how, size, forget, E, [&] {
            bool any = false;
            for (int l = 0; l < B; ++l)
              any = any || (l <= tid ? row_is_nonzero(tiles + n % stages * stage_bytes, tid - l)
                                     : row_is_nonzero(tiles + (n - lead) % stages * stage_bytes, C + tid - l));
            return any;
          });
          if (t == 0 && in.sentinel(s)) step.write_nothing();
          keep(call.plan.to, in.place(s, t), step);
          if (B > 1) step.eta /= static_cast<float>(B);
        }
        room.steps[buffer * C + tid][0][0] = step.eta;
        room.steps[buffer * C + tid][1][0] = step.gamma;
      }
      ask(c + 1);
      release(n - lead);
      arrive(shared_address(&room.known[buffer]));
    }
  }

  /// A warp: steps of all columns, span by span; a token's w or γ a lane.
  __device__ __forceinline__ void fetch_steps() const {
    int const lane = threadIdx.x % 32, token = lane % span_tokens, which = lane / span_tokens;
    float const* const from = which == 0 ? call.weight : call.gamma;
    for (unsigned span = 0; span < chunks * spans; ++span) {
      unsigned const slot = span & 1;
      std::uint32_t const signal = shared_address(&room.planned[slot]);
      index_t const t = static_cast<index_t>(span) * span_tokens + token;
      float* const to = room.steps[slot * span_tokens + token][which];
      if (span >= 2) wait(shared_address(&room.followed[slot]), (span / 2 - 1) & 1);
      if (t < s.count) {
        expect(signal, width * 4);
        load_bulk(shared_address(to), from + call.in.place(s, t) * width, width * 4, signal);
      } else {
        for (int e = 0; e < width; ++e) to[e] = static_cast<float>(which);
        arrive(signal);
      }
    }
  }

  /// What a column keeps from span to span: of the pairs that the next window may hold, p_j = S_tᵀ x_j and y_j, oldest first.
  struct column_pairs {
    float p[before + 1] = {}, y[before + 1] = {};
  };

  /// 16 tokens of one column; see form/span.hpp.
  /// @param column of the group
  template <bool early>
  __device__ __forceinline__ void sweep(unsigned c, unsigned n, int span, int group, int column, column_pairs& known) const {
    unsigned const buffer = c & 1;
    int const first_step = per_column ? (span & 1) * span_tokens : static_cast<int>(buffer) * C + span * span_tokens;
    int const part = column >> 3, within = 2 * (column & 7), step_column = per_column ? 64 * group + column : 0;
    unsigned char const* const values = tiles + n % stages * stage_bytes + (2 + group) * tile_bytes + within;
    unsigned char* const outputs = tiles + outputs_offset(group) + static_cast<int>(buffer) * tile_bytes + within;
    unsigned char* const writes = tiles + writes_offset(group) + within;
    auto put = [&](unsigned char* at, float value) { *reinterpret_cast<__nv_bfloat16*>(at) = __float2bfloat16(value); };
    float const ones = call.plan.how.rho == residual::one ? 1.0f : 0.0f, gammas = call.plan.how.rho == residual::gamma ? 1.0f : 0.0f;  // ρ
    float W[before + span_tokens] = {}, p[before + span_tokens], y[before + span_tokens], o[span_tokens];
    float band[before + span_tokens][most_pairs];
    auto know = [&](int i, int row) {
      float4 const four = room.band[buffer][row];
      band[i][0] = four.x, band[i][1] = four.y, band[i][2] = four.z, band[i][3] = four.w;
    };
#pragma unroll
    for (int i = 0; i < before; ++i) {
      p[i] = known.p[i];
      y[i] = known.y[i];
      know(i, span * span_tokens + i);
    }
    float decay = 1;
#pragma unroll
    for (int t = 0; t < span_tokens; ++t) {
      int const now = before + t, row = span * span_tokens + t;
      float gram[gram_stride], scores[gram_stride];
#pragma unroll
      for (int k = windows ? 0 : most_pairs; k <= most_pairs + t; k += 4) {
        *reinterpret_cast<float4*>(gram + k) = *reinterpret_cast<float4 const*>(room.gram[buffer][row] + k);
        *reinterpret_cast<float4*>(scores + k) = *reinterpret_cast<float4 const*>(room.scores[buffer][row] + k);
      }
      float const weight = room.steps[first_step + t][0][step_column], gamma = room.steps[first_step + t][1][step_column];
      auto inner = [&](float from_entry, float const(&with)[gram_stride], int end) {  // two sums, the latest W last
        float a = decay * from_entry, b = 0;
#pragma unroll
        for (int k = 0; k < end; ++k) (k & 1 ? b : a) += with[skipped + k] * W[k];
        return a + b;
      };
      p[now] = inner(room.seen[group][0][t][column], gram, now);
      y[now] = __bfloat162float(*reinterpret_cast<__nv_bfloat16 const*>(values + swizzled(row, part)));
      if (windows) know(now, before + row);
      if (early) o[t] = inner(room.seen[group][1][t][column], scores, now);
      decay *= gamma;
      float const rho = gammas * gamma + ones;
      float write[before + 1];
#pragma unroll
      for (int l = 0; l <= before; ++l) write[l] = (windows && l >= call.in.B ? 0.0f : weight) * (y[now - l] - rho * p[now - l]);
#pragma unroll
      for (int k = 0; k < now; ++k) W[k] *= gamma;
#pragma unroll
      for (int l = 0; l <= before; ++l) W[now - l] += write[l];
      if (!early) o[t] = inner(room.seen[group][1][t][column], scores, now + 1);
      if constexpr (windows)
#pragma unroll
        for (int i = 0; i < before; ++i) {  // pair now − i stays
          float next = gamma * p[now - i];
#pragma unroll
          for (int l = 0; l <= before; ++l) next += (l > i ? band[now - i][l - i] : band[now - l][i - l]) * write[l];
          p[now - i] = next;
        }
    }
#pragma unroll
    for (int t = 0; t < span_tokens; ++t) {
      put(outputs + swizzled(span * span_tokens + t, part), o[t]);
      put(writes + swizzled(t, part), W[before + t]);
    }
#pragma unroll
    for (int i = 0; i < before; ++i) {
      put(writes + 2048 + swizzled(span_tokens - before + i, part), W[i]);
      known.p[i] = p[span_tokens + i];
      known.y[i] = y[span_tokens + i];
    }
    room.kept[group][column] = decay;
  }

  /// A warpgroup: Sᵀ of 64 value columns from span to span, and outputs.
  __device__ __forceinline__ void pass(index_t unit) const {
    int const group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, mi = lane >> 3, li = lane & 7;
    int const row = 16 * warp + lane / 4, column = 2 * (lane & 3);
    bool const sweeps = warp / 2 == group;  // so that all schedulers have a warp that does
    auto together = [&] { barrier(10 + group, 128); };
    float low[32], high[32], predicted[8], read[8];  // Sᵀ: features 0 to 63 and 64 to 127; Sᵀ Xᵀ, Sᵀ Qᵀ of 16 tokens
    std::uint32_t state[8][4];
    /// Entry i of `low` is row `row` + 8 (i / 2 mod 2), feature 8 (i / 4) + column + i mod 2.
    auto place = [&](int i, int f0) {
      return (unit * width + f0 + 8 * (i / 4) + column + (i & 1)) * width + 64 * group + row + 8 * (i / 2 & 1);
    };
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      low[i] = call.entry != nullptr ? call.entry[place(i, 0)] : 0.0f;
      high[i] = call.entry != nullptr ? call.entry[place(i, 64)] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) predicted[i] = read[i] = 0;
    std::uint32_t const writes = base + writes_offset(group);
    if (windows) {  // rows of pairs that no window of the span holds
      reinterpret_cast<uint4*>(tiles + writes_offset(group) + 2048)[threadIdx.x % 128] = make_uint4(0, 0, 0, 0);
      wait_full(0);
    }
    column_pairs known;
    for (unsigned c = 0; c < chunks; ++c) {
      unsigned const n = c + lead, buffer = c & 1;
      wait_full(n);
      if (c >= 2) barrier(outputs_free + 4 * group + static_cast<int>(buffer), 160);
      for (int span = 0; span < spans; ++span) {
        auto pack_state = [&](float const(&half)[32], int to) {
#pragma unroll
          for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) state[to + j][e] = pack(half[8 * j + 2 * e], half[8 * j + 2 * e + 1]);
        };
        pack_state(low, 0);
        pack_state(high, 4);
        std::uint32_t const rows = static_cast<std::uint32_t>(span) * 2048;
        std::uint64_t const X = descriptor(x_at(n) + rows, 16, 1024), Q = descriptor(q_at(n) + rows, 16, 1024);
        pin(predicted);
        pin(read);
        pin(state);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          std::uint32_t const offset = ((j >> 2) * tile_bytes + (j & 3) * 32) >> 4;
          multiply(predicted, state[j], X + offset, j > 0);
          multiply(read, state[j], Q + offset, j > 0);
        }
        wgmma_commit();
        wgmma_wait<0>();
        pin(predicted);
        pin(read);
        pin(state);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          int const t = 8 * (i / 4) + column + (i & 1), at = row + 8 * (i / 2 & 1);
          room.seen[group][0][t][at] = predicted[i];
          room.seen[group][1][t][at] = read[i];
        }
        together();
        if (sweeps) {
          if (span == 0) wait(shared_address(&room.known[buffer]), c / 2 & 1);
          if (per_column) wait(shared_address(&room.planned[span & 1]), (c * spans + span) / 2 & 1);
          if (call.early)
            sweep<true>(c, n, span, group, 32 * (warp & 1) + lane, known);
          else
            sweep<false>(c, n, span, group, 32 * (warp & 1) + lane, known);
          if (per_column) arrive(shared_address(&room.followed[span & 1]));
          if (span == spans - 1) arrive(shared_address(&room.used[buffer]));
        }
        together();
        std::uint32_t w[windows ? 2 : 1][4];
        std::uint32_t const from = writes + swizzled((mi >> 1) * 8 + li, 2 * warp + (mi & 1));
        load_transposed(from, w[0]);
        if constexpr (windows) load_transposed(from + 2048, w[1]);
        float const upper = room.kept[group][row], lower = room.kept[group][row + 8];
#pragma unroll
        for (int i = 0; i < 32; ++i) {
          low[i] *= i / 2 & 1 ? lower : upper;
          high[i] *= i / 2 & 1 ? lower : upper;
        }
        std::uint64_t const own = descriptor(x_at(n) + rows, tile_bytes, 1024);
        pin(low);
        pin(high);
        pin(w);
        wgmma_fence();
        multiply<1>(low, w[0], own, 1);
        multiply<1>(high, w[0], own + tile_bytes / 16, 1);
        if constexpr (windows) {
          std::uint64_t const older = descriptor(span > 0 ? x_at(n) + rows - 2048 : x_at(n - 1) + 3 * 2048, tile_bytes, 1024);
          multiply<1>(low, w[1], older, 1);
          multiply<1>(high, w[1], older + tile_bytes / 16, 1);
        }
        wgmma_commit();
        wgmma_wait<0>();
        pin(low);
        pin(high);
        pin(w);
        if (windows && span == 0) release(n - 1);
      }
      if (!windows) release(n);
      fence_async();
      barrier_arrive(outputs_ready + 4 * group + static_cast<int>(buffer), 160);
    }
    if (call.exit != nullptr)
#pragma unroll
      for (int i = 0; i < 32; ++i) {
        call.exit[place(i, 0)] = low[i];
        call.exit[place(i, 64)] = high[i];
      }
  }
};

#endif

/// A block a unit.
template <bool windows, bool per_column>
__global__ void __launch_bounds__(512, 1)
    read_spans(sweep_call const call, CUtensorMap const __grid_constant__ x_map, CUtensorMap const __grid_constant__ q_map,
               CUtensorMap const __grid_constant__ v_map, CUtensorMap const __grid_constant__ o_map) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char tiles[];
  using mine_t = swept<windows, per_column>;
  auto& room = *reinterpret_cast<sweep_room<mine_t::columns>*>(tiles + mine_t::tiles_bytes);
  unsigned const heads = static_cast<unsigned>(call.in.n.heads);
  mine_t const mine{call, room, tiles, call.in.span(blockIdx.x / heads, blockIdx.x % heads)};
  int const group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4;
  if (threadIdx.x == 0) {
    for (int i = 0; i < mine_t::stages; ++i) {
      signal_init(shared_address(&room.full[i]), 1);
      signal_init(shared_address(&room.empty[i]), 384);
    }
    for (int i = 0; i < 2; ++i) {
      for (unsigned long long* const signal : {&room.known[i], &room.used[i], &room.followed[i]}) signal_init(shared_address(signal), 128);
      signal_init(shared_address(&room.planned[i]), 32);
    }
    signals_ready();
  }
  __syncthreads();
  if (group == 3) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 384) mine.fetch(&x_map, &q_map, &v_map);
    if (per_column && warp == 3) mine.fetch_steps();
    if (warp == 1 || warp == 2)
      send_outputs(&o_map, 0, mine.chunks, warp - 1, mine.base + mine.outputs_offset(warp - 1), 64 * (warp - 1),
                   static_cast<int>(mine.s.head), static_cast<int>(mine.s.batch));
  } else if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 112;");
    mine.plan_ahead();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 176;");
    mine.pass(blockIdx.x);
  }
#endif
}

}  // namespace fwa::device::hopper
