// SPDX-License-Identifier: Apache-2.0
// support/any_order.hpp — an exact number, and how far a float may be from it that the same expression yields, its sums in any order.
//
// A running sum keeps its number of additions m, the errors of its summands, and Σ|summand|. It is rounded only when it is multiplied, or
// asked for its error: Σ errors + gam(m) Σ|summand|, which holds for every tree of additions over these summands. So a form that is run
// over this scalar bounds its own run over floats however Eigen orders and blocks the sums of a product; running_error bounds one order.
//
//   a · b      |a| e_b + |b| e_a + e_a e_b + u (|a| + e_a)(|b| + e_b);   a factor of ±1 and a sum with 0 do not round
//   a / b      (1 + u) (|a| + e_a) / (|b| − e_b) − |a / b|,  infinite where e_b ≥ |b|;   a divisor of ±1 and a dividend of 0 do not round
//
// Bounds are a priori: there is no float inside. No underflow, no overflow. Powers of two (binade, recurrent.hpp) scale floats only.
#pragma once

#include "support/bound.hpp"

#include <fwa/number/eigen.hpp>

namespace fwa::test {

class any_order {
 public:
  /// Unit roundoff of the floats that are bounded; one class for all floats compiles in half the time.
  static inline digits unit = unit_roundoff<double>();

  any_order() = default;
  any_order(int n) : any_order(digits(n)) {}
  explicit any_order(digits exact, digits error = 0) : exact_(exact), error_(error), size_(abs(exact) + error) {}

  [[nodiscard]] digits error() const { return adds_ == 0 ? error_ : digits(error_ + gam(adds_, unit) * size_); }

  friend any_order operator+(any_order a, any_order const& b) { return a += b; }
  friend any_order operator-(any_order a, any_order const& b) { return a += -b; }
  friend any_order operator-(any_order a) { return a.negate(), a; }
  friend any_order operator*(any_order a, any_order const& b) { return a *= b; }
  friend any_order operator/(any_order a, any_order const& b) { return a /= b; }
  any_order& operator-=(any_order const& b) { return *this += -b; }
  [[gnu::noinline]] any_order& operator+=(any_order const& b) {
    if (b.size_ == 0) return *this;
    if (size_ == 0) return *this = b;
    exact_ += b.exact_;
    error_ += b.error_;
    size_ += b.size_;
    adds_ += b.adds_ + 1;
    return *this;
  }
  [[gnu::noinline]] any_order& operator*=(any_order const& b) {
    if (size_ == 0 || b.is_unit()) {
      if (b.exact_ < 0) negate();
      return *this;
    }
    if (b.size_ == 0 || is_unit()) return *this = exact_ < 0 ? -b : b;
    digits const exact = exact_ * b.exact_, most = (abs(exact_) + error()) * (abs(b.exact_) + b.error());
    return *this = any_order(exact, most * (1 + unit) - abs(exact));
  }
  [[gnu::noinline]] any_order& operator/=(any_order const& b) {
    digits const least = abs(b.exact_) - b.error();
    if (least > 0 && (size_ == 0 || b.is_unit())) {
      if (b.exact_ < 0) negate();
      return *this;
    }
    digits const exact = exact_ / b.exact_,
                 most = least > 0 ? digits((abs(exact_) + error()) / least) : std::numeric_limits<digits>::infinity();
    return *this = any_order(exact, most * (1 + unit) - abs(exact));
  }
  friend bool operator==(any_order const& a, any_order const& b) { return a.exact_ == b.exact_; }

 private:
  [[nodiscard]] bool is_unit() const { return error_ == 0 && adds_ == 0 && size_ == 1; }
  [[gnu::noinline]] void negate() { exact_ = -exact_; }

  digits exact_ = 0, error_ = 0, size_ = 0;
  index_t adds_ = 0;
};

}  // namespace fwa::test

template <>
struct Eigen::NumTraits<fwa::test::any_order> : fwa::detail::scalar_traits<fwa::test::any_order> {};

namespace fwa::test {

[[nodiscard]] inline matrix errors(mat<any_order> const& m) {
  matrix out(m.rows(), m.cols());
  for (index_t i = 0; i < m.size(); ++i) out.data()[i] = m.data()[i].error();
  return out;
}

}  // namespace fwa::test
