// SPDX-License-Identifier: Apache-2.0
// The bound holds against fractions, in which floats are exact; and the value is bit for bit that of the same form over the float alone,
// as long as Eigen sums in the same order.
#include <fwa/number/running_error.hpp>

#include "support/problem.hpp"

#include <fwa/number/rational.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

namespace fwa::test {
namespace {

template <class F>
double excess(running_error<F> const& got, rational const& exact) {
  rational const error = abs(rational(rational(got.value()) - exact));
  if (error == 0) return 0;
  return static_cast<double>(rational(error / rational(got.bound())));
}

TEST_CASE_TEMPLATE("one operation, the ends of the range included", F, float, double) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  int const widest = std::numeric_limits<F>::max_exponent / 2 - 2;
  std::uniform_int_distribution<int> exponent(-widest, widest);
  for (int i = 0; i < 3000; ++i) {
    F const a = std::ldexp(static_cast<F>(mantissa(random)), exponent(random)),
            b = std::ldexp(static_cast<F>(mantissa(random)), exponent(random));
    running_error<F> const x(a), y(b);
    CHECK(excess(x + y, rational(a) + rational(b)) <= 1);
    CHECK(excess(x - y, rational(a) - rational(b)) <= 1);
    CHECK(excess(x * y, rational(a) * rational(b)) <= 1);
    if (std::isfinite(a / b)) CHECK(excess(x / y, rational(a) / rational(b)) <= 1);
    CHECK((x * y).value() == a * b);
    CHECK((x / y).value() == a / b);
    CHECK(excess(x * running_error<F>(0), rational(0)) == 0);
    CHECK((x * running_error<F>(0)).bound() == 0);
    CHECK((running_error<F>(0) * x).bound() == 0);
    CHECK((running_error<F>(0) / x).bound() == 0);
  }
}

/// Larger by 2^-60, give or take the eight roundings of the bound itself; products and quotients that underflow included.
TEST_CASE_TEMPLATE("the bound is the stated one of inputs that have errors", F, float, double) {
  rational const u = rational(std::numeric_limits<F>::epsilon()) / 2, subnormal(std::numeric_limits<F>::denorm_min());
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> mantissa(-2, 2), positive(0.1, 1);
  std::uniform_int_distribution<int> exponent(std::numeric_limits<F>::min_exponent / 5 * 4, std::numeric_limits<F>::max_exponent / 2 - 2);
  for (int i = 0; i < 3000; ++i) {
    F const a = std::ldexp(static_cast<F>(mantissa(random)), exponent(random)),
            b = std::ldexp(static_cast<F>(mantissa(random)), exponent(random));
    long double const of_a = std::ldexp(static_cast<long double>(positive(random)), exponent(random)),
                      of_b = std::ldexp(static_cast<long double>(positive(random)), exponent(random));
    running_error<F> const x(a, of_a), y(b, of_b);
    rational const e(of_a), f(of_b);
    auto check = [](running_error<F> const& got, F value, rational const& stated) {
      CHECK(got.value() == value);
      CHECK(std::abs(std::ldexp(static_cast<double>(rational(rational(got.bound()) / stated - 1)), 60) - 1) <= 8.01 / 16);
    };
    check(x + y, a + b, e + f + u * abs(rational(a + b)));
    check(x - y, a - b, e + f + u * abs(rational(a - b)));
    check(x * y, a * b, abs(rational(a)) * f + abs(rational(b)) * e + e * f + u * abs(rational(a * b)) + subnormal);
    if (rational const size = abs(rational(b)); f >= size || std::isinf(a / b))
      CHECK(std::isinf((x / y).bound()));
    else
      check(x / y, a / b, (e + abs(rational(a)) / size * f) / (size - f) + u * abs(rational(a / b)) + subnormal);
    CHECK((-x).value() == -a);
    CHECK((-x).bound() == of_a);
  }
}

TEST_CASE("an infinite bound stays infinite; what overflows has one") {
  using R = running_error<float>;
  R const unknown = R(3) / R(2, 2), large(std::numeric_limits<float>::max());
  for (R const& x : {unknown, -unknown, unknown + R(1), unknown * R(0), R(0) * unknown, R(1) / unknown, large + large, large * large,
                     R(1) / R(0), R(1) / R(1, 1), R(0) / R(1, 1), R(1) / R(1, 2), R(0) / R(1, 2)})
    CHECK(std::isinf(x.bound()));
}

TEST_CASE("a constant has no error; equal is of equal value") {
  using R = running_error<float>;
  CHECK(R().value() == 0);
  CHECK(R().bound() == 0);
  CHECK(R(3).bound() == 0);
  CHECK(R(3) == R(3, 0.5));
  CHECK_FALSE(R(3) == R(4));
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr bool fuses = true;  // Eigen's kernels do, whatever the compiler is told of contraction
#else
constexpr bool fuses = false;
#endif

/// The largest |error| / bound of every form; above 1 the bound is wrong, far below 1 it is of no use. Long products of floats go to a
/// kernel of Eigen's that sums in another order: of these problems those of the masked form with 12 tokens.
TEST_CASE_TEMPLATE("every form", F, float, double) {
  for (rule const& c : corners)
    for (path f : all_paths)
      for (index_t T : {4, 12}) {
        shape s = shape_of(c, 3);
        s.T = T;
        s.d = 3;
        s.dv = 2;
        s.before = s.B - 1;
        if (!is_defined(f, s)) continue;
        auto draw = [&](auto convert) {
          auto const a = draw_problem<decltype(convert(F()))>(s, [convert, random = std::mt19937_64(5)](input g) mutable {
            double const u = std::uniform_real_distribution<double>(-1, 1)(random);
            return convert(static_cast<F>(g == input::weight ? 0.3 * (u + 1) : g == input::gamma ? 0.8 + 0.2 * u : u));
          });
          return is_paper(f) ? with_roots(a) : a;
        };
        auto const bounded = solve(draw([](F x) { return running_error<F>(x); }), f, 5);
        auto const exact = solve(draw([](F x) { return rational(x); }), path::recurrent, 5);
        auto const alone = solve(draw([](F x) { return x; }), f, 5);
        double most = 0;
        bool same = true;
        auto look = [&](auto part) {
          for (index_t i = 0; i < part(exact).size(); ++i) {
            running_error<F> const& x = part(bounded).data()[i];
            most = std::max(most, excess(x, part(exact).data()[i]));
            same = same && x.value() == part(alone).data()[i];
          }
        };
        look([](auto const& r) -> auto const& { return r.o; });
        look([](auto const& r) -> auto const& { return r.S; });
        std::cout << c.name << ", " << f << ", T = " << T << ", " << 8 * sizeof(F) << " bits: largest error " << most << " of its bound\n";
        CHECK(most <= 1);
        CHECK(most > 5e-3);
        CHECK((same || fuses || (f == path::masked && T == 12)));
      }
}

}  // namespace
}  // namespace fwa::test
