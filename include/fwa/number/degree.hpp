// SPDX-License-Identifier: Apache-2.0
// number/degree.hpp — runs a form to learn its degree in each of N groups of inputs.
//
//   a + b ↦ max      a · b ↦ sum      0 ↦ the zero polynomial (no degree)      other constants ↦ 0
//
// An upper bound, since cancellation is not seen; it is measured on the compiled code, so no one has to be trusted with it. A
// polynomial of degree ≤ n_k in variable k that vanishes on a grid of n_k + 1 values a variable is zero; one of total degree D
// vanishes at a random point of F_p with probability ≤ D / p.
#pragma once

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
  degree(int constant) : zero_(constant == 0) {}
  [[nodiscard]] static degree variable(std::size_t group) {
    degree d(1);
    d.by_group_[group] = 1;
    d.total_ = 1;
    return d;
  }

  [[nodiscard]] bool is_zero() const { return zero_; }
  [[nodiscard]] int total() const { return total_; }
  [[nodiscard]] int in(std::size_t group) const { return by_group_[group]; }

  degree& operator+=(degree const& b) {
    if (zero_) return *this = b;
    total_ = std::max(total_, b.total_);
    for (std::size_t i = 0; i < N; ++i) by_group_[i] = std::max(by_group_[i], b.by_group_[i]);
    return *this;
  }
  degree& operator-=(degree const& b) { return *this += b; }
  degree& operator*=(degree const& b) {
    if (zero_ || b.zero_) return *this = degree(0);
    total_ += b.total_;
    for (std::size_t i = 0; i < N; ++i) by_group_[i] += b.by_group_[i];
    return *this;
  }
  friend degree operator+(degree a, degree const& b) { return a += b; }
  friend degree operator-(degree a, degree const& b) { return a -= b; }
  friend degree operator*(degree a, degree const& b) { return a *= b; }
  friend degree operator-(degree const& a) { return a; }
  friend bool operator==(degree const&, degree const&) = default;
  friend std::ostream& operator<<(std::ostream& out, degree const& d) { return out << (d.zero_ ? -1 : d.total_); }

 private:
  bool zero_ = true;
  int total_ = 0;
  std::array<int, N> by_group_{};
};

}  // namespace fwa

template <std::size_t N>
struct Eigen::NumTraits<fwa::degree<N>> : fwa::detail::scalar_traits<fwa::degree<N>> {};
