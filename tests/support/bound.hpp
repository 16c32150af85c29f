// SPDX-License-Identifier: Apache-2.0
// support/bound.hpp — proved error bounds: their constants, heavy-tailed data, and the ratios of errors to bounds.
//
//   u unit roundoff   h half the smallest subnormal   gam(n) = nu / (1 − nu)
//
//   fl(a ± b) = (a ± b)(1 + δ)      fl(ab) = ab(1 + δ) + ε      |δ| ≤ u, |ε| ≤ h      ∏ (1 + δ_i)^{±1}, n factors, = 1 + θ, |θ| ≤ gam(n)
//
// Counts hold for any order of summation: of the m additions that join m + 1 terms, each term meets at most m, and no addition of an
// exact zero rounds. Round to nearest; no overflow; no underflow unless h stands in the bound. A fused multiply-add only lowers a count.
// The bounds are evaluated over 50 digits, whose own rounding, 10⁻⁵⁰, is 30 decades below what they bound.
#pragma once

#include "support/head.hpp"

#include <fwa/number/digits.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>

namespace fwa::test {

using digits = digits_50;
using matrix = mat<digits>;

template <class F>
[[nodiscard]] digits unit_roundoff() {
  return digits(std::numeric_limits<F>::epsilon()) / 2;
}

template <class F>
[[nodiscard]] digits half_subnormal() {
  return digits(std::numeric_limits<F>::denorm_min()) / 2;
}

[[nodiscard]] inline digits gam(index_t n, digits const& u) {
  digits const nu = static_cast<int>(n) * u;
  return nu / (1 - nu);
}

template <class F>
[[nodiscard]] digits gam(index_t n) {
  return gam(n, unit_roundoff<F>());
}

template <class F>
inline char const* const name_of = sizeof(F) == 4 ? "f32" : "f64";

/// Entry by entry |m|.
[[nodiscard]] inline matrix magnitudes(matrix const& m) {
  return m.unaryExpr([](digits const& x) { return digits(abs(x)); });
}

/// ±m 2^k, m in [1, 2), k in [−spread, spread] + shift; zero now and then.
template <class F>
[[nodiscard]] F heavy_tailed(dice& roll, int spread = 10, int shift = 0) {
  if (roll.below(16) == 0) return F(0);
  double const mantissa = roll.uniform(1, 2), sign = roll.below(2) == 0 ? 1 : -1;
  return std::ldexp(static_cast<F>(sign * mantissa), static_cast<int>(roll.below(2 * spread + 1)) - spread + shift);
}

template <class F>
[[nodiscard]] mat<F> heavy_tailed(dice& roll, index_t rows, index_t cols, int spread = 10, int shift = 0) {
  mat<F> m(rows, cols);
  for (index_t i = 0; i < m.size(); ++i) m.data()[i] = heavy_tailed<F>(roll, spread, shift);
  return m;
}

/// Errors over their bounds: above 1, or infinite where a bound of 0 is missed or a number is not finite, the bound is wrong.
struct ratios {
  double most = 0, sum = 0;
  long count = 0;

  void add(digits const& error, digits const& bound) {
    double const ratio = error == 0 ? 0 : bound > 0 ? static_cast<double>(digits(abs(error) / bound)) : HUGE_VAL;
    most = std::isfinite(ratio) ? std::max(most, ratio) : HUGE_VAL;
    sum += ratio;
    ++count;
  }
  /// Every entry of |got − exact|.
  template <class F>
  void add(mat<F> const& got, matrix const& exact, matrix const& bound) {
    REQUIRE(got.rows() == exact.rows());
    REQUIRE(got.cols() == exact.cols());
    for (index_t i = 0; i < got.rows(); ++i)
      for (index_t j = 0; j < got.cols(); ++j) add(digits(got(i, j)) - exact(i, j), bound(i, j));
  }
};

/// A bound that no error comes near is no lie, and of little use.
inline constexpr double loose = 0.05;

/// Rows of Markdown, which tools/bounds copies into docs/09_error_bounds.md.
class table {
 public:
  /// @param what the heading of the first column
  explicit table(std::string const& what) {
    std::cout << "\n| " << what << " | entries | max error / bound | mean | |\n| --- | ---: | ---: | ---: | --- |\n";
  }
  void row(std::string const& name, ratios const& r) const {
    std::cout << "| " << name << " | " << r.count << " | " << std::setprecision(2) << r.most << " | "
              << r.sum / static_cast<double>(r.count) << " | " << (r.most < loose ? "loose" : "") << " |" << std::endl;
  }
  /// A bound that holds, and is not much larger than it was.   @param least about a quarter of the smallest ratio that was recorded
  void row(std::string const& name, ratios const& r, double least) const {
    row(name, r);
    CAPTURE(name);
    CHECK(r.most <= 1);
    CHECK(r.most > least);
  }
};

}  // namespace fwa::test
