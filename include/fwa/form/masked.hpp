// SPDX-License-Identifier: Apache-2.0
// form/masked.hpp — a block of tokens as one masked system.                  Figure 2B, 5B, Section 4.6, Appendix D.1
//
// Unknown e is the residual r_e of a pair (x_e, y_e) at the token t(e) that writes it. With P(t,s) = γ_{s+1} ⋯ γ_t and
//
//   M_{t,e} = P(t, t(e)) w_{t(e)},  t(e) ≤ t                        the weight that write e still has after token t
//   (I + A) R = Y − ρ P(t−1, 0) X S_0       A_{e,f} = ρ M_{t(e)−1, f} ⟨x_e, x_f⟩,  t(f) < t(e)
//   O = P(·, 0) Q S_0 + (Q Xᵀ ∘ M) R        S_T = P(T, 0) S_0 + Xᵀ Diag(M_{T,·}) R
//
// The pairs of one token do not see each other. Inner product: ρ = 0, so A = 0 and R = Y, and all writes of a pair share an
// unknown: M_{t,j} = Σ_s P(t,s) w_s over the tokens s ≤ t whose window holds j, i.e. M = P Diag(η) A, A_{s,j} = 1[j∈I_s]/B_s.
// Read before write: rows of M and P(·, 0) are taken one token earlier.
//
// Decays are running products, P(t,s) = γ_t P(t−1,s): no quotient, no logarithm, underflow to 0; none is above 1 unless a
// given γ or any_gain is.
// Per-column rules have one M and one A a column and share both Gram matrices.
// Laws: forms_agree, causality.
#pragma once

#include "../align/pairs.hpp"
#include "../options.hpp"
#include "../scalar.hpp"
#include "../step/schedule.hpp"
#include "memory.hpp"
#include "recurrent.hpp"
#include "triangular.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace fwa {

/// Rows that a product takes together, to skip most of what the mask hides; fewer, and products lose more than they skip.
inline constexpr index_t rows_together = 16;

/// c tokens with n unknowns.
template <ring T>
class masked_block {
 public:
  /// Everything that does not depend on the entry state.
  /// @param q φ(q) of the block (c, dx)   @param p, plan of the whole sequence   @param first the block's first token
  void load(view<T> q, pairs<T> const& p, schedule<T> const& plan, index_t first, timing when) {
    plan_ = &plan;
    first_ = first;
    when_ = when;
    solves_ = plan.rho != residual::zero;
    q_.emplace(q);
    list_unknowns(p);
    index_t const n = x_->rows();
    if (solves_) gram_.resize(n, n);
    seen_by_q_.resize(q.rows(), n);
    if (solves_)
      in_groups(n, [&](index_t e, index_t rows) {
        gram_.block(e, 0, rows, e + rows).noalias() = x_->middleRows(e, rows) * x_->topRows(e + rows).transpose();
      });
    in_groups(q.rows(), [&](index_t t, index_t rows) {
      index_t const seen = writes_[static_cast<std::size_t>(t + rows - 1)].end;
      seen_by_q_.block(t, 0, rows, seen).noalias() = q.middleRows(t, rows) * x_->topRows(seen).transpose();
    });
    if (!plan.per_column()) weigh(0);
  }

  /// From the entry state S (dx, dv) to the exit state in place, and the outputs o (c, dv).
  void pass(mat<T>& S, target<T> o) {
    if (!plan_->per_column()) {
      solve(*y_, S, o);
      return;
    }
    mat<T> y, column, out(o.rows(), 1);
    for (index_t j = 0; j < S.cols(); ++j) {
      weigh(j);
      y = y_->col(j);
      column = S.col(j);
      solve(y, column, out);
      S.col(j) = column;
      o.col(j) = out;
    }
  }

 private:
  struct range {
    index_t begin, end;
  };

  /// Calls f(first, count) for groups of rows.
  template <class F>
  static void in_groups(index_t rows, F&& f) {
    for (index_t first = 0; first < rows; first += rows_together) f(first, std::min(rows_together, rows - first));
  }

  /// x_, y_, and for each token the unknowns that it writes.
  void list_unknowns(pairs<T> const& p) {
    index_t const c = q_->rows(), here = p.before + first_;
    auto window = [&](index_t t) { return plan_->window[static_cast<std::size_t>(first_ + t)]; };
    index_t oldest = here, count = 0;
    bool one_each = true;
    for (index_t t = 0; t < c; ++t) {
      oldest = std::min(oldest, here + t + 1 - window(t));
      one_each = one_each && window(t) <= 1;
    }
    writes_.clear();
    if (!solves_ || one_each) {  // the rows of pairs themselves
      for (index_t t = 0; t < c; ++t) writes_.push_back({here + t + 1 - window(t) - oldest, here + t + 1 - oldest});
      x_.emplace(p.x.middleRows(oldest, here + c - oldest));
      y_.emplace(p.y.middleRows(oldest, here + c - oldest));
      return;
    }
    for (index_t t = 0; t < c; ++t) {
      writes_.push_back({count, count + window(t)});
      count += window(t);
    }
    gathered_x_.resize(count, p.x.cols());
    gathered_y_.resize(count, p.y.cols());
    for (index_t t = 0; t < c; ++t) {
      auto const [begin, end] = writes_[static_cast<std::size_t>(t)];
      gathered_x_.middleRows(begin, end - begin) = p.x.middleRows(here + t + 1 - window(t), window(t));
      gathered_y_.middleRows(begin, end - begin) = p.y.middleRows(here + t + 1 - window(t), window(t));
    }
    x_.emplace(gathered_x_);
    y_.emplace(gathered_y_);
  }

