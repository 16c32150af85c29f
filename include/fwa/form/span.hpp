// SPDX-License-Identifier: Apache-2.0
// form/span.hpp — a block of tokens in the span of the features it sees: windows at linear cost, all columns at once.
//
//   S_t = P(t,0) S_0 + X_Jᵀ W_t        J: the n ≤ c + B − 1 pairs that the block's windows hold
//
//   W_t = γ_t W_{t−1},  then  W_j += w_t ⊙ r_{j,t},  r_{j,t} = y_j − ρ_t p_j   for j ∈ I_t
//   p_j = S_{t−1}ᵀx_j = P(t−1,0) S_0ᵀx_j + Σ_i ⟨x_j,x_i⟩ W_i    once, at j's first step in the block; within its B steps
//   p_j ← γ_t p_j + Σ_{i∈I_t} ⟨x_j,x_i⟩ (w_t ⊙ r_{i,t})
//   o_t = P(t,0) S_0ᵀq_t + Σ_i ⟨q_t,x_i⟩ W_i
//
//   W, p (n, dv)   w_t, γ_t (1) or (dv)
//
// A feature is stored as 2^e x̂ with x̂ of order 1 (binade, recurrent.hpp): W has the factor 2^e, and Gram columns and the exit take x̂.
// Multiplications: 3·c²/2 + c·B² a value column (two Gram products and the decay of W), besides four matrix products. Columns are
// independent given the Gram matrix, so the sweep is vectorised across them and W stays in the nearest cache.
// Laws: forms_agree, causality.
#pragma once

#include "../align/pairs.hpp"
#include "../options.hpp"
#include "../scalar.hpp"
#include "../step/schedule.hpp"
#include "memory.hpp"
#include "recurrent.hpp"

#include <algorithm>

namespace fwa {

/// c tokens; same calls as masked_block.
template <ring T>
class span_block {
 public:
  /// Everything that does not depend on the entry state.
  /// @param q φ(q) of the block (c, dx)   @param p, plan of the whole sequence   @param first the block's first token
  void load(view<T> q, pairs<T> const& p, schedule<T> const& plan, index_t first, timing when) {
    plan_ = &plan;
    first_ = first;
    when_ = when;
    index_t const c = q.rows(), here = p.before + first;
    oldest_ = here;
    for (index_t t = 0; t < c; ++t) oldest_ = std::min(oldest_, here + t + 1 - window(t));
    index_t const n = here + c - oldest_;
    fresh_ = n - c;
    both_.resize(n + c, q.cols());
    both_ << p.x.middleRows(oldest_, n), q;
    y_ = p.y.middleRows(oldest_, n);
    x_ = both_.topRows(n);
    unit_.resize(n);
    for (index_t i = 0; i < n; ++i) {
      binade<T> const unit(x_.row(i));
      x_.row(i) *= unit.down;
      unit_(i) = unit.up;
    }
    gram_.noalias() = both_ * x_.transpose();
  }

  /// From the entry state S (dx, dv) to the exit state in place, and the outputs o (c, dv).
  void pass(mat<T>& S, target<T> o) {
    index_t const dv = S.cols();
    seen_.noalias() = both_ * S;
    W_.resize(y_.rows(), dv);
    decay_.resize(1, dv);
    for_lanes<T>(dv, [&]<int N>(index_t j, index_t width) { sweep<N>(j, width, o); });
    scale_columns(S, decay_, 0);
    S.noalias() += x_.transpose() * W_;
  }

 private:
  [[nodiscard]] index_t window(index_t t) const { return plan_->window[static_cast<std::size_t>(first_ + t)]; }

  /// Columns [j, j + width) of the block.
  template <int N>
  void sweep(index_t j, index_t width, target<T>& o) {
    using lane = fwa::lane<T, N>;
    index_t const n = y_.rows(), c = o.rows();
    bool const predicts = plan_->rho != residual::zero, early = when_ == timing::read_before_write;
    auto columns = [&](mat<T> const& m, index_t t) -> lane {
      if (m.cols() == 1) return lane::Constant(width, m(t, 0));
      return m.row(t).array().template segment<N>(j, width);
    };
    lane_rows<T, N> W = lane_rows<T, N>::Constant(n, width, T(0)), p(n, width), write(n, width);
    lane decay = lane::Constant(width, T(1));
    for (index_t t = 0; t < c; ++t) {
      index_t const end = fresh_ + t + 1, begin = end - window(t), old = end - 1;  // W_i is 0 for i >= old
      lane const gamma = columns(plan_->gamma, first_ + t), weight = columns(plan_->weight, first_ + t);
      if (predicts)
        for (index_t i = t == 0 ? begin : old; i < end; ++i) {  // p of the earlier ones is up to date
          lane sum = decay * seen_.row(i).array().template segment<N>(j, width);
          for (index_t k = 0; k < old; ++k) sum += gram_(i, k) * W.row(k);
          p.row(i) = sum;
        }
      lane read = lane::Constant(width, T(0));
      if (early) {
        read = decay * seen_.row(n + t).array().template segment<N>(j, width);
        for (index_t k = 0; k < old; ++k) read += gram_(n + t, k) * W.row(k);
      }
      decay *= gamma;
      for (index_t i = begin; i < end; ++i) {
        lane r = y_.row(i).array().template segment<N>(j, width);
        if (plan_->rho == residual::one) r -= p.row(i);
        if (plan_->rho == residual::gamma) r -= gamma * p.row(i);
        write.row(i) = (weight * unit_(i)) * r;
      }
      if (!early) read = decay * seen_.row(n + t).array().template segment<N>(j, width);
      for (index_t k = 0; k < old; ++k) {
        lane const w = gamma * W.row(k);
        W.row(k) = w;
        if (!early) read += gram_(n + t, k) * w;
      }
      for (index_t i = begin; i < end; ++i) {
        W.row(i) += write.row(i);
        if (!early) read += gram_(n + t, i) * write.row(i);
      }
      o.row(t).template segment<N>(j, width) = read.matrix();
      if (predicts && t + 1 < c)
        for (index_t i = end + 1 - window(t + 1); i < end; ++i) {  // no window begins before the last one did
          lane sum = gamma * p.row(i);
          for (index_t k = begin; k < end; ++k) sum += gram_(i, k) * write.row(k);
          p.row(i) = sum;
        }
    }
    W_.middleCols(j, width) = W.matrix();
    decay_.middleCols(j, width) = decay.matrix();
  }

  schedule<T> const* plan_ = nullptr;
  index_t first_ = 0, oldest_ = 0, fresh_ = 0;  // the block's own pairs begin at row fresh_ of X_J
  timing when_{};
  mat<T> both_;       // (n + c, dx) X_J over Q
  mat<T> x_, y_;      // (n, dx), (n, dv); row i of x_ is x_i / unit_(i)
  row<T> unit_;       // (n) powers of two that W has as a factor
  mat<T> gram_;       // (n + c, n) of both_ with x_
  mat<T> seen_;       // (n + c, dv) X_J S_0 over Q S_0
  mat<T> W_, decay_;  // (n, dv), (1, dv) at the block's end
};

}  // namespace fwa
