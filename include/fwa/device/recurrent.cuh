// SPDX-License-Identifier: Apache-2.0
// device/recurrent.cuh — the definition, token by token; see form/recurrent.hpp.
//
// A warp owns 8 value columns of one unit: lane = row group · 8 + column. Its part of S stands in shared memory, and no thread touches
// a number of S that is another's, so sums over rows are the only exchange.
// Laws: forms_agree, continuation, causality.
#pragma once

#include "plan.cuh"
#include "view.cuh"

namespace fwa::device::detail {

inline constexpr int columns_a_warp = 8, row_groups = 4;

/// Where outputs go: rounded to o, or with the normaliser's column kept wide.
template <class T, class A>
struct output {
  rows<T> o;
  A* wide;  // (place, dv + 1) or null

  template <class In>
  __device__ void put(view<In, A> const& in, unit_span const& s, index_t t, index_t j, A value) const {
    if (wide != nullptr)
      wide[in.place(s, t) * (in.n.dv + 1) + j] = value;
    else
      in.at(o, s, t)[j] = static_cast<T>(value);
  }
};

/// @param columns dv, and one more where there is a normaliser
template <class In, class T, class A>
__global__ void recurrent(view<In, A> in, schedule<A> plan, bool early, index_t columns, output<T, A> out, memory<A> exit) {
  extern __shared__ __align__(16) unsigned char room[];
  index_t const slices = (columns + columns_a_warp - 1) / columns_a_warp;
  int const lane_column = threadIdx.x % columns_a_warp, group = threadIdx.x / columns_a_warp;
  unit_span const s = in.span(static_cast<index_t>(blockIdx.x) / slices);
  index_t const j = static_cast<index_t>(blockIdx.x) % slices * columns_a_warp + lane_column, d = in.n.d;
  bool const mine = j < columns;
  A* const S = reinterpret_cast<A*>(room) + lane_column;  // (d) apart by columns_a_warp
  A* const residuals = S + d * columns_a_warp;            // (B) likewise
  for (index_t i = group; i < d; i += row_groups) S[i * columns_a_warp] = mine ? in.entry_state(s, i, j) : A(0);

  auto seen = [&](auto const& row) {
    A sum(0);
    for (index_t i = group; i < d; i += row_groups) sum += row[i] * S[i * columns_a_warp];
    return sum_over_lanes<columns_a_warp>(sum);
  };
  for (index_t t = 0; t < s.count; ++t) {
    auto read = [&] {
      A const o = seen(either_row<In, A>{in.at(in.q, s, t), nullptr});
      if (mine && group == 0) out.put(in, s, t, j, o);
    };
    index_t const B = in.window(s, t), oldest = t + 1 - B, place = in.place(s, t), safe = mine ? j : 0;
    A const weight = plan.at(plan.weight, place, safe), gamma = plan.at(plan.gamma, place, safe);
    if (early) read();
    for (index_t b = 0; b < B; ++b) {
      A r = mine ? in.value(s, oldest + b, j) : A(0);
      if (plan.rho != residual::zero) {
        A const predicted = seen(in.x(s, oldest + b));
        r -= plan.rho == residual::gamma ? gamma * predicted : predicted;
      }
      if (group == 0) residuals[b * columns_a_warp] = plan.columns == 1 ? r : weight * r;
    }
    __syncwarp();
    A const factor = plan.columns == 1 ? weight : A(1);
    for (index_t i = group; i < d; i += row_groups) {
      A next = gamma * S[i * columns_a_warp];
      for (index_t b = 0; b < B; ++b) next += factor * in.x(s, oldest + b)[i] * residuals[b * columns_a_warp];
      S[i * columns_a_warp] = next;
    }
    __syncwarp();
    if (!early) read();
  }
  if (mine)
    for (index_t i = group; i < d; i += row_groups) leave_state(exit, in.n, s, i, j, S[i * columns_a_warp]);
}

}  // namespace fwa::device::detail
