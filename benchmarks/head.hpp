// SPDX-License-Identifier: Apache-2.0
// head.hpp — what is timed: one head that reads T random tokens, and Eigen's product of two 512 x 512 matrices.
#pragma once

#include "work.hpp"

#include <fwa/fwa.hpp>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>
#include <vector>

namespace fwa {

inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Processor seconds of one call of f in the state that calls in a row leave the core in: the median of as many as take 20 ms, at
/// least one, after one that is left out.
template <class F>
double seconds(F&& f) {
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  f();
  std::vector<double> calls;
  double const start = now();
  for (double before = start; before - start < 0.02;) {
    f();
    double const after = now();
    calls.push_back(after - before);
    before = after;
  }
  return median(std::move(calls));
}

/// The flop rate that this core reaches on a large product.
template <class S>
class peak {
 public:
  double flops_per_second() {
    double const t = seconds([this] { c_.noalias() = a_ * b_; });
    return 2.0 * n * n * n / t;
  }

 private:
  static constexpr int n = 512;
  mat<S> a_ = mat<S>::Random(n, n), b_ = mat<S>::Random(n, n), c_ = mat<S>::Random(n, n);
};

/// A head and its tokens; reads go on from each other, outputs have a place.
template <class S>
class head {
 public:
  static constexpr index_t d = 128, dv = 128;

  head(rule const& r, options const& o, index_t T)
      : rule_(r), options_(o), q_(mat<S>::Random(T, d)), k_(mat<S>::Random(T, d)), v_(mat<S>::Random(T, dv)), o_(mat<S>::Zero(T, dv)) {
    bool const given = r.law == step_law::given;
    index_t const columns = r.per_column ? dv : 1;
    size_ = (mat<S>::Random(T, columns).array() + S(1)) * (given ? S(0.01) : S(0.9));  // β ∈ [0, 1.8], or η with η‖x‖² < 2
    forget_ =
        given ? mat<S>((mat<S>::Random(T, 1).array() + S(1)) * S(0.05) + S(0.9)) : mat<S>((mat<S>::Random(T, 1).array() + S(1)) * S(0.1));
    if (r.law == step_law::given && r.rho == residual::zero) size_.setOnes();
    read();  // takes its room and touches its pages
  }

  [[nodiscard]] index_t tokens() const { return q_.rows(); }
  [[nodiscard]] fwa::flops flops() const { return work(rule_, options_, tokens(), d, dv); }

  void read() { reader_.read({q_, k_, v_, {rule_.law, size_, forget_}}, o_); }
  void step(index_t t) { reader_.step(q_.row(t), k_.row(t), v_.row(t), size_.row(t), forget_.row(t)); }

  /// Seconds a token.
  double read_time() {
    return seconds([this] { read(); }) / static_cast<double>(tokens());
  }

 private:
  rule rule_;
  options options_;
  mat<S> q_, k_, v_, o_, size_, forget_;
  reader<S> reader_{rule_, d, dv, options_};
};

}  // namespace fwa
