// SPDX-License-Identifier: Apache-2.0
// device/call.cuh — a call of the device: what goes in, what comes out, all of it in memory that the caller owns.
//
//   q, k [batch, time, head, d]   v, o [batch, time, head, dv]
//   β, η, γ [batch, time, head], or [batch, time, head, dv] for a per-column rule   λ [batch, time, head]
//   N packed sequences: batch = 1 and N + 1 offsets into time, on the device; nothing crosses from one to the next
//
// A unit is one head of one sequence: unit = sequence · heads + head. Calls are queued on a stream, allocate nothing and wait for nothing.
// This header needs CUDA's headers, but not its compiler.
// Laws: continuation, packing, heads_are_independent.
#pragma once

#include "../concepts.hpp"
#include "../index.hpp"
#include "../options.hpp"
#include "../rule/rule.hpp"
#include "error.cuh"

#include <cuda_bf16.h>

#include <cstddef>

namespace fwa {

template <>
struct accumulator<__nv_bfloat16> {
  using type = float;
};

namespace device {

/// Rows of a [batch, time, head, ·] array: distances in entries; a row's entries lie side by side.
template <class T>
struct rows {
  T* data = nullptr;
  index_t batch = 0, time = 0, head = 0;
};

struct sizes {
  index_t batch = 1, time = 0, heads = 1;
  index_t d = 1, dv = 1;
  index_t packed = 0;  ///< number of packed sequences; 0: one a batch entry

  [[nodiscard]] constexpr index_t sequences() const { return packed > 0 ? packed : batch; }
  [[nodiscard]] constexpr index_t units() const { return sequences() * heads; }
  [[nodiscard]] constexpr index_t tokens() const { return batch * time * heads; }
};

/// An array [batch, time, head, width] without gaps.
template <class T>
[[nodiscard]] constexpr rows<T> dense(T* data, sizes const& n, index_t width) {
  return {data, n.time * n.heads * width, n.heads * width, width};
}

/// What continues each unit. A tail keeps its pairs in the last rows of its B − 1.
template <class A>
struct memory {
  A* state = nullptr;         ///< (unit, d, dv)
  A* z = nullptr;             ///< (unit, d) normaliser of a normalised read
  A* last_feature = nullptr;  ///< (unit, d) φ of the last key, not yet written
  A* tail_x = nullptr;        ///< (unit, B − 1, d)
  A* tail_y = nullptr;        ///< (unit, B − 1, dv)
  int* pairs = nullptr;       ///< (unit) how many pairs the tail has; −1: fresh, no key was read yet
};

template <class A>
struct memory<A const> {
  A const* state = nullptr;
  A const* z = nullptr;
  A const* last_feature = nullptr;
  A const* tail_x = nullptr;
  A const* tail_y = nullptr;
  int const* pairs = nullptr;

  constexpr memory() = default;
  constexpr memory(memory<A> const& m)
      : state(m.state), z(m.z), last_feature(m.last_feature), tail_x(m.tail_x), tail_y(m.tail_y), pairs(m.pairs) {}
};

/// Why a plan cannot be used, as bits of call::refused.
enum refusal : unsigned { gain_out_of_range = 1, ridge_out_of_range = 2, energy_out_of_range = 4, input_not_finite = 8 };

template <class T>
struct call {
  using A = accumulator_t<T>;

  rows<T const> q, k, v;
  rows<A const> size;                ///< β or η
  rows<A const> forget;              ///< λ, or γ shaped as η
  index_t const* offsets = nullptr;  ///< packed + 1 of them
  memory<A const> entry;             ///< without `pairs`: fresh sequences; without `state`: from 0

  rows<T> o;
  memory<A> exit;                      ///< what is null is not written; may be the entry itself
  A *eta = nullptr, *gamma = nullptr;  ///< [batch, time, head] or [batch, time, head, dv], where wanted
  unsigned char* clamped = nullptr;    ///< shaped as eta: where the decay floor acts
  unsigned* refused = nullptr;         ///< one word, into which refusals are or-ed; numbers are checked nowhere else

  void* workspace = nullptr;  ///< aligned as cudaMalloc aligns
  std::size_t workspace_bytes = 0;
};

/// Which kernels may run: those made for one kind of device, where there are such, or only those that are right everywhere.
enum class kernels { fastest, portable };

/// Bytes of workspace that attend needs.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(rule const& r, options const& o, sizes const& n, kernels which = kernels::fastest);

/// Queues the reading of all units. Forms: recurrent, and chunk with C ∈ {16, 32, 64}.
/// @throws contract_error for a rule, options, sizes or arrays that do not go together; cuda_error with the name of the call that failed
template <class T>
void attend(rule const& r, options const& o, sizes const& n, call<T> const& c, cudaStream_t stream, kernels which = kernels::fastest);

}  // namespace device
}  // namespace fwa
