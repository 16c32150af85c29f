// SPDX-License-Identifier: Apache-2.0
// device/view.cuh — a call as kernels see it: where sequences begin, and pairs (x, y) aligned on the way.
//
//   shifted   x_i = φ(k_{i−1}), x_0 the last feature of the memory, or 0 where the sequence is fresh      same-step   x_i = φ(k_i)
//   i < 0: the pairs of the tail
#pragma once

#include "call.cuh"

namespace fwa::device {

/// A row in either of two types: tokens as stored, or what a memory keeps; neither: zeros.
template <class In, class A>
struct either_row {
  In const* token = nullptr;
  A const* kept = nullptr;

  __device__ A operator[](index_t e) const { return token ? static_cast<A>(token[e]) : kept ? kept[e] : A(0); }
};

/// One head of one sequence.
struct unit_span {
  index_t unit, batch, first, count, head;
  index_t before;  // pairs of the tail
  bool fresh;      // no key was read before
};

/// Tokens after φ, with what the sequences continue.
template <class In, class A>
struct view {
  sizes n;
  index_t const* offsets;
  rows<In const> q, k, v;
  memory<A const> entry;
  index_t B;
  bool shifted;

  [[nodiscard]] __device__ unit_span span(index_t sequence, index_t head) const {
    index_t const unit = sequence * n.heads + head;
    unit_span s{unit, n.packed > 0 ? 0 : sequence, 0, n.time, head, 0, entry.pairs == nullptr || entry.pairs[unit] < 0};
    if (n.packed > 0) {
      s.first = offsets[sequence];
      s.count = offsets[sequence + 1] - s.first;
    }
    if (entry.pairs != nullptr && B > 1 && entry.pairs[unit] > 0) s.before = entry.pairs[unit];
    return s;
  }
  [[nodiscard]] __device__ unit_span span(index_t unit) const { return span(unit / n.heads, unit % n.heads); }

  /// The unit that token t of a batch entry belongs to.
  [[nodiscard]] __device__ unit_span span_of_token(index_t batch, index_t t, index_t head) const {
    if (n.packed == 0) return span(batch, head);
    index_t low = 0, high = n.packed;  // offsets[low] ≤ t < offsets[high]
    while (high - low > 1) {
      index_t const middle = low + (high - low) / 2;
      (offsets[middle] <= t ? low : high) = middle;
    }
    return span(low, head);
  }

  [[nodiscard]] __device__ bool sentinel(unit_span const& s) const { return shifted && s.fresh; }
  /// B_t
  [[nodiscard]] __device__ index_t window(unit_span const& s, index_t t) const {
    index_t const available = s.before + t + 1 - (sentinel(s) ? 1 : 0);
    return B < available ? B : available;
  }
  /// Where token t of a unit stands in arrays [batch, time, head].
  [[nodiscard]] __device__ index_t place(unit_span const& s, index_t t) const {
    return (s.batch * n.time + s.first + t) * n.heads + s.head;
  }

  template <class T>
  [[nodiscard]] __device__ static T* at(rows<T> const& r, unit_span const& s, index_t t) {
    return r.data + s.batch * r.batch + (s.first + t) * r.time + s.head * r.head;
  }
  [[nodiscard]] __device__ either_row<In, A> x(unit_span const& s, index_t i) const {
    if (i < 0) return {nullptr, entry.tail_x + (s.unit * (B - 1) + B - 1 + i) * n.d};
    if (!shifted) return {at(k, s, i), nullptr};
    if (i > 0) return {at(k, s, i - 1), nullptr};
    return {nullptr, s.fresh ? nullptr : entry.last_feature + s.unit * n.d};
  }
  [[nodiscard]] __device__ either_row<In, A> y(unit_span const& s, index_t i) const {
    if (i < 0) return {nullptr, entry.tail_y + (s.unit * (B - 1) + B - 1 + i) * n.dv};
    return {at(v, s, i), nullptr};
  }
  /// Entry j of y_i, and 1 in the column of a normaliser.
  [[nodiscard]] __device__ A value(unit_span const& s, index_t i, index_t j) const { return j < n.dv ? y(s, i)[j] : A(1); }

  /// S_0, its z as column dv.
  [[nodiscard]] __device__ A entry_state(unit_span const& s, index_t i, index_t j) const {
    if (j < n.dv) return entry.state != nullptr ? entry.state[(s.unit * n.d + i) * n.dv + j] : A(0);
    return entry.z != nullptr ? entry.z[s.unit * n.d + i] : A(0);
  }
};

/// Puts one entry of S_T, or of z_T, where it is wanted.
template <class A>
__device__ void leave_state(memory<A> const& exit, sizes const& n, unit_span const& s, index_t i, index_t j, A value) {
  if (j < n.dv) {
    if (exit.state != nullptr) exit.state[(s.unit * n.d + i) * n.dv + j] = value;
  } else if (exit.z != nullptr) {
    exit.z[s.unit * n.d + i] = value;
  }
}

/// Sum over the lanes of a warp that `mask` of their number distinguishes: 8 and 16, or all five bits.
template <int lowest, class A>
__device__ A sum_over_lanes(A value) {
  for (int step = 16; step >= lowest; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

}  // namespace fwa::device
