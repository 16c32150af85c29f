// SPDX-License-Identifier: Apache-2.0
// device/span.cuh — chunk by chunk, each in the span of the features that it sees; see form/span.hpp.
//
//   S_t = P(t,0) S_0 + X_Jᵀ W_t        J: the n ≤ C + B − 1 pairs that the chunk's windows hold
//
// For every rule and scalar. A block owns up to four times 8 columns of one unit and shares the Gram matrix of the chunk, which it keeps
// in workspace; a warp owns 8 columns, and 4 lanes share the sums of a column.
// Laws: forms_agree, chunk_size_is_free, continuation.
#pragma once

#include "plan.cuh"
#include "recurrent.cuh"
#include "view.cuh"

namespace fwa::device::detail {

/// Rows of shared memory that a column of the span form needs.
[[nodiscard]] constexpr index_t span_rows(index_t d, index_t C, index_t B) { return d + 3 * (C + B - 1) + C + B; }

/// Numbers of workspace that a block of the span form needs.
[[nodiscard]] constexpr index_t span_gram(index_t C, index_t B) { return (2 * C + B - 1) * (C + B - 1); }

/// @param columns dv, and one more where there is a normaliser   @param gram span_gram numbers a block
template <class In, class T, class A>
__global__ void span(view<In, A> in, schedule<A> plan, bool early, index_t columns, index_t C, output<T, A> out, memory<A> exit, A* gram) {
  extern __shared__ __align__(16) unsigned char room[];
  index_t const width = blockDim.x / 32 * columns_a_warp, slices = (columns + width - 1) / width, jobs = in.n.units() * slices;
  int const block_column = threadIdx.x / 32 * columns_a_warp + threadIdx.x % columns_a_warp;
  int const group = threadIdx.x % 32 / columns_a_warp;
  index_t const most = C + in.B - 1, d = in.n.d;
  gram += static_cast<index_t>(blockIdx.x) * span_gram(C, in.B);
  A* const S = reinterpret_cast<A*>(room) + block_column;  // rows of it `width` apart, as of all below
  A* const from_entry = S + d * width;                     // (most + C) X_J S_0 over Q S_0
  A* const W = from_entry + (most + C) * width;            // (most)
  A* const p = W + most * width;                           // (most)
  A* const write = p + most * width;                       // (B)
  bool const predicts = plan.rho != residual::zero;

  for (index_t job = blockIdx.x; job < jobs; job += gridDim.x) {
    unit_span const s = in.span(job / slices);
    index_t const j = job % slices * width + block_column;
    bool const mine = j < columns;
    for (index_t i = group; i < d; i += row_groups) S[i * width] = mine ? in.entry_state(s, i, j) : A(0);
    for (index_t first = 0; first < s.count; first += C) {
      index_t const c = C < s.count - first ? C : s.count - first;
      index_t oldest = first;  // pairs of the chunk are oldest, …, first + c − 1
      for (index_t t = 0; t < c && t < in.B; ++t) {
        index_t const begin = first + t + 1 - in.window(s, first + t);
        if (begin < oldest) oldest = begin;
      }
      index_t const n = first + c - oldest, fresh = n - c;
      auto row = [&](index_t e) { return e < n ? in.x(s, oldest + e) : either_row<In, A>{in.at(in.q, s, first + e - n), nullptr}; };
      __syncthreads();  // the last chunk's Gram matrix has been read
      for (index_t e = threadIdx.x / 32; e < n + c; e += blockDim.x / 32) {
        auto const a = row(e);
        index_t const end = e < n ? (e + in.B < n ? e + in.B : n) : fresh + e - n + 1;  // what no window and no query sees is not read
        for (index_t k = 0; k < end; ++k) {
          A const sum = dot(a, row(k), d);
          if (threadIdx.x % 32 == 0) gram[e * n + k] = sum;
        }
      }
      for (index_t e = 0; e < n + c; ++e) {
        auto const a = row(e);
        A sum(0);
        for (index_t i = group; i < d; i += row_groups) sum += a[i] * S[i * width];
        sum = sum_over_lanes<columns_a_warp>(sum);
        if (group == 0) from_entry[e * width] = sum;
      }
      for (index_t k = group; k < n; k += row_groups) W[k * width] = A(0);
      __syncthreads();

      A decay(1);
      index_t known = 0;  // p_i is up to date for every i < known that a window still holds
      for (index_t t = 0; t < c; ++t) {
        index_t const end = fresh + t + 1, begin = end - in.window(s, first + t), old = end - 1;  // W_i may be non-zero for i < old
        index_t const place = in.place(s, first + t), safe = mine ? j : 0;
        A const gamma = plan.at(plan.gamma, place, safe), weight = plan.at(plan.weight, place, safe);
        A const* const by_q = gram + (n + t) * n;
        auto inner = [&](A const* row_of_gram) {
          A sum(0);
          for (index_t k = group; k < old; k += row_groups) sum += row_of_gram[k] * W[k * width];
          return sum_over_lanes<columns_a_warp>(sum);
        };
        if (predicts)
          for (index_t i = begin < known ? known : begin; i < end; ++i) {
            A const sum = decay * from_entry[i * width] + inner(gram + i * n);
            if (group == 0) p[i * width] = sum;
          }
        A read = early ? decay * from_entry[(n + t) * width] + inner(by_q) : A(0);
        __syncwarp();
        decay *= gamma;
        for (index_t i = begin + group; i < end; i += row_groups) {
          A r = mine ? in.value(s, oldest + i, j) : A(0);
          if (plan.rho == residual::one) r -= p[i * width];
          if (plan.rho == residual::gamma) r -= gamma * p[i * width];
          write[(i - begin) * width] = weight * r;
        }
        __syncwarp();
        A late(0);
        for (index_t k = group; k < end; k += row_groups) {
          A w = k < old ? gamma * W[k * width] : A(0);
          if (k >= begin) w += write[(k - begin) * width];
          W[k * width] = w;
          late += by_q[k] * w;
        }
        if (!early) read = decay * from_entry[(n + t) * width] + sum_over_lanes<columns_a_warp>(late);
        if (mine && group == 0) out.put(in, s, first + t, j, read);
        known = end;
        if (predicts && t + 1 < c) {
          index_t const stays = end + 1 - in.window(s, first + t + 1);
          for (index_t i = (begin < stays ? stays : begin) + group; i < end; i += row_groups) {
            A sum = gamma * p[i * width];
            for (index_t k = begin; k < end; ++k) sum += gram[i * n + k] * write[(k - begin) * width];
            p[i * width] = sum;
          }
        }
        __syncwarp();
      }
      for (index_t i = group; i < d; i += row_groups) {
        A sum = decay * S[i * width];
        for (index_t k = 0; k < n; ++k) sum += row(k)[i] * W[k * width];
        S[i * width] = sum;
      }
      __syncwarp();
    }
    if (mine)
      for (index_t i = group; i < d; i += row_groups) leave_state(exit, in.n, s, i, j, S[i * width]);
    __syncwarp();
  }
}

}  // namespace fwa::device::detail
