// SPDX-License-Identifier: Apache-2.0
// step/eigenvalue.hpp — λ_max of small symmetric positive semi-definite matrices, several at once.
//
// Householder reflections to a tridiagonal matrix T, then bisection: x > λ_max(T) exactly where every pivot of x I − T,
//   p_1 = x − a_1,   p_i = x − a_i − b_{i−1}² / p_{i−1},
// is positive. No iteration can end on another eigenvalue, and the number of halvings is fixed by the scalar. One matrix a lane:
// the same instructions whatever the lanes hold, so a matrix has one answer wherever it stands.
// Law: largest_eigenvalue_is_exact (against Eigen's solver and 50 digits).
#pragma once

#include "../matrix.hpp"
#include "../scalar.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace fwa {

/// As many matrices as fill one wide register; one of a scalar that has no registers.
template <class S>
inline constexpr int eigen_lanes = std::is_floating_point_v<S> && sizeof(S) <= 8 ? 64 / static_cast<int>(sizeof(S)) : 1;

/// Lower triangles of `eigen_lanes` matrices of n rows, row by row; room for the work is taken once.
template <rooted S>
class largest_eigenvalues {
  static_assert(!std::numeric_limits<S>::is_exact && std::numeric_limits<S>::digits > 0, "λ_max is a root: say how precise it shall be");

 public:
  using lane = Eigen::Array<S, eigen_lanes<S>, 1>;

  void resize(index_t n) {
    n_ = n;
    a_.resize(static_cast<std::size_t>(n * n));
    v_.resize(static_cast<std::size_t>(n));
    w_.resize(static_cast<std::size_t>(n));
    off_.resize(static_cast<std::size_t>(n));
  }

  /// Entry (i, j), j ≤ i, of all lanes; overwritten by solve().
  [[nodiscard]] lane& at(index_t i, index_t j) { return a_[static_cast<std::size_t>(i * n_ + j)]; }

  /// λ_max of every lane.
  [[nodiscard]] lane solve() {
    lane trace = at(0, 0);
    for (index_t i = 1; i < n_; ++i) trace += at(i, i);
    if (n_ == 1) return trace;
    for (index_t i = 0; i < n_; ++i)
      for (index_t j = 0; j <= i; ++j) at(i, j) = (S(0) < trace).select(at(i, j) / trace, S(0));
    for (index_t k = 0; k + 1 < n_; ++k) reflect(k);
    return bisect() * trace;
  }

 private:
  [[nodiscard]] lane& v(index_t i) { return v_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] lane& w(index_t i) { return w_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] lane& off(index_t i) { return off_[static_cast<std::size_t>(i)]; }  // b²

  /// Column k below the diagonal to (b_k, 0, …, 0).
  void reflect(index_t k) {
    lane rest = lane::Constant(S(0));
    for (index_t i = k + 2; i < n_; ++i) rest += at(i, k) * at(i, k);
    lane const head = at(k + 1, k);
    off(k) = rest + head * head;
    if (k + 2 == n_) return;
    lane const norm = off(k).sqrt();
    v(k + 1) = (head < S(0)).select(head - norm, head + norm);
    lane const vv = rest + v(k + 1) * v(k + 1);
    // 0 where the column is in place, or but for entries below √min, far below u λ_max: there 2 / vv would leave the range
    lane const tau = (std::numeric_limits<S>::min() < rest).select(S(2) / vv, S(0));
    for (index_t i = k + 2; i < n_; ++i) v(i) = at(i, k);
    lane inner = lane::Constant(S(0));
    for (index_t i = k + 1; i < n_; ++i) {
      lane sum = lane::Constant(S(0));
      for (index_t j = k + 1; j <= i; ++j) sum += at(i, j) * v(j);
      for (index_t j = i + 1; j < n_; ++j) sum += at(j, i) * v(j);
      w(i) = tau * sum;
      inner += v(i) * w(i);
    }
    lane const half = tau * inner * S(0.5);
    for (index_t i = k + 1; i < n_; ++i) w(i) -= half * v(i);
    for (index_t i = k + 1; i < n_; ++i)
      for (index_t j = k + 1; j <= i; ++j) at(i, j) -= v(i) * w(j) + w(i) * v(j);
  }

  /// λ_max of the tridiagonal matrix, whose trace is 1 or 0: from below, exact where T is diagonal.
  [[nodiscard]] lane bisect() {
    lane low = at(0, 0), high = lane::Constant(S(2));  // the range and the count do not depend on n: rows of zeros change no bit
    for (index_t i = 1; i < n_; ++i) low = low.max(at(i, i));
    int const halvings = std::numeric_limits<S>::digits + 13;  // to n 2^-12 u λ_max, since λ_max ≥ 1/n
    for (int step = 0; step < halvings; ++step) {
      lane const x = (low + high) * S(0.5);
      lane pivot = x - at(0, 0), least = pivot;
      for (index_t i = 1; i < n_; ++i) {
        pivot = x - at(i, i) - off(i - 1) / pivot;
        least = least.min(pivot);  // once a pivot is not positive, what follows does not matter
      }
      auto const above = S(0) < least;
      high = above.select(x, high);
      low = above.select(low, x);
    }
    return low;
  }

  index_t n_ = 0;
  std::vector<lane, Eigen::aligned_allocator<lane>> a_, v_, w_, off_;
};

}  // namespace fwa
