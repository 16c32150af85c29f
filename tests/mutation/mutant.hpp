// SPDX-License-Identifier: Apache-2.0
// mutation/mutant.hpp — what the headers that mutate.py rewrites ask: does a mutant run, and which?
//
// FWA_MUTANT names it (0: none). FWA_REACHED names a file for the sites that a run came by. FWA_SCALE = k makes the site that FWA_MUTANT
// names return (1 + 2^-k) times its value: floats only, exact scalars pass.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <fstream>
#include <type_traits>

namespace mutation {

struct state {
  static char const* text(char const* name) {
    char const* const found = std::getenv(name);
    return found == nullptr ? "" : found;
  }
  int mutant = std::atoi(text("FWA_MUTANT"));
  double factor = 1 + std::ldexp(1.0, -std::atoi(text("FWA_SCALE")));
  bool recording = *text("FWA_REACHED") != 0;
  std::array<bool, 1 << 16> reached{};

  state() = default;
  state(state const&) = delete;
  state& operator=(state const&) = delete;
  ~state() {
    if (!recording) return;
    std::ofstream out(text("FWA_REACHED"));
    for (std::size_t i = 0; i < reached.size(); ++i)
      if (reached[i]) out << i << '\n';
  }
};
inline state now;

/// One of the mutants [first, last] runs.
inline bool any(int first, int last) {
  if (now.recording) now.reached[static_cast<std::size_t>(first)] = true;
  return first <= now.mutant && now.mutant <= last;
}
inline bool is(int n) { return now.mutant == n; }

/// The same in functions that the compiler, too, may run: it runs no mutant.
constexpr bool constexpr_any(int first, int last) { return !std::is_constant_evaluated() && any(first, last); }
constexpr bool constexpr_is(int n) { return !std::is_constant_evaluated() && is(n); }

template <class X>
concept of_floats = std::floating_point<typename X::Scalar> && requires {
  typename X::PlainObject;
};

template <class X>
auto scaled(int n, X const& x) {
  if constexpr (std::floating_point<X>) {
    return any(n, n) ? static_cast<X>(x * static_cast<X>(now.factor)) : x;
  } else if constexpr (of_floats<X>) {
    typename X::PlainObject y = x;
    if (any(n, n)) y *= static_cast<typename X::Scalar>(now.factor);
    return y;
  } else {
    return X(x);
  }
}

/// Rounded to single precision where it is a float.
template <class X>
X single(X const& x) {
  if constexpr (std::floating_point<X>)
    return static_cast<float>(x);
  else if constexpr (of_floats<X>)
    return x.template cast<float>().template cast<typename X::Scalar>();
  else
    return x;
}

}  // namespace mutation
