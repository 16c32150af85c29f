// SPDX-License-Identifier: Apache-2.0
// reader.hpp — one head that reads: a rule, its options, its memory, and the room that reading needs.
//
//   k, v ──align──▶ pairs (x, y) ──step──▶ plan (η, γ, w, what was clamped) ──form──▶ outputs, memory
//
// read() takes any number of tokens and goes on where the last call ended; step() takes one, and allocates nothing once the window
// is full. A recurrent or chunked read walks its tokens in segments that continue each other through the memory, so its room does
// not grow with T; segments end on chunk boundaries, so they change no result, not even its rounding.
// Laws: continuation, causality, streaming_is_recurrent.
#pragma once

#include "align/feature.hpp"
#include "align/pairs.hpp"
#include "check.hpp"
#include "contract.hpp"
#include "form/chunked.hpp"
#include "form/masked.hpp"
#include "form/memory.hpp"
#include "form/read.hpp"
#include "form/recurrent.hpp"
#include "form/scan.hpp"
#include "form/span.hpp"
#include "matrix.hpp"
#include "options.hpp"
#include "rule/rule.hpp"
#include "scalar.hpp"
#include "step/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <string_view>

namespace fwa {

template <token T>
class reader {
 public:
  using real_type = accumulator_t<T>;

  /// @param r a rule of the tables in rule/   @param d, dv sizes of a key and of a value
  /// @param entry where an earlier reader ended; default: a fresh sequence       @throws contract_error
  reader(rule const& r, index_t d, index_t dv, options const& o = {}, fwa::memory<real_type> const& entry = {})
      : rule_(r), options_(o), dv_(dv), edge_(entry) {
    check<S>("reader", r, o, entry, d, dv);
    state_ = mat<S>::Constant(d, dv + wide(), S(0));
    if (entry.S.size() != 0) state_.leftCols(dv) = entry.S;
    if (entry.z) state_.col(dv) = entry.z->transpose();
    if constexpr (std::floating_point<S>)
      far_ = is_far(state_) || is_far(entry.tail_x) || is_far(entry.tail_y) || (entry.last_feature && is_far(*entry.last_feature));
  }

  /// Reads tokens into o (T, dv).   @param on_plan called with (first token, plan) for each segment in turn, before it is read
  /// @throws contract_error and leaves the memory as it was; o is then unspecified
  template <class OnPlan>
  void read(tokens<T> const& in, target<T> o, OnPlan&& on_plan) {
    index_t const count = in.q.rows();
    check<T>(who, rule_, options_, in, count, state_.rows(), dv_);
    require_shape(who, "o", o, count, dv_);
    require(!overlap(o, in.q) && !overlap(o, in.k), who, "o must not share memory with q or k, which are read while it is written");
    index_t const length = segment_length(count);
    if (count > length) entry_ = {edge_, state_, {}};
    try {
      for (index_t first = 0; first < count; first += length)
        read_segment(in, o, first, std::min(length, count - first), options_.form, on_plan);
    } catch (...) {
      if (count > length) {
        edge_ = entry_;
        state_ = entry_.S;
      }
      throw;
    }
  }
  void read(tokens<T> const& in, target<T> o) {
    read(in, o, [](index_t, plan<S> const&) {});
  }

  /// Reads one token by the recurrent form; the reference is valid until the next call.
  /// @param q, k (1, d)   @param v (1, dv)   @param size β or η, (1, 1) or (1, dv)   @param forget λ (1, 1), or γ shaped as η
  row<T> const& step(view<T> q, view<T> k, view<T> v, view<real_type> size, view<real_type> forget) {
    tokens<T> const in{q, k, v, {rule_.law, size, forget}};
    check<T>(who, rule_, options_, in, 1, state_.rows(), dv_);
    next_o_.resize(dv_);
    read_segment(in, next_o_, 0, 1, form::recurrent, [](index_t, plan<S> const&) {});
    o_.swap(next_o_);  // the last output may be this token's query, key or value
    return o_;
  }
  row<T> const& step(view<T> q, view<T> k, view<T> v, real_type const& size, real_type const& forget) {
    return step(q, k, v, Eigen::Map<mat<S> const>(&size, 1, 1), Eigen::Map<mat<S> const>(&forget, 1, 1));
  }

  /// η, γ and the clamp of the last segment or token.
  [[nodiscard]] plan<real_type> const& last_plan() const { return plan_; }

