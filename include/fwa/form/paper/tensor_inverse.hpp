// SPDX-License-Identifier: Apache-2.0
// form/paper/tensor_inverse.hpp — Falcon-3 as a low-rank driven recurrence.        Algorithm 3, Eq. (H.5)–(H.11), arXiv 2504.00492
//
// In the variables of renormalise.hpp, every window zero-padded to B pairs, X̃ (C·B, dx) and Ṽ (C·B, dv), time block by time block:
//
//   A = Diag(η̂_t / B_t) X̃      𝒞 = I + tril_block(X̃ Aᵀ)      strict by time block: pairs of one token do not see each other
//   Z = 𝒞⁻¹ (Ṽ / c_{t−1} − X̃ S_in)       S_out = c_C (S_in + Aᵀ Z)       o_t = c_t (q_tᵀ S_in + [(Q Aᵀ ∘ L) Z]_t),  L inclusive by block
//
// (Figure 9B draws L as a band of width B; it is inclusive block-causal.) Costs O((C B)² dv) a chunk; span.hpp computes the same
// map at O(C (C + B) dv + C B² dv).
// Laws: paper_forms_agree_where_defined.
#pragma once

#include "../../align/pairs.hpp"
#include "../memory.hpp"
#include "../triangular.hpp"
#include "renormalise.hpp"

#include <algorithm>
#include <utility>

namespace fwa::paper {

/// @pre ρ = 1, one step a token, γ > 0   @param B window   @param C chunk   @param S state before the first token (dx, dv)
template <field T>
[[nodiscard]] reading<T> tensor_inverse(view<T> q, pairs<T> const& p, schedule<T> const& plan, index_t B, timing when, index_t C, mat<T> S,
                                        prefix how = prefix::product) {
  index_t const dx = q.cols(), dv = S.cols(), late = when == timing::read_after_write ? 1 : 0;
  mat<T> o(q.rows(), dv);
  for (index_t first = 0; first < q.rows(); first += C) {
    index_t const c = std::min(C, q.rows() - first);
    mat<T> const decay = decays(plan, first, c, how);  // (c + 1, 1)
    mat<T> X = mat<T>::Constant(c * B, dx, T(0)), A = X, Z = mat<T>::Constant(c * B, dv, T(0));
    for (index_t t = 0; t < c; ++t) {
      index_t const n = plan.window[static_cast<std::size_t>(first + t)], oldest = p.before + first + t + 1 - n;
      X.middleRows(t * B, n) = p.x.middleRows(oldest, n);
      A.middleRows(t * B, n) = p.x.middleRows(oldest, n) * T(plan.weight(first + t, 0) / plan.gamma(first + t, 0));
      Z.middleRows(t * B, n) = p.y.middleRows(oldest, n) / decay(t, 0);
    }
    Z -= X * S;
    mat<T> coupling = X * A.transpose(), scores = q.middleRows(first, c) * A.transpose();
    for (index_t t = 0; t < c; ++t) {
      coupling.block(t * B, t * B, B, B).setConstant(T(0));
      scores.row(t).tail((c - std::min(c, t + late)) * B).setConstant(T(0));
    }
    solve_unit_lower(coupling, Z);
    o.middleRows(first, c) = q.middleRows(first, c) * S + scores * Z;
    multiply_rows(o.middleRows(first, c), mat<T>(decay.middleRows(late, c)));
    S += A.transpose() * Z;
    S *= decay(c, 0);
  }
  return {std::move(o), std::move(S)};
}

}  // namespace fwa::paper