  /// Masks and decays of one column of the schedule.
  void weigh(index_t column) {
    index_t const n = x_->rows(), c = q_->rows();
    mask_.setConstant(n, T(0));
    decay_ = T(1);
    if (solves_) system_.resize(n, n);
    scores_.resize(c, n);
    to_x_.setConstant(n, T(0));  // a sentinel's row belongs to no token
    to_q_.resize(c);
    for (index_t t = 0; t < c; ++t) {
      auto const [begin, end] = writes_[static_cast<std::size_t>(t)];
      T const gamma = plan_->gamma(first_ + t, column), weight = plan_->weight(first_ + t, column);
      T const rho = plan_->rho == residual::gamma ? gamma : T(1);
      if (solves_)
        for (index_t e = begin; e < end; ++e) {
          system_.row(e).head(begin) = rho * mask_.head(begin).cwiseProduct(gram_.row(e).head(begin));
          system_.row(e).segment(begin, e - begin).setConstant(T(0));  // pairs of one token do not see each other
          to_x_(e) = rho * decay_;
        }
      if (when_ == timing::read_before_write) read(t, end);
      mask_.head(end) *= gamma;
      decay_ *= gamma;
      for (index_t e = begin; e < end; ++e) mask_(e) += weight;
      if (when_ == timing::read_after_write) read(t, end);
    }
  }

  /// Token t reads the writes before `end`.
  void read(index_t t, index_t end) {
    scores_.row(t).head(end) = seen_by_q_.row(t).head(end).cwiseProduct(mask_.head(end));
    scores_.row(t).tail(scores_.cols() - end).setConstant(T(0));
    to_q_(t) = decay_;
  }

  /// @param y targets (n, m)   @param S, o with as many columns
  void solve(view<T> y, mat<T>& S, target<T> o) {
    if (solves_) {
      residuals_.noalias() = *x_ * S;
      for (index_t e = 0; e < y.rows(); ++e) residuals_.row(e) = y.row(e) - to_x_(e) * residuals_.row(e);
      solve_unit_lower(system_, residuals_);
    }
    view<T> const r = solves_ ? view<T>(residuals_) : y;
    o.noalias() = *q_ * S;
    for (index_t t = 0; t < o.rows(); ++t) o.row(t) *= to_q_(t);
    in_groups(o.rows(), [&](index_t t, index_t rows) {
      index_t const seen = writes_[static_cast<std::size_t>(t + rows - 1)].end;
      o.middleRows(t, rows).noalias() += scores_.block(t, 0, rows, seen) * r.topRows(seen);
    });
    left_.resize(x_->rows(), x_->cols());
    for (index_t e = 0; e < y.rows(); ++e) left_.row(e) = mask_(e) * x_->row(e);  // not the residual: its weight belongs to x
    S *= decay_;
    S.noalias() += left_.transpose() * r;
  }

  schedule<T> const* plan_ = nullptr;
  index_t first_ = 0;
  timing when_{};
  bool solves_ = false;
  std::optional<view<T>> q_, x_, y_;  // (c, dx), (n, dx), (n, dv)
  mat<T> gathered_x_, gathered_y_;    // where a pair has several unknowns
  std::vector<range> writes_;         // the unknowns of a token
  mat<T> gram_, seen_by_q_;           // (n, n) X Xᵀ, (c, n) Q Xᵀ, where the mask shows them
  mat<T> system_, scores_;            // (n, n) A, (c, n) Q Xᵀ ∘ M
  row<T> mask_;                       // (n) M_{t,·}; after weigh() M_{T,·}
  T decay_{};                         // P(t, 0); after weigh() P(T, 0)
  row<T> to_x_, to_q_;                // (n) ρ P(t−1, 0), (c) P(t, 0) or P(t−1, 0): what is left of S_0
  mat<T> residuals_;                  // (n, dv)
  mat<T> left_;                       // (n, dx) Diag(M_{T,·}) X: what is left of the writes at the block's end
};

/// The whole sequence as one block.   @param q φ(q) (T, dx)   @param S state before the first token (dx, dv)
template <ring T>
[[nodiscard]] reading<T> masked(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, mat<T> S) {
  return block_by_block<masked_block<T>, T>(q, p, plan, when, q.rows(), std::move(S));
}

}  // namespace fwa