  /// All that continues the sequence elsewhere.
  [[nodiscard]] fwa::memory<real_type> memory() const {
    fwa::memory<S> m{edge_, state_.leftCols(dv_), {}};
    if (wide()) m.z = state_.col(dv_).transpose();
    return m;
  }

 private:
  using S = real_type;
  static constexpr std::string_view who = "read";

  /// Whether two of as many rows share an entry; blocks of one matrix that lie side by side do not.
  template <class A, class B>
  [[nodiscard]] static bool overlap(A const& a, B const& b) {
    if (a.size() == 0) return false;
    auto end = [](auto const& m) -> T const* { return m.data() + (m.rows() - 1) * m.outerStride() + m.cols(); };
    if (!std::less<T const*>{}(a.data(), end(b)) || !std::less<T const*>{}(b.data(), end(a))) return false;
    index_t const stride = a.outerStride();
    if (stride != b.outerStride()) return true;
    index_t const right = ((b.data() - a.data()) % stride + stride) % stride;  // columns from a's first to b's
    return right < a.cols() || stride - right < b.cols();
  }

  [[nodiscard]] bool wide() const { return options_.normalized_read.has_value(); }

  /// Whole chunks, as few as make 64 tokens, so that a segment stays in the nearest cache from pass to pass; all tokens for a form
  /// that looks at all of them at once.
  [[nodiscard]] index_t segment_length(index_t count) const {
    if (options_.form == form::masked || options_.form == form::chunk_scan) return count;
    index_t const chunk = options_.form == form::chunk ? options_.chunk : 1;
    return chunk * std::max<index_t>(1, 64 / chunk);
  }

  template <class OnPlan>
  void read_segment(tokens<T> const& in, target<T> o, index_t first, index_t n, form how, OnPlan&& on_plan) {
    T const largest =
        std::max({require_finite(who, "q", in.q.middleRows(first, n), first), require_finite(who, "k", in.k.middleRows(first, n), first),
                  require_finite(who, "v", in.v.middleRows(first, n), first)});
    double const epsilon = options_.feature_epsilon;
    view<S> const q = featured(in.q.middleRows(first, n), options_.feature, epsilon, q_);
    view<S> const k = featured(in.k.middleRows(first, n), options_.feature, epsilon, k_);
    view<S> const v = featured(in.v.middleRows(first, n), options_.value_norm ? feature::rms_norm : feature::identity, epsilon, v_);
    drive<S> const driven{in.drive.law, in.drive.size.middleRows(first, n), in.drive.forget.middleRows(first, n)};
    align<S>(k, v, options_.pairing.value_or(rule_.pairing), edge_, wide(), pairs_);
    planner_(rule_.rho, pairs_, driven, options_, plan_);
    require_finite(who, "eta", plan_.eta, first,
                   "be finite: the energy of the keys plus lambda and epsilon must stay in the scalar's range");
    require_finite(who, "gamma", plan_.schedule.gamma, first);
    on_plan(first, plan_);
    bool const as_stored = std::same_as<T, S> && options_.feature == feature::identity && !options_.value_norm;
    if constexpr (std::floating_point<S>)
      far_ = far_ || (as_stored ? is_far(S(largest)) : is_far(q) || is_far(pairs_.x) || is_far(pairs_.y));
    if constexpr (std::same_as<T, S>) {
      if (!wide() && !far_) {
        run_form(how, q, pairs_, plan_.schedule, o.middleRows(first, n));
        return leave<S>(edge_, pairs_, k, options_.window, dv_);
      }
    }
    o_wide_.resize(n, state_.cols());
    if (far_)
      run_scaled(how, q);
    else
      run_form(how, q, pairs_, plan_.schedule, o_wide_);
    for (index_t t = 0; t < n; ++t) {
      S const up = far_ ? unit_(t) : S(1);
      if (wide())
        normalise<S>(o_wide_.row(t), S(S(*options_.normalized_read) / up), options_.denominator);
      else if (up != S(1))
        o_wide_.row(t) *= up;
    }
    o.middleRows(first, n) = o_wide_.leftCols(dv_).template cast<T>();
    leave<S>(edge_, pairs_, k, options_.window, dv_);
  }

  /// Rows of `stored` in the accumulator's type, under φ: a view of them where nothing is to be done.
  [[nodiscard]] static view<S> featured(view<T> stored, feature phi, double epsilon, mat<S>& room) {
    if constexpr (std::same_as<T, S>)
      if (phi == feature::identity) return stored;
    room = stored.template cast<S>();
    for (index_t t = 0; t < room.rows(); ++t) apply_feature<S>(phi, S(epsilon), room.row(t));
    return room;
  }

