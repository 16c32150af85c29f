// SPDX-License-Identifier: Apache-2.0
// support/approx.hpp — every tolerance of the tests, and how two matrices are compared: non-finite values first.
#pragma once

#include <fwa/matrix.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

namespace fwa::test {

/// What a golden case allows between double precision and its 60-digit value.
inline constexpr double golden = 1e-12, golden_eta = 1e-13, golden_gamma = 1e-13, golden_gamma_above_one = 1e-14;

/// What float may differ by from double on the same golden inputs, and long double from a golden value.
inline constexpr double golden_float = 5e-6, golden_long_double = 2.3e-16;

/// What two forms, or a form and the plain loops, may differ by in double precision on the tests' sizes (T ≤ 100, O(1) numbers).
inline constexpr double forms = 1e-12;

/// What a recursive and a direct ridge solution may differ by at a condition number of 1e4.
inline constexpr double ridge = 1e-11;

/// max |got − want|; infinite where shapes differ or a value is not finite.
template <class A, class B>
[[nodiscard]] double distance(A const& got, B const& want) {
  if (got.rows() != want.rows() || got.cols() != want.cols()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (index_t i = 0; i < got.rows(); ++i)
    for (index_t j = 0; j < got.cols(); ++j) {
      double const difference = std::abs(static_cast<double>(got(i, j) - static_cast<typename A::Scalar>(want(i, j))));
      if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
      most = std::max(most, difference);
    }
  return most;
}

template <class M>
[[nodiscard]] double magnitude(M const& m) {
  double most = 0;
  for (index_t i = 0; i < m.rows(); ++i)
    for (index_t j = 0; j < m.cols(); ++j) most = std::max(most, std::abs(static_cast<double>(m(i, j))));
  return most;
}

/// |got − want| ≤ tolerance · max(1, max |want|), and where not.
template <class A, class B>
[[nodiscard]] std::string mismatch(A const& got, B const& want, double tolerance) {
  double const allowed = tolerance * std::max(1.0, magnitude(want)), found = distance(got, want);
  if (found <= allowed) return {};
  std::ostringstream out;
  out.precision(17);
  out << "max |got - want| = " << found << " > " << allowed << "; got " << got.rows() << " x " << got.cols() << ", want " << want.rows()
      << " x " << want.cols();
  for (index_t i = 0; i < std::min(got.rows(), want.rows()); ++i)
    for (index_t j = 0; j < std::min(got.cols(), want.cols()); ++j)
      if (!(std::abs(static_cast<double>(got(i, j)) - static_cast<double>(want(i, j))) <= allowed)) {
        out << "; first at [" << i << ", " << j << "]: " << static_cast<double>(got(i, j)) << " against "
            << static_cast<double>(want(i, j));
        return out.str();
      }
  return out.str();
}

}  // namespace fwa::test

/// Fails with the first entry that is too far off.
#define CHECK_CLOSE(got, want, tolerance) CHECK_EQ(::fwa::test::mismatch((got), (want), (tolerance)), std::string{})
