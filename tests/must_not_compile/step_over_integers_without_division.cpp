// SPDX-License-Identifier: Apache-2.0
// MUST SAY: a step divides by an energy
#include <fwa/step/gain.hpp>

struct whole {
  int v = 0;
  whole() = default;
  explicit whole(int n) : v(n) {}
  friend whole operator+(whole a, whole b) { return whole(a.v + b.v); }
  friend whole operator-(whole a, whole b) { return whole(a.v - b.v); }
  friend whole operator*(whole a, whole b) { return whole(a.v * b.v); }
  friend whole operator-(whole a) { return whole(-a.v); }
  whole& operator+=(whole b) { return *this = *this + b; }
  whole& operator-=(whole b) { return *this = *this - b; }
  whole& operator*=(whole b) { return *this = *this * b; }
  friend bool operator==(whole, whole) = default;
};

whole f(whole beta, whole D) { return fwa::step_size(beta, D); }
