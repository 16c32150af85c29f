// SPDX-License-Identifier: Apache-2.0
// number/running_error.hpp — a float that carries a proved bound of its own error.              Wilkinson; Higham, ASNA 3.3
//
//   |value − exact| ≤ bound      exact: the same expression in exact arithmetic, from inputs taken as exact
//
//   a ± b   e_a + e_b + u |a ± b|          a · b   |a| e_b + |b| e_a + e_a e_b + u |a b| + η/2        |fl(z) − z| ≤ u |fl(z)| + η/2
//   a / b   (e_a + |a / b| e_b) / (|b| − e_b) + u |a / b| + η/2, infinite where e_b ≥ |b|        a/b − A/B = ((a − A) + (a/b)(B − b)) / B
//
// u is the unit roundoff of F, η its smallest subnormal. The bound is kept in long double and enlarged by 2^-60 an operation, more
// than its own rounding loses; that of what overflows is infinite. Round to nearest; a fused multiply-add in F only lowers the true
// error.
#pragma once

#include "eigen.hpp"

#include <cmath>
#include <limits>
#include <ostream>

namespace fwa {

template <class F>
class running_error {
 public:
  static constexpr long double unit = std::numeric_limits<F>::epsilon() / 2;

  running_error() = default;
  running_error(int n) : value_(static_cast<F>(n)) {}
  /// An input, taken as exact unless its error is known.
  explicit running_error(F value, long double bound = 0) : value_(value), bound_(bound) {}

  [[nodiscard]] F value() const { return value_; }
  [[nodiscard]] long double bound() const { return bound_; }

  friend running_error operator+(running_error const& a, running_error const& b) {
    F const sum = a.value_ + b.value_;
    return running_error(sum, up(a.bound_ + b.bound_ + unit * magnitude(sum)));
  }
  friend running_error operator-(running_error const& a, running_error const& b) { return a + (-b); }
  friend running_error operator*(running_error const& a, running_error const& b) {
    F const product = a.value_ * b.value_;
    return running_error(product, up(magnitude(a.value_) * b.bound_ + magnitude(b.value_) * a.bound_ + a.bound_ * b.bound_ +
                                     (a.value_ == 0 || b.value_ == 0 ? 0 : rounding(product))));
  }
  friend running_error operator/(running_error const& a, running_error const& b) {
    F const quotient = a.value_ / b.value_;
    long double const size = magnitude(b.value_), least = size - b.bound_;
    if (!(least > 0)) return running_error(quotient, std::numeric_limits<long double>::infinity());
    return running_error(quotient,
                         up((a.bound_ + magnitude(a.value_) / size * b.bound_) / least + (a.value_ == 0 ? 0 : rounding(quotient))));
  }
  friend running_error operator-(running_error const& a) { return running_error(-a.value_, a.bound_); }
  running_error& operator+=(running_error const& b) { return *this = *this + b; }
  running_error& operator-=(running_error const& b) { return *this = *this - b; }
  running_error& operator*=(running_error const& b) { return *this = *this * b; }
  running_error& operator/=(running_error const& b) { return *this = *this / b; }
  friend bool operator==(running_error const& a, running_error const& b) { return a.value_ == b.value_; }
  friend std::ostream& operator<<(std::ostream& out, running_error const& a) { return out << a.value_ << " ± " << a.bound_; }

 private:
  static long double magnitude(F x) { return std::abs(static_cast<long double>(x)); }
  /// Of a product or quotient; η, as η/2 may be no long double.
  static long double rounding(F z) { return unit * magnitude(z) + std::numeric_limits<F>::denorm_min(); }
  /// 0 · ∞ bounds nothing.
  static long double up(long double e) { return e >= 0 ? e * (1 + std::ldexp(1.0L, -60)) : std::numeric_limits<long double>::infinity(); }

  F value_ = 0;
  long double bound_ = 0;
};

}  // namespace fwa

template <class F>
struct Eigen::NumTraits<fwa::running_error<F>> : fwa::detail::scalar_traits<fwa::running_error<F>> {};
