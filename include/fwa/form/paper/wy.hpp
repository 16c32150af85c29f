// SPDX-License-Identifier: Apache-2.0
// form/paper/wy.hpp — Falcon-1 and Falcon-2 by the compact WY transform.              Algorithm 1, 6, 8, Eq. (F.2), Appendix E.1
//
// In the variables of renormalise.hpp, with u_t = σ_t x_t and σ_t = √η̂_t the rows of U, latest factor leftmost:
//
//   (I − u_Cᵀu_C) ⋯ (I − u_1ᵀu_1) = I − Uᵀ L⁻¹ U,      L = I + tril(U Uᵀ, −1)
//   B = L⁻¹ (σ ⊙ V̂ − U S_in)     O = Q S_in + tril(Q Uᵀ) B     S_out = S_in + Uᵀ B                               one merged solve
//
// Per column: L_j = I + tril(G ∘ σ_j σ_jᵀ, −1), B_j = σ_j ⊙ L_j⁻¹ (σ_j ⊙ (V̂_j − (X S_in)_j)), scores from unscaled keys.
// (Figure 4B and 5B of the paper read X where U is meant, and lack Q S_in.)
// √η has no derivative at 0; the residual form of masked.hpp needs no root.
// Laws: paper_forms_agree_where_defined.
#pragma once

#include "../../align/pairs.hpp"
#include "../memory.hpp"
#include "../triangular.hpp"
#include "renormalise.hpp"

#include <algorithm>
#include <utility>

namespace fwa::paper {

/// One chunk without decay; sigma (c, 1) or (c, dv), S in and out, o (c, dv).
template <field T, class Rows>
void wy_chunk(Rows const& q, Rows const& x, mat<T> const& y, mat<T> const& sigma, timing when, mat<T>& S, target<T> o) {
  index_t const c = x.rows(), reach = when == timing::read_after_write ? 1 : 0;
  mat<T> const gram = x * x.transpose();  // (c, c)
  mat<T> scores = q * x.transpose();      // (c, c)
  for (index_t t = 0; t < c; ++t) scores.row(t).tail(c - std::min(c, t + reach)).setConstant(T(0));
  mat<T> B = y - x * S;  // (c, dv)
  multiply_rows(B, sigma);
  mat<T> L(c, c), column;
  for (index_t j = 0; j < sigma.cols(); ++j) {
    L = sigma.col(j).asDiagonal() * gram * sigma.col(j).asDiagonal();
    if (sigma.cols() == 1) {
      solve_unit_lower(L, B);
    } else {
      column = B.col(j);
      solve_unit_lower(L, column);
      B.col(j) = column;
    }
  }
  multiply_rows(B, sigma);
  o.noalias() = q * S + scores * B;
  S.noalias() += x.transpose() * B;
}

/// @pre ρ = 1, window 1, γ > 0   @param sigma √η̂ (T, 1) or (T, dv)   @param C chunk   @param S state before the first token (dx, dv)
template <field T>
[[nodiscard]] reading<T> wy(view<T> q, pairs<T> const& p, schedule<T> const& plan, mat<T> const& sigma, timing when, index_t C, mat<T> S,
                            prefix how = prefix::product) {
  mat<T> o(q.rows(), S.cols());
  for (index_t first = 0; first < q.rows(); first += C) {
    index_t const c = std::min(C, q.rows() - first), early = when == timing::read_before_write ? 0 : 1;
    mat<T> const decay = decays(plan, first, c, how);  // (c + 1, ·)
    mat<T> y = p.y.middleRows(p.before + first, c);
    divide_rows(y, mat<T>(decay.topRows(c)));
    wy_chunk<T>(view<T>(q.middleRows(first, c)), view<T>(p.x.middleRows(p.before + first, c)), y, mat<T>(sigma.middleRows(first, c)), when,
                S, o.middleRows(first, c));
    multiply_rows(o.middleRows(first, c), mat<T>(decay.middleRows(early, c)));
    multiply_rows(S, mat<T>(decay.row(c).replicate(S.rows(), 1)));
  }
  return {std::move(o), std::move(S)};
}

}  // namespace fwa::paper
