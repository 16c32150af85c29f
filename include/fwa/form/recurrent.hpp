// SPDX-License-Identifier: Apache-2.0
// form/recurrent.hpp — the definition: token by token.                                                    Algorithm 2, 5
//
//   S_t = S_{t−1} Diag(γ_t) + Σ_{j∈I_t} x_j ( w_t ⊙ (y_j − ρ_t S_{t−1}ᵀ x_j) )ᵀ        o_t = S_tᵀ q_t  or  S_{t−1}ᵀ q_t
//
//   q, x (·, dx)   y (·, dv)   S (dx, dv)   w_t, γ_t (1) or (dv)
//
// O(B_t dx dv) a token, no allocation.
// Laws: forms_agree, continuation, causality.
#pragma once

#include "../align/pairs.hpp"
#include "../options.hpp"
#include "../scalar.hpp"
#include "../step/schedule.hpp"
#include "memory.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <utility>

namespace fwa {

/// Multiplies column j of m by factor(t, j), or all of m by factor(t, 0) where the factor has one column.
template <class M, class T>
void scale_columns(M&& m, mat<T> const& factor, index_t t) {
  if (factor.cols() == 1)
    m *= factor(t, 0);
  else
    m.array().rowwise() *= factor.row(t).array();
}

/// 2^e near the largest entry of x, and 2^−e; 0 and 1 where x is 0; 1 where the scalar has no exponent to leave. A step size is about
/// 1/‖x‖², so w r alone may overflow where w r x does not; (2^e w) r (2^−e x) does not, and rounds as before.
template <ring T>
struct binade {
  T up = T(1), down = T(1);

  template <class X>
  explicit binade(X const& x) {
    if constexpr (std::floating_point<T>) {
      constexpr int widest = std::numeric_limits<T>::max_exponent - 1;
      T const most = x.cwiseAbs().maxCoeff();
      int const e = most > T(0) ? std::clamp(std::ilogb(most), -widest, widest) : 0;
      up = most > T(0) ? std::ldexp(T(1), e) : T(0);
      down = std::ldexp(T(1), -e);
    }
  }
};

/// One write, in place.
/// @param x, y (B_t, ·) the pairs of I_t   @param residuals (B_t, dv) scratch
template <ring T, class X, class Y, class Residuals>
void write(mat<T>& S, X const& x, Y const& y, schedule<T> const& plan, index_t t, Residuals&& residuals) {
  if (plan.rho == residual::zero) {
    residuals = y;
  } else {
    for (index_t j = 0; j < x.rows(); ++j) residuals.row(j).noalias() = x.row(j) * S;
    if (plan.rho == residual::gamma) scale_columns(residuals, plan.gamma, t);
    residuals = y - residuals;
  }
  T factor = plan.weight(t, 0);  // of x; the rest of the weight is the residual's
  if (plan.per_column()) {
    binade<T> const unit(x);
    for (index_t j = 0; j < x.rows(); ++j) residuals.row(j).array() *= plan.weight.row(t).array() * unit.up;
    factor = unit.down;
  }
  for (index_t i = 0; i < S.rows(); ++i) {
    scale_columns(S.row(i), plan.gamma, t);
    for (index_t j = 0; j < x.rows(); ++j) S.row(i) += T(factor * x(j, i)) * residuals.row(j);
  }
}

/// c tokens, one after the other; same calls as masked_block and span_block.
template <ring T>
class recurrent_block {
 public:
  /// @param q φ(q) of the block (c, dx)   @param p, plan of the whole sequence   @param first the block's first token
  void load(view<T> q, pairs<T> const& p, schedule<T> const& plan, index_t first, timing when) {
    q_.emplace(q);
    pairs_ = &p;
    plan_ = &plan;
    first_ = first;
    when_ = when;
  }

  /// From the entry state S (dx, dv) to the exit state in place, and the outputs o (c, dv).
  void pass(mat<T>& S, target<T> o) {
    for (index_t t = 0; t < o.rows(); ++t) {
      index_t const B = plan_->window[static_cast<std::size_t>(first_ + t)], end = pairs_->before + first_ + t + 1;
      if (when_ == timing::read_before_write) o.row(t).noalias() = q_->row(t) * S;
      if (residuals_.rows() < B || residuals_.cols() != S.cols()) residuals_.resize(B, S.cols());
      if (B > 0) write<T>(S, pairs_->x.middleRows(end - B, B), pairs_->y.middleRows(end - B, B), *plan_, first_ + t, residuals_.topRows(B));
      if (when_ == timing::read_after_write) o.row(t).noalias() = q_->row(t) * S;
    }
  }

 private:
  std::optional<view<T>> q_;
  pairs<T> const* pairs_ = nullptr;
  schedule<T> const* plan_ = nullptr;
  index_t first_ = 0;
  timing when_{};
  mat<T> residuals_;  // (≥ B_t, dv)
};

/// A sequence in blocks of C tokens, each entered with the state that the one before left.
/// @param q φ(q) (T, dx)   @param S state before the first token (dx, dv), then after the last   @param o (T, dv)
template <class Block, ring T>
void block_by_block(Block& block, view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, index_t C, mat<T>& S, target<T> o) {
  for (index_t first = 0; first < q.rows(); first += C) {
    index_t const c = std::min(C, q.rows() - first);
    block.load(q.middleRows(first, c), p, plan, first, when);
    block.pass(S, o.middleRows(first, c));
  }
}

/// The same with a block of its own, by value.
template <class Block, ring T>
[[nodiscard]] reading<T> block_by_block(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, index_t C, mat<T> S) {
  mat<T> o(q.rows(), S.cols());
  Block block;
  block_by_block<Block, T>(block, q, p, plan, when, C, S, o);
  return {std::move(o), std::move(S)};
}

/// @param q φ(q) (T, dx)   @param S state before the first token (dx, dv)
template <ring T>
[[nodiscard]] reading<T> recurrent(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, mat<T> S) {
  return block_by_block<recurrent_block<T>, T>(q, p, plan, when, q.rows(), std::move(S));
}

}  // namespace fwa
