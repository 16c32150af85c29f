// SPDX-License-Identifier: Apache-2.0
// number/dual.hpp — a + b ε with ε² = 0: derivatives without differences, exact over an exact scalar.
#pragma once

#include "../scalar.hpp"
#include "eigen.hpp"

#include <ostream>

namespace fwa {

template <ring S>
struct dual {
  S value{0}, tangent{0};

  dual() = default;
  dual(int n) : value(n) {}
  explicit dual(S const& v, S const& t = S(0)) : value(v), tangent(t) {}

  dual& operator+=(dual const& b) {
    value += b.value;
    tangent += b.tangent;
    return *this;
  }
  dual& operator-=(dual const& b) {
    value -= b.value;
    tangent -= b.tangent;
    return *this;
  }
  dual& operator*=(dual const& b) {
    tangent = tangent * b.value + value * b.tangent;
    value *= b.value;
    return *this;
  }
  friend dual operator+(dual a, dual const& b) { return a += b; }
  friend dual operator-(dual a, dual const& b) { return a -= b; }
  friend dual operator*(dual a, dual const& b) { return a *= b; }
  friend dual operator-(dual const& a) { return dual(-a.value, -a.tangent); }
  friend bool operator==(dual const&, dual const&) = default;
  friend std::ostream& operator<<(std::ostream& out, dual const& a) { return out << a.value << " + " << a.tangent << " e"; }
};

}  // namespace fwa

template <class S>
struct Eigen::NumTraits<fwa::dual<S>> : fwa::detail::scalar_traits<fwa::dual<S>> {};
