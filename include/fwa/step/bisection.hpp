// SPDX-License-Identifier: Apache-2.0
// step/bisection.hpp — λ_max of a small symmetric positive semi-definite matrix, on the host and on the device.
//
// Householder reflections to a tridiagonal matrix T, then bisection: x > λ_max(T) exactly where every pivot of x I − T,
//   p_1 = x − a_1,   p_i = x − a_i − b_{i−1}² / p_{i−1},
// is positive. No iteration can end on another eigenvalue, and the number of halvings is fixed by the scalar. The same instructions
// whatever the matrix holds, so that a lane L may be one number or several of different matrices.
// Law: largest_eigenvalue_is_exact (against Eigen's solver and 50 digits).
#pragma once

#include "../host_device.hpp"
#include "../index.hpp"

#include <cmath>
#include <limits>

namespace fwa::detail {

/// What a lane of one number does; of several: eigenvalue.hpp.
template <class S>
struct one_number {
  FWA_HOST_DEVICE static S fill(S const& s) { return s; }
  FWA_HOST_DEVICE static S choose(bool first, S const& a, S const& b) { return first ? a : b; }
  FWA_HOST_DEVICE static S larger(S const& a, S const& b) { return a < b ? b : a; }
  FWA_HOST_DEVICE static S smaller(S const& a, S const& b) { return b < a ? b : a; }
  FWA_HOST_DEVICE static S root(S const& a) {
    using std::sqrt;
    return sqrt(a);
  }
};

/// The matrix of n rows, row by row, of which it reads the lower triangle, and room for the work; all is overwritten.
template <class S, class L, class Lanes>
struct bisection {
  index_t n;
  L *a, *v, *w, *off;  // (n n), (n), (n), (n); off: b²

  FWA_HOST_DEVICE L& at(index_t i, index_t j) const { return a[i * n + j]; }

  FWA_HOST_DEVICE L solve() const {
    L trace = at(0, 0);
    for (index_t i = 1; i < n; ++i) trace += at(i, i);
    if (n == 1) return trace;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) at(i, j) = Lanes::choose(S(0) < trace, L(at(i, j) / trace), Lanes::fill(S(0)));
    for (index_t k = 0; k + 1 < n; ++k) reflect(k);
    return bisect() * trace;
  }

 private:
  /// Column k below the diagonal to (b_k, 0, …, 0).
  FWA_HOST_DEVICE void reflect(index_t k) const {
    L rest = Lanes::fill(S(0));
    for (index_t i = k + 2; i < n; ++i) rest += at(i, k) * at(i, k);
    L const head = at(k + 1, k);
    off[k] = rest + head * head;
    if (k + 2 == n) return;
    L const norm = Lanes::root(off[k]);
    v[k + 1] = Lanes::choose(head < S(0), L(head - norm), L(head + norm));
    L const vv = rest + v[k + 1] * v[k + 1];
    // 0 where the column is in place, or but for entries below √min, far below u λ_max: there 2 / vv would leave the range
    L const tau = Lanes::choose(std::numeric_limits<S>::min() < rest, L(S(2) / vv), Lanes::fill(S(0)));
    for (index_t i = k + 2; i < n; ++i) v[i] = at(i, k);
    L inner = Lanes::fill(S(0));
    for (index_t i = k + 1; i < n; ++i) {
      L sum = Lanes::fill(S(0));
      for (index_t j = k + 1; j <= i; ++j) sum += at(i, j) * v[j];
      for (index_t j = i + 1; j < n; ++j) sum += at(j, i) * v[j];
      w[i] = tau * sum;
      inner += v[i] * w[i];
    }
    L const half = tau * inner * S(0.5);
    for (index_t i = k + 1; i < n; ++i) w[i] -= half * v[i];
    for (index_t i = k + 1; i < n; ++i)
      for (index_t j = k + 1; j <= i; ++j) at(i, j) -= v[i] * w[j] + w[i] * v[j];
  }

  /// λ_max of the tridiagonal matrix, whose trace is 1 or 0: from below, exact where T is diagonal.
  FWA_HOST_DEVICE L bisect() const {
    L low = at(0, 0), high = Lanes::fill(S(2));  // the range and the count do not depend on n: rows of zeros change no bit
    for (index_t i = 1; i < n; ++i) low = Lanes::larger(low, at(i, i));
    int const halvings = std::numeric_limits<S>::digits + 13;  // to n 2^-12 u λ_max, since λ_max ≥ 1/n
    for (int step = 0; step < halvings; ++step) {
      L const x = (low + high) * S(0.5);
      L pivot = x - at(0, 0), least = pivot;
      for (index_t i = 1; i < n; ++i) {
        pivot = x - at(i, i) - off[i - 1] / pivot;
        least = Lanes::smaller(least, pivot);  // once a pivot is not positive, what follows does not matter
      }
      auto const above = S(0) < least;
      high = Lanes::choose(above, x, high);
      low = Lanes::choose(above, low, x);
    }
    return low;
  }
};

}  // namespace fwa::detail
