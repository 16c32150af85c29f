// SPDX-License-Identifier: Apache-2.0
// support/generate.hpp — shapes and problems for properties: small sizes first, ragged chunks, zeros, repeated and opposite keys.
#pragma once

#include "exact.hpp"

#include <rapidcheck.h>

namespace fwa::test {

/// A fraction with a small numerator and denominator; zero often. Shrinks towards 0.
[[nodiscard]] inline rational fraction() {
  int const n = *rc::gen::inRange(-6, 7), d = *rc::gen::element(1, 1, 1, 2, 3);
  return rational(n) / rational(d);
}

/// A shape of a corner within the given sizes.
[[nodiscard]] inline shape any_shape(rule const& c, index_t most_T, index_t most_d, index_t most_dv, index_t most_B) {
  shape s = shape_of(c, c.windowed ? *rc::gen::inRange<index_t>(1, most_B + 1) : 1);
  s.T = *rc::gen::inRange<index_t>(0, most_T + 1);
  s.d = *rc::gen::inRange<index_t>(1, most_d + 1);
  s.dv = *rc::gen::inRange<index_t>(1, most_dv + 1);
  s.sentinel = *rc::gen::arbitrary<bool>();
  s.before = s.sentinel ? 0 : *rc::gen::inRange<index_t>(0, s.B);
  s.when = *rc::gen::element(timing::read_after_write, timing::read_before_write);
  return s;
}

/// A problem in fractions; now and then a key is zero, the one before it again, or its negative.
[[nodiscard]] inline problem<rational> any_problem(shape const& s) {
  problem<rational> a = draw_problem<rational>(s, [](input) { return fraction(); });
  for (index_t i = 1; i < a.p.x.rows(); ++i) {
    if (s.sentinel && i <= s.before + 1) continue;
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        a.p.x.row(i).setConstant(rational(0));
        break;
      case 1:
        a.p.x.row(i) = a.p.x.row(i - 1);
        break;
      case 2:
        a.p.x.row(i) = -a.p.x.row(i - 1);
        break;
      default:
        break;
    }
  }
  return a;
}

/// 1 … T + 2: divisors and non-divisors of T, T itself, larger ones.
[[nodiscard]] inline index_t any_chunk(index_t T) { return *rc::gen::inRange<index_t>(1, T + 3); }

inline void classify(shape const& s, index_t C) {
  RC_CLASSIFY(s.T == 0, "T = 0");
  RC_CLASSIFY(s.T > 0 && s.T % C != 0, "ragged");
  RC_CLASSIFY(s.before > 0, "continued");
  RC_CLASSIFY(s.sentinel, "sentinel");
  RC_CLASSIFY(s.B > s.T, "B > T");
}

}  // namespace fwa::test
