// SPDX-License-Identifier: Apache-2.0
// number/degree.hpp — runs a form to learn its degree in each of N groups of inputs.
//
//   a + b ↦ max      a · b ↦ sum      a / monomial ↦ difference      0 ↦ the zero polynomial (no degree)      other constants ↦ 0
//
// So is the least exponent, by min: what is divided by monomials is a polynomial again where no variable's least exponent is negative.
// An upper bound, since cancellation is not seen; it is measured on the compiled code, so no one has to be trusted with it. A
// polynomial of degree ≤ n_k in variable k that vanishes on a grid of n_k + 1 values a variable is zero; one of total degree D
// vanishes at a random point of F_p with probability ≤ D / p.
#pragma once

#include "../refusal.hpp"
#include "eigen.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>

namespace fwa {

template <std::size_t N>
class degree {
 public:
  degree() = default;
  degree(int constant) : zero_(constant == 0), monomial_(constant != 0) {}
  [[nodiscard]] static degree variable(std::size_t group) {
    degree d(1);
    d.by_group_[group] = d.least_[group] = 1;
    d.total_ = 1;
    return d;
  }

  [[nodiscard]] bool is_zero() const { return zero_; }
  [[nodiscard]] int total() const { return total_; }
  [[nodiscard]] int in(std::size_t group) const { return by_group_[group]; }
  /// Of the one variable of this group no term has a lower power.
  [[nodiscard]] int least(std::size_t group) const { return least_[group]; }

  degree& operator+=(degree const& b) {
    if (zero_) return *this = b;
    if (b.zero_) return *this;
    monomial_ = false;
    total_ = std::max(total_, b.total_);
    for (std::size_t i = 0; i < N; ++i) {
      by_group_[i] = std::max(by_group_[i], b.by_group_[i]);
      least_[i] = std::min(least_[i], b.least_[i]);
    }
    return *this;
  }
  degree& operator-=(degree const& b) { return *this += b; }
  degree& operator*=(degree const& b) {
    if (zero_ || b.zero_) return *this = degree(0);
    monomial_ = monomial_ && b.monomial_;
    return shift(b, 1);
  }
  /// @throws contract_error if b is not one term
  degree& operator/=(degree const& b) {
    require(b.monomial_, "degree", "only a monomial divides");
    return zero_ ? *this : shift(b, -1);
  }
  friend degree operator+(degree a, degree const& b) { return a += b; }
  friend degree operator-(degree a, degree const& b) { return a -= b; }
  friend degree operator*(degree a, degree const& b) { return a *= b; }
  friend degree operator/(degree a, degree const& b) { return a /= b; }
  friend degree operator-(degree const& a) { return a; }
  friend bool operator==(degree const&, degree const&) = default;
  friend std::ostream& operator<<(std::ostream& out, degree const& d) { return out << (d.zero_ ? -1 : d.total_); }

 private:
  degree& shift(degree const& b, int sign) {
    total_ += sign * b.total_;
    for (std::size_t i = 0; i < N; ++i) {
      by_group_[i] += sign * b.by_group_[i];
      least_[i] += sign * b.least_[i];
    }
    return *this;
  }

  bool zero_ = true, monomial_ = false;
  int total_ = 0;
  std::array<int, N> by_group_{}, least_{};
};

}  // namespace fwa

template <std::size_t N>
struct Eigen::NumTraits<fwa::degree<N>> : fwa::detail::scalar_traits<fwa::degree<N>> {};
