// SPDX-License-Identifier: Apache-2.0
// support/generate.hpp — shapes and problems for properties: small sizes, ragged chunks, and what is special about keys, values, steps,
// gains and ridges often enough. Every property prints how often.
#pragma once

#include "exact.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fwa::test {

inline rational const tiny = rational(1) / rational(1 << 20);

/// 1 … n, each as often. (inRange alone grows to n with the size of a case.)
[[nodiscard]] inline int die(int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, n + 1)); }
[[nodiscard]] inline index_t die(index_t n) { return die(static_cast<int>(n)); }

/// A fraction with a small numerator and denominator, one in ten of them 2^±20 times that; zero now and then. Shrinks towards 0.
[[nodiscard]] inline rational fraction() {
  int const n = die(13), d = *rc::gen::element(1, 1, 1, 2, 3), size = die(20);
  rational const plain = rational(n % 2 == 0 ? n / 2 : -(n / 2)) / rational(d);
  return size == 20 ? rational(plain / tiny) : size == 19 ? rational(plain * tiny) : plain;
}

[[nodiscard]] inline mat<rational> any_matrix(index_t rows, index_t cols) {
  return mat<rational>::NullaryExpr(rows, cols, [](index_t, index_t) { return fraction(); });
}

/// β ∈ [0, 2), its ends and 1 more often than what lies between.
[[nodiscard]] inline rational any_gain() {
  rational const edge[] = {rational(0), tiny, rational(1), rational(2) - tiny};
  int const n = die(12);
  return n <= 4 ? edge[n - 1] : rational(die(19)) / rational(10);
}

/// λ ≥ 0 beside an energy E: often 0, E itself, or far from it.
[[nodiscard]] inline rational any_ridge(rational const& E) {
  rational const edge[] = {rational(0), tiny, E, rational(1000) * (E + rational(1))};
  int const n = die(8);
  return n <= 4 ? edge[n - 1] : rational(die(40)) / rational(4);
}

/// 1, 2, 3 and most more often than what lies between; 0 rarely, where it is allowed.
[[nodiscard]] inline index_t any_size(index_t least, index_t most) {
  if (least == 0 && die(20) == 20) return 0;
  index_t const n = die(2 * most);
  return n <= most ? n : n - most <= 3 ? std::min(n - most, most) : most;
}

/// A shape of a corner within the given sizes.
[[nodiscard]] inline shape any_shape(rule const& c, index_t most_T, index_t most_d, index_t most_dv, index_t most_B) {
  shape s = shape_of(c, c.windowed ? any_size(1, most_B) : 1);
  s.T = any_size(0, most_T);
  s.d = any_size(1, most_d);
  s.dv = any_size(1, most_dv);
  s.sentinel = *rc::gen::arbitrary<bool>();
  s.before = s.sentinel ? 0 : die(s.B) - 1;
  s.when = *rc::gen::element(timing::read_after_write, timing::read_before_write);
  return s;
}

/// What may be special about something drawn, by name.
using classes = std::vector<std::pair<std::string, bool>>;

inline void tag(classes const& all) {
  for (auto const& [name, is] : all) RC_CLASSIFY(is, name);
}

/// Of keys, each beside the one before it.
[[nodiscard]] inline classes classes_of_keys(mat<rational> const& x) {
  rational const zero(0);
  bool repeated = false, opposite = false, near = false, orthogonal = false, none = false, huge = false, small = false;
  for (index_t i = 0; i < x.rows(); ++i) {
    rational const E = x.row(i).squaredNorm();
    none |= E == zero;
    huge |= rational(1) < E * tiny;
    small |= zero < E && E < tiny;
    if (i == 0 || E == zero) continue;
    rational const inner = x.row(i).dot(x.row(i - 1)), step = (x.row(i) - x.row(i - 1)).squaredNorm();
    repeated |= step == zero;
    near |= zero < step && step * rational(1 << 12) < E * tiny;
    opposite |= x.row(i) == -x.row(i - 1);
    orthogonal |= inner == zero && x.row(i - 1).squaredNorm() != zero;
  }
  return {{"key repeated", repeated}, {"key opposite", opposite}, {"key near", near}, {"key orthogonal", orthogonal},
          {"key zero", none},         {"key huge", huge},         {"key tiny", small}};
}

[[nodiscard]] inline classes classes_of(problem<rational> const& a) {
  rational const zero(0), one(1);
  index_t const first = a.of.sentinel && a.of.T > 0 ? 1 : 0, rows = a.p.x.rows() - first, tokens = a.of.T - first;
  classes all = classes_of_keys(a.p.x.bottomRows(rows));
  bool answered = false;
  for (index_t i = first; i < a.p.x.rows(); ++i) answered |= a.p.y.row(i) == a.p.x.row(i) * a.S;
  all.emplace_back("residual 0", answered);
  all.emplace_back("weight 0", (a.plan.weight.bottomRows(tokens).array() == zero).any());
  all.emplace_back("decay 0", (a.plan.gamma.bottomRows(tokens).array() == zero).any());
  all.emplace_back("decay 1", (a.plan.gamma.bottomRows(tokens).array() == one).any());
  return all;
}

/// A problem in fractions; now and then a key is zero, the one before it again or nearly, its negative or orthogonal to it, a value is what
/// the entry state answers, a weight is 0, a decay 0 or 1.
[[nodiscard]] inline problem<rational> special_problem(shape const& s) {
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

/// The same, and the property prints what was special.
[[nodiscard]] inline problem<rational> any_problem(shape const& s) {
  problem<rational> a = special_problem(s);
  tag(classes_of(a));
  return a;
}

/// 1 … T + 2: divisors and non-divisors of T, T itself, larger ones.
[[nodiscard]] inline index_t any_chunk(index_t T) { return die(T + 2); }

[[nodiscard]] inline classes classes_of(shape const& s, index_t C) {
  return {{"T = 0", s.T == 0},         {"one chunk", s.T > 0 && C >= s.T}, {"ragged", s.T > 0 && s.T % C != 0},
          {"continued", s.before > 0}, {"sentinel", s.sentinel},           {"B > T", s.B > s.T}};
}

inline void classify(shape const& s, index_t C) { tag(classes_of(s, C)); }

}  // namespace fwa::test
