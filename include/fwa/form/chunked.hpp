// SPDX-License-Identifier: Apache-2.0
// form/chunked.hpp — chunk by chunk: inside a chunk the masked form from the chunk's entry state, between chunks its exit formula.
//                                                                    Figure 2C, Algorithm 1, 3, 4, 8 (without their 1/δ and √η)
//
// Any C ≥ 1, any T ≥ 0; the last chunk may be shorter; a windowed chunk reads the pairs before it. C = 1 is the recurrent form,
// C = T the masked form. Three phases: (1) load: Gram, scores, decays; state-free; (2) boundary states, here one after the other,
// in scan.hpp by an associative scan; (3) outputs. Sequentially the phases of a chunk follow each other, so the working set is
// that of one chunk.
// Laws: forms_agree, chunk_size_is_free, continuation.
#pragma once

#include "../contract.hpp"
#include "masked.hpp"
#include "recurrent.hpp"
#include "span.hpp"

#include <algorithm>

namespace fwa {

/// Which block solves a chunk: one triangular system for all columns, or, where each column or each window needs its own, the span.
template <class T>
[[nodiscard]] bool has_one_system(schedule<T> const& plan) {
  return !plan.per_column() && (plan.rho == residual::zero || std::ranges::all_of(plan.window, [](index_t B) { return B <= 1; }));
}

/// @param q φ(q) (T, dx)   @param C chunk, ≥ 1   @param S state before the first token (dx, dv)
template <ring T>
[[nodiscard]] reading<T> chunked(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, index_t C, mat<T> S) {
  require(C >= 1, "chunked", "chunk must be at least 1, but is ", C);
  return has_one_system(plan) ? block_by_block<masked_block<T>, T>(q, p, plan, when, C, std::move(S))
                              : block_by_block<span_block<T>, T>(q, p, plan, when, C, std::move(S));
}

}  // namespace fwa
