// SPDX-License-Identifier: Apache-2.0
// support/generate.hpp — shapes and problems for properties: small sizes first, ragged chunks, zeros, repeated and opposite keys.
#pragma once

#include "exact.hpp"

#include <rapidcheck.h>

#include <algorithm>

namespace fwa::test {

/// 1 … n, each as often. (inRange alone grows to n with the size of a case.)
[[nodiscard]] inline int die(int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, n + 1)); }

/// A fraction with a small numerator and denominator, one in ten of them 2^±20 times that; zero now and then. Shrinks towards 0.
[[nodiscard]] inline rational fraction() {
  int const n = *rc::gen::inRange(-6, 7), d = *rc::gen::element(1, 1, 1, 2, 3), size = die(20);
  rational const plain = rational(n) / rational(d), large(1 << 20);
  return size == 20 ? rational(plain * large) : size == 19 ? rational(plain / large) : plain;
}

[[nodiscard]] inline mat<rational> any_matrix(index_t rows, index_t cols) {
  return mat<rational>::NullaryExpr(rows, cols, [](index_t, index_t) { return fraction(); });
}

/// 1, 2, 3 and most more often than what lies between; 0 rarely, where it is allowed.
[[nodiscard]] inline index_t any_size(index_t least, index_t most) {
  if (least == 0 && die(20) == 20) return 0;
  index_t const n = die(static_cast<int>(2 * most));
  return n <= most ? n : n - most <= 3 ? std::min(n - most, most) : most;
}

/// A shape of a corner within the given sizes.
[[nodiscard]] inline shape any_shape(rule const& c, index_t most_T, index_t most_d, index_t most_dv, index_t most_B) {
  shape s = shape_of(c, c.windowed ? any_size(1, most_B) : 1);
  s.T = any_size(0, most_T);
  s.d = any_size(1, most_d);
  s.dv = any_size(1, most_dv);
  s.sentinel = *rc::gen::arbitrary<bool>();
  s.before = s.sentinel ? 0 : *rc::gen::inRange<index_t>(0, s.B);
  s.when = *rc::gen::element(timing::read_after_write, timing::read_before_write);
  return s;
}

/// A problem in fractions; now and then a key is zero, the one before it again or nearly, its negative or orthogonal to it, a value is what
/// the entry state answers, a weight is 0, a decay 0 or 1.
[[nodiscard]] inline problem<rational> any_problem(shape const& s) {
  problem<rational> a = draw_problem<rational>(s, [](input) { return fraction(); });
  for (index_t i = 1; i < a.p.x.rows(); ++i) {
    if (s.sentinel && i <= s.before + 1) continue;
    switch (die(14)) {
      case 1:
        a.p.x.row(i) = a.p.x.row(i - 1);
        break;
      case 2:
        a.p.x.row(i) = -a.p.x.row(i - 1);
        break;
      case 3:
        a.p.x.row(i) = a.p.x.row(i - 1);
        a.p.x(i, 0) += rational(1) / rational(1 << 23);
        break;
      case 4:
        a.p.x.row(i).setConstant(rational(0));
        if (s.d > 1) a.p.x(i, 0) = a.p.x(i - 1, 1), a.p.x(i, 1) = -a.p.x(i - 1, 0);
        break;
      case 5:
        a.p.y.row(i) = a.p.x.row(i) * a.S;
        break;
      case 6:
        a.p.x.row(i).setConstant(rational(0));
        break;
      default:
        break;
    }
  }
  for (index_t t = s.sentinel ? 1 : 0; t < s.T; ++t)
    for (index_t j = 0; j < a.plan.gamma.cols(); ++j) {
      int const edge = die(12);
      if (edge == 1) a.plan.weight(t, j) = rational(0);
      if (edge == 2) a.plan.gamma(t, j) = rational(0);
      if (edge == 3) a.plan.gamma(t, j) = rational(1);
    }
  return a;
}

/// 1 … T + 2: divisors and non-divisors of T, T itself, larger ones.
[[nodiscard]] inline index_t any_chunk(index_t T) { return *rc::gen::inRange<index_t>(1, T + 3); }

inline void classify(shape const& s, index_t C) {
  RC_CLASSIFY(s.T == 0, "T = 0");
  RC_CLASSIFY(s.T > 0 && C >= s.T, "one chunk");
  RC_CLASSIFY(s.T > 0 && s.T % C != 0, "ragged");
  RC_CLASSIFY(s.before > 0, "continued");
  RC_CLASSIFY(s.sentinel, "sentinel");
  RC_CLASSIFY(s.B > s.T, "B > T");
}

}  // namespace fwa::test
