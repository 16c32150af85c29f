// SPDX-License-Identifier: Apache-2.0
// device/hopper/segments.cuh — inner-product rules: there is no system to solve, so segments of a sequence are read side by side.
//
//   M_{t,j} = Σ_s P(t,s) w_s over the tokens s ≤ t of the chunk whose window holds pair j
//   O = P(·,0) Q S_0 + (Q Xᵀ ∘ M) Y      S = P(C,0) S_0 + Xᵀ Diag(M_C) Y
//
// First what every segment adds to a state of 0, then the outputs of each from the state that those before it leave. A block has two
// warpgroups that keep Sᵀ as scan.cuh does, one that plans and masks a chunk ahead of them, a thread that fetches tiles, and a warp for the
// outputs of each half. Windows reach back to the last 16 pairs of the chunk before, whose tiles are kept until then.
// Laws: forms_agree, step_bounds.
#pragma once

#include "outputs.cuh"
#include "plan.cuh"
#include "ptx.cuh"
#include "state.cuh"

#include <cstddef>
#include <cstdint>

namespace fwa::device::hopper {

inline constexpr int halo = 16;  // pairs of the chunk before that a chunk knows
inline constexpr int mask_columns = halo + C, mask_stride = 84;
inline constexpr int part_floats = width * width;  // of a segment

struct segments_call {
  view_t in;
  plan_call plan;
  float const* entry;  // (unit, d, dv) or null
  float* exit;         // likewise
  float* parts;        // (unit, segment) what it adds, in the order of the threads that hold it
  float* fades;        // (unit, segment) what it leaves of the state before it
  bool early;
  unsigned segments;  // of every unit
};

/// Stages of tiles, outputs, masked scores of two chunks and those of pairs of the chunk before, the mask.
template <bool reads>
inline constexpr int segment_stages = reads ? 3 : 6;
template <bool reads>
inline constexpr int segment_stage_bytes = (reads ? 6 : 4) * tile_bytes;
template <bool reads>
inline constexpr int segment_bytes = segment_stages<reads>* segment_stage_bytes<reads> +
                                     (reads ? 7 * tile_bytes + (C + 1) * mask_stride * 4 : 0);

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/// What the warpgroups of a block tell each other.
struct segment_room {
  alignas(16) float weight[C], gamma[C];
  float norm[mask_columns], drive[2][2][C];               // drive: β and λ, or η and γ, of two chunks
  float last[2][mask_columns], left[2][C + 1], whole[2];  // M_C, P(·,0), P(C,0)
  unsigned long long full[6], empty[6], masked[2], unmasked[2];
};

/// A block's part of a sequence and of shared memory.
template <bool reads, bool windows>
struct segment {
  static constexpr int stages = segment_stages<reads>, stage_bytes = segment_stage_bytes<reads>, lead = windows ? 1 : 0;
  segments_call const& call;
  segment_room& room;
  unsigned char* tiles;
  std::uint32_t base;
  unit_span s;
  unsigned unit, number, first, count;  // chunks

  __device__ std::uint32_t x_at(unsigned n) const { return base + n % stages * stage_bytes; }  // n: chunks since the first that is fetched
  __device__ std::uint32_t v_at(unsigned n) const { return x_at(n) + 2 * tile_bytes; }
  __device__ std::uint32_t q_at(unsigned n) const { return x_at(n) + 4 * tile_bytes; }
  __device__ std::uint32_t outputs_at() const { return base + stages * stage_bytes; }
  __device__ std::uint32_t scores_at(unsigned buffer) const { return outputs_at() + (4 + buffer) * tile_bytes; }
  __device__ std::uint32_t halo_scores_at() const { return outputs_at() + 6 * tile_bytes; }
  __device__ float* mask() const { return reinterpret_cast<float*>(tiles + stages * stage_bytes + 7 * tile_bytes); }
  __device__ void wait_full(unsigned n) const { wait(shared_address(&room.full[n % stages]), n / stages & 1); }
  /// The tiles of chunk n have been read, and with windows those of the one before it.
  __device__ void release(unsigned n) const {
    if (!windows)
      arrive(shared_address(&room.empty[n % stages]));
    else if (n > 0)
      arrive(shared_address(&room.empty[(n - 1) % stages]));
  }

