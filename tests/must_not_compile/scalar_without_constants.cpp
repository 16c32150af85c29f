// SPDX-License-Identifier: Apache-2.0
// MUST SAY: a form needs the constants 0 and 1
#include <fwa/scalar.hpp>

struct nameless {
  friend nameless operator+(nameless, nameless) { return {}; }
  friend nameless operator-(nameless, nameless) { return {}; }
  friend nameless operator*(nameless, nameless) { return {}; }
  friend nameless operator-(nameless) { return {}; }
  nameless& operator+=(nameless) { return *this; }
  nameless& operator-=(nameless) { return *this; }
  nameless& operator*=(nameless) { return *this; }
  friend bool operator==(nameless, nameless) = default;
};

template <fwa::ring S>
S twice(S const& s) {
  return s + s;
}
nameless f(nameless s) { return twice(s); }
