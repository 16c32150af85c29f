// SPDX-License-Identifier: Apache-2.0
// support/archetype.hpp — scalars that can do what a concept asks and nothing else, so that what a template asks beyond it does not
// compile.
#pragma once

#include <fwa/number/eigen.hpp>

#include <cmath>
#include <limits>
#include <ostream>

namespace fwa::test {

/// What tests look into; templates have no way to.
struct inside {
  template <class A>
  [[nodiscard]] static auto of(A const& a) {
    return a.value_;
  }
};

/// `ring`: + − × ==, made from an int and in no other way; no order, no output.
class ring_archetype {
 public:
  ring_archetype() = default;
  explicit ring_archetype(int n) : value_(n) {}
  friend ring_archetype operator+(ring_archetype const& a, ring_archetype const& b) { return made(a.value_ + b.value_); }
  friend ring_archetype operator-(ring_archetype const& a, ring_archetype const& b) { return made(a.value_ - b.value_); }
  friend ring_archetype operator*(ring_archetype const& a, ring_archetype const& b) { return made(a.value_ * b.value_); }
  friend ring_archetype operator-(ring_archetype const& a) { return made(-a.value_); }
  friend bool operator==(ring_archetype const& a, ring_archetype const& b) { return a.value_ == b.value_; }
  ring_archetype& operator+=(ring_archetype const& b) { return *this = *this + b; }
  ring_archetype& operator-=(ring_archetype const& b) { return *this = *this - b; }
  ring_archetype& operator*=(ring_archetype const& b) { return *this = *this * b; }

 private:
  friend inside;
  static ring_archetype made(long n) {
    ring_archetype a;
    a.value_ = n;
    return a;
  }
  long value_ = 0;
};

class real_archetype;

}  // namespace fwa::test

template <>
struct std::numeric_limits<fwa::test::real_archetype> {
  static constexpr bool is_specialized = true, is_exact = false, is_integer = false, is_signed = true;
  static constexpr int digits = std::numeric_limits<double>::digits;
  static fwa::test::real_archetype min();
  static fwa::test::real_archetype quiet_NaN();
};

namespace fwa::test {

/// `real`: also / < and output; beside the concept √ and exp by name, and how precise it is.
class real_archetype {
 public:
  real_archetype() = default;
  explicit real_archetype(int n) : value_(n) {}
  explicit real_archetype(double n) : value_(n) {}
  friend real_archetype operator+(real_archetype const& a, real_archetype const& b) { return real_archetype(a.value_ + b.value_); }
  friend real_archetype operator-(real_archetype const& a, real_archetype const& b) { return real_archetype(a.value_ - b.value_); }
  friend real_archetype operator*(real_archetype const& a, real_archetype const& b) { return real_archetype(a.value_ * b.value_); }
  friend real_archetype operator/(real_archetype const& a, real_archetype const& b) { return real_archetype(a.value_ / b.value_); }
  friend real_archetype operator-(real_archetype const& a) { return real_archetype(-a.value_); }
  real_archetype& operator+=(real_archetype const& b) { return *this = *this + b; }
  real_archetype& operator-=(real_archetype const& b) { return *this = *this - b; }
  real_archetype& operator*=(real_archetype const& b) { return *this = *this * b; }
  real_archetype& operator/=(real_archetype const& b) { return *this = *this / b; }
  friend bool operator<(real_archetype const& a, real_archetype const& b) { return a.value_ < b.value_; }
  friend bool operator==(real_archetype const& a, real_archetype const& b) { return a.value_ == b.value_; }
  friend std::ostream& operator<<(std::ostream& out, real_archetype const& a) { return out << a.value_; }
  friend real_archetype sqrt(real_archetype const& a) { return real_archetype(std::sqrt(a.value_)); }
  friend real_archetype exp(real_archetype const& a) { return real_archetype(std::exp(a.value_)); }

 private:
  friend inside;
  double value_ = 0;
};

}  // namespace fwa::test

template <>
struct Eigen::NumTraits<fwa::test::ring_archetype> : fwa::detail::scalar_traits<fwa::test::ring_archetype> {};
template <>
struct Eigen::NumTraits<fwa::test::real_archetype> : fwa::detail::scalar_traits<fwa::test::real_archetype> {};

inline fwa::test::real_archetype std::numeric_limits<fwa::test::real_archetype>::min() {
  return fwa::test::real_archetype((std::numeric_limits<double>::min)());
}
inline fwa::test::real_archetype std::numeric_limits<fwa::test::real_archetype>::quiet_NaN() {
  return fwa::test::real_archetype(std::numeric_limits<double>::quiet_NaN());
}
