// SPDX-License-Identifier: Apache-2.0
// concepts.hpp — what a number must be able to do, without Eigen: what the host and the device share.
//
// The forms use + − × only, so they run over any `ring`: floats, 50 digits, rationals, prime fields, degrees, error bounds,
// dual numbers. A step divides and compares, so it asks for a `real`; a plan also takes roots.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <ostream>

namespace fwa {

template <std::size_t N>
struct reason {
  char text[N];
  consteval reason(char const (&t)[N]) { std::copy_n(t, N, text); }
};

/// Always false; names in the compiler's message why a concept is not met.
template <reason Why>
inline constexpr bool unsatisfied = false;

template <class S>
concept adds_and_multiplies = requires(S a, S const b) {
  { b + b } -> std::convertible_to<S>;
  { b - b } -> std::convertible_to<S>;
  { b* b } -> std::convertible_to<S>;
  { -b } -> std::convertible_to<S>;
  a += b;
  a -= b;
  a *= b;
  { b == b } -> std::convertible_to<bool>;  // Eigen's products ask whether a factor is 0
};

/// A commutative ring with unit: all that a form needs.
template <class S>
concept ring = (std::semiregular<S> || unsatisfied<"a scalar must be copyable and have a default: matrices store it by value">)&&(
    adds_and_multiplies<S> ||
    unsatisfied<"a form adds, subtracts, multiplies and compares with ==">)&&(std::constructible_from<S, int> ||
                                                                              unsatisfied<"a form needs the constants 0 and 1">);

/// A ring that divides: what form/paper/ needs.
template <class S>
concept field = ring<S> &&(requires(S const a) {
  { a / a } -> std::convertible_to<S>;
} || unsatisfied<"a step divides by an energy">);

/// An ordered field: what a step size, a carry and a loss need on top.
template <class S>
concept real = field<S> &&(requires(S const a) {
  { a < a } -> std::convertible_to<bool>;
  {S(0.5)};
} || unsatisfied<"a step compares a carry with the decay floor">)&&(requires(std::ostream& out, S const a) { out << a; } ||
                                                                    unsatisfied<"what is refused is named with its value">);

namespace detail {
using std::sqrt;
template <class S>
concept has_square_root = requires(S const a) {
  { sqrt(a) } -> std::convertible_to<S>;
};
}  // namespace detail

/// A real with a square root: what λ_max and the norms of align/feature.hpp need on top.
template <class S>
concept rooted = real<S> &&
    (detail::has_square_root<S> || unsatisfied<"a reader takes square roots: over fractions and fields, call a form with a schedule">);

template <class T>
struct accumulator {
  using type = T;
};
/// The scalar that sums and the memory use when tokens are stored as T: 16-bit storage accumulates in float.
template <class T>
using accumulator_t = typename accumulator<T>::type;

}  // namespace fwa
