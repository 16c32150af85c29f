// SPDX-License-Identifier: Apache-2.0
// Derivatives in every kind of input, of every form over duals of fractions and of a prime field, of the recurrence over duals of doubles
// and of floats that carry their error: against those of the polynomial through exact values.
#include <fwa/number/dual.hpp>

#include "support/problem.hpp"

#include <fwa/number/prime_field.hpp>
#include <fwa/number/rational.hpp>
#include <fwa/number/running_error.hpp>

#include <doctest/doctest.h>

#include <concepts>
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

using residue = prime_field<mersenne_61>;
using bounded = running_error<float>;

template <class S>
S from(rational const& x) {
  if constexpr (std::same_as<S, residue>) {
    namespace mp = boost::multiprecision;
    auto modulo = [](mp::cpp_int const& n) { return residue(static_cast<std::uint64_t>(mp::cpp_int(n % mersenne_61))); };
    residue const size = modulo(mp::numerator(rational(abs(x)))) / modulo(mp::denominator(x));
    return x < 0 ? -size : size;
  } else if constexpr (std::same_as<S, bounded>) {
    return bounded(static_cast<float>(x));
  } else {
    return static_cast<S>(x);
  }
}

/// Equal, and doubles too: the inputs are quarters, so that none of these numbers is rounded; within a bound that is of use.
template <class S>
bool agrees(S const& got, rational const& want) {
  if constexpr (std::same_as<S, bounded>)
    return got.bound() < 1e-3L && abs(rational(rational(got.value()) - want)) <= rational(got.bound());
  else
    return got == from<S>(want);
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

/// @param form called as form(problem)
template <class S, class Form>
void compare_derivatives(Form form) {
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
      auto const got = form(moved<dual<S>>(s, which, [](rational const& v, rational const& t) { return dual<S>(from<S>(v), from<S>(t)); }));
      CAPTURE(c.name);
      CAPTURE(kind);
      auto look = [&](auto part) {
        for (index_t i = 0; i < part(got).size(); ++i) {
          std::vector<rational> values;
          for (auto const& r : along) values.push_back(part(r).data()[i]);
          CHECK(agrees(part(got).data()[i].value, values[0]));
          CHECK(agrees(part(got).data()[i].tangent, slope_at_zero(values)));
        }
      };
      look([](auto const& r) -> auto const& { return r.o; });
      look([](auto const& r) -> auto const& { return r.S; });
    }
}

TEST_CASE_TEMPLATE("every form, every kind of input", S, rational, residue) {
  for (path f : paths) {
    CAPTURE(f);
    compare_derivatives<S>([f](problem<dual<S>> const& a) { return solve(a, f, 2); });
  }
}

TEST_CASE_TEMPLATE("the recurrence, every kind of input", S, double, bounded) {
  compare_derivatives<S>([](problem<dual<S>> const& a) { return recurrent<dual<S>>(a.q, a.p, a.plan, a.of.when, a.S); });
}

}  // namespace
}  // namespace fwa::test