  __device__ __forceinline__ void fetch(CUtensorMap const* x, CUtensorMap const* q, CUtensorMap const* v) const {
    int const batch = static_cast<int>(s.batch), head = static_cast<int>(s.head), shift = call.in.shifted ? 1 : 0;
    for (unsigned n = 0; n < count + lead; ++n) {
      std::uint32_t const signal = shared_address(&room.full[n % stages]);
      if (n >= stages) wait(shared_address(&room.empty[n % stages]), (n / stages - 1) & 1);
      bool const queries = reads && (!windows || n > 0);
      int const t = (static_cast<int>(first + n) - lead) * C;  // rows outside of the sequence are zeros
      expect(signal, (queries ? 6 : 4) * tile_bytes);
      for (int half = 0; half < 2; ++half) {
        load_tile(x_at(n) + half * tile_bytes, x, 64 * half, head, t - shift, batch, signal);
        load_tile(v_at(n) + half * tile_bytes, v, 64 * half, head, t, batch, signal);
        if (queries) load_tile(q_at(n) + half * tile_bytes, q, 64 * half, head, t, batch, signal);
      }
    }
  }

  /// A warpgroup: plan, mask and masked scores of every chunk.
  __device__ __forceinline__ void weigh() const {
    int const tid = threadIdx.x % 128, warp = tid / 32, lane = tid % 32, mi = lane >> 3, li = lane & 7, g = lane / 4, h = lane % 4;
    auto const& in = call.in;
    auto together = [] { barrier(9, 128); };
    int const row = 16 * warp + (mi & 1) * 8 + li;
    float square[4][4];  // X Xᵀ of 16 rows a warp, of which the diagonal is ‖x‖²; two sums of it, as tensor cores take long
    auto multiply_x = [&](unsigned n) {
#pragma unroll
      for (int e = 0; e < 16; ++e) square[e / 4][e % 4] = 0;
      constexpr int at_once = reads ? 4 : 8;  // loads before the first product
#pragma unroll
      for (int first_k = 0; first_k < 8; first_k += at_once) {
        std::uint32_t x[at_once][4];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          load_matrices(x_at(n) + ((first_k + k) >> 2) * tile_bytes + swizzled(row, ((first_k + k) & 3) * 2 + (mi >> 1)), x[k]);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          multiply(square[k & 1], x[k], x[k][0], x[k][2]);
          multiply(square[2 + (k & 1)], x[k], x[k][1], x[k][3]);
        }
      }
    };
    auto keep_squares = [&] {
      if (g / 2 == h) {
        int const e = g & 1;
        if (windows && warp == 3) {  // the last 16 stay for the chunk after
          room.norm[g] = room.norm[C + g];
          room.norm[g + 8] = room.norm[C + g + 8];
        }
        room.norm[halo + 16 * warp + g] = e ? square[0][1] + square[1][1] : square[0][0] + square[1][0];
        room.norm[halo + 16 * warp + g + 8] = e ? square[2][3] + square[3][3] : square[2][2] + square[3][2];
      }
      together();
    };
    if (windows) {
      wait_full(0);
      multiply_x(0);
      keep_squares();
    }
    auto ask = [&](unsigned i) {  // through shared memory: a barrier waits for loads into registers
      index_t const t = static_cast<index_t>(first + i) * C + tid;
      if (i == count || tid >= C || t >= s.count) return;
      copy_4(shared_address(&room.drive[i & 1][0][tid]), in.at(call.plan.size, s, t));
      copy_4(shared_address(&room.drive[i & 1][1][tid]), in.at(call.plan.forget, s, t));
    };
    ask(0);
    for (unsigned i = 0; i < count; ++i) {
      unsigned const n = i + lead, buffer = i & 1;
      index_t const t = static_cast<index_t>(first + i) * C + tid;
      bool const token = tid < C && t < s.count;
      wait_for_copies();
      ask(i + 1);
      wait_full(n);
      float c[32], before[2][4] = {};  // Q Xᵀ of the chunk, and with the pairs before it
      if constexpr (reads) {
        std::uint32_t q[8][4];
#pragma unroll
        for (int k = 0; k < 8; ++k) load_matrices(q_at(n) + (k >> 2) * tile_bytes + swizzled(row, (k & 3) * 2 + (mi >> 1)), q[k]);
        std::uint64_t const X = descriptor(x_at(n), 16, 1024);
        pin(c);
        pin(q);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < 8; ++k) multiply<0>(c, q[k], X + (((k >> 2) * tile_bytes + (k & 3) * 32) >> 4), k > 0);
        wgmma_commit();
        multiply_x(n);
        wgmma_wait<0>();
        pin(c);
        pin(q);
        if constexpr (windows)
#pragma unroll
          for (int k = 0; k < 8; ++k) {
            std::uint32_t b[4];
            load_matrices(x_at(n - 1) + (k >> 2) * tile_bytes + swizzled(C - halo + (mi >> 1) * 8 + li, (k & 3) * 2 + (mi & 1)), b);
            multiply(before[0], q[k], b[0], b[1]);
            multiply(before[1], q[k], b[2], b[3]);
          }
      }
      if (!reads) multiply_x(n);
      keep_squares();
      if (tid < C) {
        token_step step;
        if (token) {
          float E = room.norm[halo + tid];
          int const B = windows ? static_cast<int>(in.window(s, t)) : 1;
          if (windows) {
            E = 0;
            for (int l = B - 1; l >= 0; --l) E += room.norm[halo + tid - l];
            if (B > 1) E /= static_cast<float>(B);
          }
          step = detail::step_of(call.plan.how, room.drive[buffer][0][tid], room.drive[buffer][1][tid], E, [&] {
            bool any = false;
            for (int l = 0; l < B; ++l)
              any = any || (l <= tid ? row_is_nonzero(tiles + n % stages * stage_bytes, tid - l)
                                     : row_is_nonzero(tiles + (n - 1) % stages * stage_bytes, C + tid - l));
            return any;
          });
          if (t == 0 && in.sentinel(s)) step.write_nothing();
          if (reads) keep(call.plan.to, in.place(s, t), step);
          if (B > 1) step.eta /= static_cast<float>(B);
        }
        if constexpr (reads) {
          room.weight[tid] = step.eta;
          room.gamma[tid] = step.gamma;
        } else {  // only M_C is wanted: w_s times the decays after s, of 32 tokens
          float behind = step.gamma;
#pragma unroll
          for (int d = 1; d < 32; d *= 2) {
            float const later = __shfl_down_sync(0xffffffffu, behind, d);
            if (lane + d < 32) behind *= later;
          }
          float const next = __shfl_down_sync(0xffffffffu, behind, 1);
          room.weight[tid] = step.eta * (lane == 31 ? 1.0f : next);
          if (lane == 0) room.gamma[warp] = behind;
        }
      }
      if (i >= 2) wait(shared_address(&room.unmasked[buffer]), (i / 2 - 1) & 1);
      together();
      if (!reads && tid <= mask_columns) {
        int const pair = tid - halo, end = tid == mask_columns ? 0 : pair + (windows ? static_cast<int>(in.B) : 1);
        float m = 0;
        for (int r = pair < 0 ? 0 : pair; r < end && r < C; ++r) m += room.weight[r] * (r < 32 ? room.gamma[1] : 1.0f);
        if (tid == mask_columns)
          room.whole[buffer] = room.gamma[0] * room.gamma[1];
        else
          room.last[buffer][tid] = m;
      }
      if (reads && tid <= mask_columns && (windows || tid >= halo)) {  // a column of the mask; the last: what is left of the entry state
        bool const entry = tid == mask_columns;
        int const pair = tid - halo;
        float m = entry ? 1.0f : 0.0f;
        float* to = entry ? room.left[buffer] : mask() + tid;
        int const apart = entry ? 1 : mask_stride;
        if (call.early) {
          *to = m;
          to += apart;
        }
        unsigned const B = windows ? static_cast<unsigned>(in.B) : 1;
        for (int first_row = 0; first_row < C; first_row += 16) {
          float w[16], decay[16];
#pragma unroll
          for (int r = 0; r < 16; r += 4) {
            *reinterpret_cast<float4*>(w + r) = *reinterpret_cast<float4 const*>(room.weight + first_row + r);
            *reinterpret_cast<float4*>(decay + r) = *reinterpret_cast<float4 const*>(room.gamma + first_row + r);
          }
#pragma unroll
          for (int r = 0; r < 16; ++r, to += apart) {
            m = decay[r] * m + (static_cast<unsigned>(first_row + r - pair) < B ? w[r] : 0.0f);
            *to = m;
          }
        }
        (entry ? room.whole[buffer] : room.last[buffer][tid]) = m;
      }
      if constexpr (reads) {
        together();
        float const* const m = mask() + (16 * warp + g) * mask_stride + halo + 2 * h;
        auto put = [&](std::uint32_t tile, int part, float const* m, float const* c) {  // 16 columns
          std::uint32_t words[4];
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            float2 const two = *reinterpret_cast<float2 const*>(m + (e & 1) * 8 * mask_stride + (e >> 1) * 8);
            words[e] = pack(two.x * c[2 * e], two.y * c[2 * e + 1]);
          }
          store_matrices(tile + swizzled(row, part + (mi >> 1)), words[0], words[1], words[2], words[3]);
        };
#pragma unroll
        for (int k = 0; k < 4; ++k) put(scores_at(buffer), 2 * k, m + 16 * k, c + 8 * k);
        if (windows) put(halo_scores_at(), 2 * static_cast<int>(buffer), m - halo, before[0]);
        fence_async();
      }
      arrive(shared_address(&room.masked[buffer]));
      release(n);
    }
  }

  /// A warpgroup: Sᵀ of 64 value columns from chunk to chunk, and outputs.
  __device__ __forceinline__ void pass() const {
    int const tid = threadIdx.x, group = tid / 128, warp = tid / 32 % 4, lane = tid % 32, mi = lane >> 3, li = lane & 7;
    state_part S(warp, lane);
    float o[32] = {};  // Oᵀ
    int const column = S.column;
    auto part = [&](unsigned of) {
      return reinterpret_cast<float4*>(call.parts + (unit * call.segments + of) * index_t(part_floats)) + tid;
    };
    S.load(reads ? call.entry : nullptr, unit, 64 * group);
    if (reads && call.segments > 1) wait_for_earlier_grid();
    if constexpr (reads)
      for (unsigned earlier = 0; earlier < number; ++earlier) {
        float const fade = call.fades[unit * call.segments + earlier];
        float4 const* const from = part(earlier);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          float4 const a = from[256 * i], b = from[256 * (8 + i)];
          S.low[4 * i] = fade * S.low[4 * i] + a.x, S.low[4 * i + 1] = fade * S.low[4 * i + 1] + a.y;
          S.low[4 * i + 2] = fade * S.low[4 * i + 2] + a.z, S.low[4 * i + 3] = fade * S.low[4 * i + 3] + a.w;
          S.high[4 * i] = fade * S.high[4 * i] + b.x, S.high[4 * i + 1] = fade * S.high[4 * i + 1] + b.y;
          S.high[4 * i + 2] = fade * S.high[4 * i + 2] + b.z, S.high[4 * i + 3] = fade * S.high[4 * i + 3] + b.w;
        }
      }
    S.round();
    float fade = 1;
    if (windows) wait_full(0);
    for (unsigned i = 0; i < count; ++i) {
      unsigned const n = i + lead, buffer = i & 1;
      wait_full(n);
      wait(shared_address(&room.masked[buffer]), i / 2 & 1);  // before products begin: across a loop ptxas would wait for them
      float const whole = room.whole[buffer];
      fade *= whole;
      S.fade(whole);
      std::uint32_t weighted[5][4];  // Yᵀ Diag(M_C): 16 pairs each, the last of the chunk before
      auto values = [&](unsigned of, int r) {
        return v_at(of) + group * tile_bytes + swizzled(r + (mi >> 1) * 8 + li, 2 * warp + (mi & 1));
      };
      auto load_values = [&](std::uint32_t(&y)[5][4]) {
#pragma unroll
        for (int k = 0; k < 4; ++k) load_transposed(values(n, 16 * k), y[k]);
        if constexpr (windows) load_transposed(values(n - 1, C - halo), y[4]);
      };
      load_values(weighted);
#pragma unroll
      for (int k = 0; k < (windows ? 5 : 4); ++k) {
        float const* const w = room.last[buffer] + (k < 4 ? halo + 16 * k : 0) + column;
        float2 const near = *reinterpret_cast<float2 const*>(w), far = *reinterpret_cast<float2 const*>(w + 8);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float2 const two = unpack(weighted[k][e]), by = e < 2 ? near : far;
          weighted[k][e] = pack(by.x * two.x, by.y * two.y);
        }
      }
      if constexpr (reads) {
        std::uint64_t const Q = descriptor(q_at(n), 16, 1024);
        pin(o);
        pin(S.rounded);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < 8; ++j) multiply<0>(o, S.rounded[j], Q + (((j >> 2) * tile_bytes + (j & 3) * 32) >> 4), j > 0);
        wgmma_commit();
      }
      std::uint64_t const X = descriptor(x_at(n), tile_bytes, 1024);
      pin(weighted);
      S.pin_sums();
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        multiply<1>(S.low, weighted[k], X + 128 * k, 1);
        multiply<1>(S.high, weighted[k], X + tile_bytes / 16 + 128 * k, 1);
      }
      if constexpr (windows) {
        std::uint64_t const before = descriptor(x_at(n - 1), tile_bytes, 1024) + 128 * 3;
        multiply<1>(S.low, weighted[4], before, 1);
        multiply<1>(S.high, weighted[4], before + tile_bytes / 16, 1);
      }
      wgmma_commit();
      if constexpr (reads) {
        std::uint64_t const N = descriptor(scores_at(buffer), 16, 1024);
        wgmma_wait<1>();
        pin(o);
        pin(S.rounded);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          float const p0 = room.left[buffer][8 * j + column], p1 = room.left[buffer][8 * j + column + 1];
          o[4 * j] *= p0;
          o[4 * j + 1] *= p1;
          o[4 * j + 2] *= p0;
          o[4 * j + 3] *= p1;
        }
        std::uint32_t y[5][4];
        load_values(y);
        pin(o);
        pin(y);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply<0>(o, y[j], N + 2 * j, 1);
        if constexpr (windows) multiply<0>(o, y[4], descriptor(halo_scores_at(), 16, 1024) + 2 * buffer, 1);
        wgmma_commit();
        wgmma_wait<1>();
        S.pin_sums();
        pin(weighted);
        S.round();
        wgmma_wait<0>();
        pin(o);
        pin(y);
      } else {
        wgmma_wait<0>();
        S.pin_sums();
        pin(weighted);
      }
      release(n);
      arrive(shared_address(&room.unmasked[buffer]));
      if constexpr (reads) {
        std::uint32_t outputs[16];
#pragma unroll
        for (int e = 0; e < 16; ++e) outputs[e] = pack(o[2 * e], o[2 * e + 1]);
        leave_outputs(outputs, i, group, outputs_at() + 2 * group * tile_bytes);
      }
    }
    if constexpr (!reads) {
      float4* const to = part(number);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        to[256 * i] = make_float4(S.low[4 * i], S.low[4 * i + 1], S.low[4 * i + 2], S.low[4 * i + 3]);
        to[256 * (8 + i)] = make_float4(S.high[4 * i], S.high[4 * i + 1], S.high[4 * i + 2], S.high[4 * i + 3]);
      }
      if (tid == 0) call.fades[unit * call.segments + number] = fade;
    } else if (number + 1 == call.segments) {
      S.leave(call.exit, unit, 64 * group);
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

/// A block a segment.   @tparam reads outputs, from the state that earlier segments leave; else what the segment adds, of all but the last
/// @tparam windows whether a window holds more than one pair
template <bool reads, bool windows>
__global__ void __launch_bounds__(512, 1)
    read_segments(segments_call const call, CUtensorMap const __grid_constant__ x_map, CUtensorMap const __grid_constant__ q_map,
                  CUtensorMap const __grid_constant__ v_map, CUtensorMap const __grid_constant__ o_map) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ segment_room room;
  unsigned const here = call.segments - (reads ? 0 : 1), unit = blockIdx.x / here, number = blockIdx.x % here;
  unsigned const heads = static_cast<unsigned>(call.in.n.heads), chunks = static_cast<unsigned>((call.in.n.time + C - 1) / C);
  auto begin = [&](unsigned segment) { return static_cast<unsigned>(static_cast<unsigned long long>(chunks) * segment / call.segments); };
  segment<reads, windows> const mine{call,
                                     room,
                                     tiles,
                                     shared_address(tiles),
                                     call.in.span(unit / heads, unit % heads),
                                     unit,
                                     number,
                                     begin(number),
                                     begin(number + 1) - begin(number)};
  if (!reads) release_next_grid();
  share_out<32, 184>(
      [&] {
        signals_init(room.full, 1);
        signals_init(room.empty, 384);
        signals_init(room.masked, 128);
        signals_init(room.unmasked, 256);
      },
      [&](int warp) {
        if (threadIdx.x == 384) mine.fetch(&x_map, &q_map, &v_map);
        if (reads && (warp == 1 || warp == 2))
          send_outputs(&o_map, mine.first, mine.count, warp - 1, mine.outputs_at() + 2 * (warp - 1) * tile_bytes, 64 * (warp - 1),
                       static_cast<int>(mine.s.head), static_cast<int>(mine.s.batch));
      },
      [&] { mine.weigh(); }, [&] { mine.pass(); });
#endif
}

}  // namespace fwa::device::hopper
