// SPDX-License-Identifier: Apache-2.0
// number/prime_field.hpp — integers modulo a prime: equality of forms at production sizes, with a failure probability.
//
// Two polynomials of total degree ≤ D that differ as polynomials over F_p agree at a uniformly random point with probability at
// most D / p (Schwartz–Zippel). A difference whose coefficients are all divisible by p is zero in F_p: hence two primes, and the
// grids over the rationals. F_2, F_3 and F_5 are small enough to try every input.
#pragma once

#include "eigen.hpp"

#include <cstdint>
#include <ostream>

namespace fwa {

inline constexpr std::uint64_t mersenne_61 = (std::uint64_t(1) << 61) - 1;    ///< 2^61 − 1, prime
inline constexpr std::uint64_t below_two_59 = (std::uint64_t(1) << 59) - 55;  ///< 2^59 − 55, prime

template <std::uint64_t P>
class prime_field {
 public:
  static constexpr std::uint64_t modulus = P;

  constexpr prime_field() = default;
  constexpr prime_field(int n) : value_(n < 0 ? P - residue(-static_cast<std::int64_t>(n)) : residue(n)) { value_ %= P; }
  constexpr explicit prime_field(std::uint64_t n) : value_(n % P) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }  ///< in [0, P)

  constexpr prime_field& operator+=(prime_field b) {
    value_ += b.value_;
    return reduce();
  }
  constexpr prime_field& operator-=(prime_field b) {
    value_ = value_ >= b.value_ ? value_ - b.value_ : value_ + (P - b.value_);
    return *this;
  }
  constexpr prime_field& operator*=(prime_field b) {
    wide const product = static_cast<wide>(value_) * b.value_;
    if constexpr (P == mersenne_61) {
      value_ = static_cast<std::uint64_t>(product & P) + static_cast<std::uint64_t>(product >> 61);
      return reduce();
    }
    value_ = static_cast<std::uint64_t>(product % P);
    return *this;
  }
  /// @pre b ≠ 0
  constexpr prime_field& operator/=(prime_field b) { return *this *= b.inverse(); }

  friend constexpr prime_field operator+(prime_field a, prime_field b) { return a += b; }
  friend constexpr prime_field operator-(prime_field a, prime_field b) { return a -= b; }
  friend constexpr prime_field operator*(prime_field a, prime_field b) { return a *= b; }
  friend constexpr prime_field operator/(prime_field a, prime_field b) { return a /= b; }
  friend constexpr prime_field operator-(prime_field a) { return prime_field() - a; }
  friend constexpr bool operator==(prime_field, prime_field) = default;
  friend std::ostream& operator<<(std::ostream& out, prime_field a) { return out << a.value_; }

  /// a^(P−2).   @pre a ≠ 0
  [[nodiscard]] constexpr prime_field inverse() const {
    prime_field result(1), square = *this;
    for (std::uint64_t e = P - 2; e != 0; e >>= 1) {
      if (e & 1) result *= square;
      square *= square;
    }
    return result;
  }

 private:
  __extension__ using wide = unsigned __int128;
  /// @pre value_ < 2 P
  constexpr prime_field& reduce() {
    if (value_ >= P) value_ -= P;
    return *this;
  }
  static constexpr std::uint64_t residue(std::int64_t n) { return static_cast<std::uint64_t>(n) % P; }

  std::uint64_t value_ = 0;
};

}  // namespace fwa

template <std::uint64_t P>
struct Eigen::NumTraits<fwa::prime_field<P>> : fwa::detail::scalar_traits<fwa::prime_field<P>> {};