  /// Numbers whose products may leave the range of a float though the result does not. Step sizes are not asked: a normalised one is
  /// large only where keys are small.
  [[nodiscard]] static bool is_far(S const& largest) {
    using std::ldexp;
    return !(largest < ldexp(S(1), std::numeric_limits<S>::max_exponent / 4));
  }
  template <class M>
  [[nodiscard]] static bool is_far(Eigen::DenseBase<M> const& m) {
    return m.size() > 0 && is_far(S(m.derived().cwiseAbs().maxCoeff()));
  }

  void run_form(form how, view<S> q, pairs<S> const& p, schedule<S> const& plan, target<S> o);

  /// The binade of x, or one so large that y over it stays in range.
  template <class X, class Y>
  [[nodiscard]] static binade<S> unit_of(X const& x, Y const& y) {
    if constexpr (std::floating_point<S>)
      return binade<S>(x.cwiseAbs().cwiseMax(S(y.cwiseAbs().maxCoeff() * std::numeric_limits<S>::min())));
    else
      return binade<S>(x);
  }

  /// The same map and the same bits by (2^−e x, 4^e w, 2^−e y), where nothing is predicted by (2^−e x, 2^e w, y), and by 2^−f q, whose
  /// products stay in range: x w (y − Sᵀx)ᵀ and 2^f o. e belongs to a pair, or under a window to all pairs of the segment; 2^f is left in
  /// unit_.
  void run_scaled(form how, view<S> q) {
    near_pairs_ = pairs_;
    near_plan_ = plan_.schedule;
    near_q_ = q;
    unit_.resize(q.rows());
    bool const predicts = near_plan_.rho != residual::zero;
    binade<S> const all = unit_of(pairs_.x, pairs_.y);
    for (index_t i = 0; i < pairs_.x.rows(); ++i) {
      binade<S> const one = options_.window > 1 ? all : unit_of(pairs_.x.row(i), pairs_.y.row(i));
      near_pairs_.x.row(i) *= one.down;
      if (predicts) near_pairs_.y.row(i) *= one.down;
      if (index_t const t = i - pairs_.before; t >= 0) {
        near_plan_.weight.row(t) *= one.up;
        if (predicts) near_plan_.weight.row(t) *= one.up;
      }
    }
    for (index_t t = 0; t < q.rows(); ++t) {
      binade<S> const one(q.row(t));
      unit_(t) = one.up;
      near_q_.row(t) *= one.down;
    }
    run_form(how, near_q_, near_pairs_, near_plan_, o_wide_);
  }

  rule rule_;
  options options_;
  index_t dv_;
  boundary<S> edge_;
  mat<S> state_;          // (dx, dv), and z as one more column under a normalised read
  fwa::memory<S> entry_;  // where a read of several segments began

  mat<S> q_, k_, v_, o_wide_;
  row<T> o_, next_o_;
  pairs<S> pairs_;
  planner<S> planner_;
  plan<S> plan_;
  bool far_ = false;  // this sequence has met numbers whose products may leave the range
  mat<S> near_q_;
  pairs<S> near_pairs_;
  schedule<S> near_plan_;
  row<S> unit_;
  recurrent_block<S> recurrent_;
  masked_block<S> masked_;
  span_block<S> span_;
};

/// Outside the class, so that `extern template class reader<T>` spares a file that only calls the reader all forms.
template <token T>
void reader<T>::run_form(form how, view<S> q, pairs<S> const& p, schedule<S> const& plan, target<S> o) {
  timing const when = options_.timing;
  switch (how) {
    case form::recurrent:
      return block_by_block<recurrent_block<S>, S>(recurrent_, q, p, plan, when, q.rows(), state_, o);
    case form::masked:
      return block_by_block<masked_block<S>, S>(masked_, q, p, plan, when, q.rows(), state_, o);
    case form::chunk:
      if (has_one_system(plan)) return block_by_block<masked_block<S>, S>(masked_, q, p, plan, when, options_.chunk, state_, o);
      return block_by_block<span_block<S>, S>(span_, q, p, plan, when, options_.chunk, state_, o);
    case form::chunk_scan: {
      reading<S> read = chunked_by_scan<S>(q, p, plan, when, options_.chunk, state_);
      o = read.o;
      state_ = std::move(read.S);
    }
  }
}

}  // namespace fwa
