// SPDX-License-Identifier: Apache-2.0
// Derivatives of every form in every kind of input, over fractions: against those of the polynomial through exact values.
#include <fwa/number/dual.hpp>

#include "support/problem.hpp"

#include <fwa/number/rational.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace fwa::test {
namespace {

/// f'(0) of the polynomial of degree < n with f(0), …, f(n − 1): by Newton's forward differences, f'(0) = Σ (−1)^{k−1} Δ^k f(0) / k.
rational slope_at_zero(std::vector<rational> f) {
  rational slope(0);
  for (std::size_t k = 1; k < f.size(); ++k) {
    for (std::size_t i = f.size() - 1; i >= k; --i) f[i] -= f[i - 1];
    slope += f[k] / rational(k % 2 == 1 ? static_cast<int>(k) : -static_cast<int>(k));
  }
  return slope;
}

TEST_CASE("by hand") {
  CHECK(slope_at_zero({rational(0), rational(1), rational(4), rational(9)}) == 0);    // h²
  CHECK(slope_at_zero({rational(3), rational(5), rational(7)}) == 2);                 // 3 + 2h
  CHECK(slope_at_zero({rational(0), rational(0), rational(6), rational(24)}) == -1);  // h³ − h
  dual<rational> const x(rational(3), rational(1));
  CHECK((x * x * x - x).value == 24);
  CHECK((x * x * x - x).tangent == 26);
  CHECK(-x == dual<rational>(rational(-3), rational(-1)));
}

/// A problem whose inputs of one kind move along a direction: value + h · direction.
template <class T, class Lift>
problem<T> moved(shape const& s, input which, Lift&& lift) {
  int n = 0;
  return draw_problem<T>(s, [&](input g) {
    ++n;
    rational const value = rational(n * 7 % 11 - 5) / rational(4), direction = rational(g == which ? n * 5 % 7 - 3 : 0);
    return lift(value, direction);
  });
}

TEST_CASE("every form, every kind of input") {
  for (rule const& c : corners)
    for (std::size_t kind = 0; kind < inputs; ++kind) {
      shape s = shape_of(c, 2);
      s.T = 3;
      s.d = 2;
      s.dv = 2;
      s.before = s.B - 1;
      auto const which = static_cast<input>(kind);
      std::vector<reading<rational>> along;
      for (int h = 0; h < 4 * 3 + 4; ++h)  // degree ≤ 4T + 2
        along.push_back(solve(moved<rational>(s, which, [h](rational const& v, rational const& t) { return rational(v + h * t); }),
                              path::recurrent, 2));
      auto const a = moved<dual<rational>>(s, which, [](rational const& v, rational const& t) { return dual<rational>(v, t); });
      for (path f : paths) {
        CAPTURE(c.name);
        CAPTURE(kind);
        auto const got = solve(a, f, 2);
        auto look = [&](auto part) {
          for (index_t i = 0; i < part(got).size(); ++i) {
            std::vector<rational> values;
            for (auto const& r : along) values.push_back(part(r).data()[i]);
            CHECK(part(got).data()[i].value == values[0]);
            CHECK(part(got).data()[i].tangent == slope_at_zero(values));
          }
        };
        look([](auto const& r) -> auto const& { return r.o; });
        look([](auto const& r) -> auto const& { return r.S; });
      }
    }
}

}  // namespace
}  // namespace fwa::test
