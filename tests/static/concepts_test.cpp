// SPDX-License-Identifier: Apache-2.0
// What the concepts let in and keep out. Compiling is passing.
#include <fwa/number/digits.hpp>
#include <fwa/scalar.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace fwa::concepts_test {

static_assert(real<float> && real<double> && real<long double>);
static_assert(real<digits_50> && real<digits_100>);
static_assert(ring<int>);

/// + − × and the constants, nothing else.
struct only_a_ring {
  int value;
  constexpr explicit only_a_ring(int v) : value(v) {}
  friend only_a_ring operator+(only_a_ring a, only_a_ring b) { return only_a_ring(a.value + b.value); }
  friend only_a_ring operator-(only_a_ring a, only_a_ring b) { return only_a_ring(a.value - b.value); }
  friend only_a_ring operator*(only_a_ring a, only_a_ring b) { return only_a_ring(a.value * b.value); }
  friend only_a_ring operator-(only_a_ring a) { return only_a_ring(-a.value); }
  only_a_ring& operator+=(only_a_ring b) { return *this = *this + b; }
  only_a_ring& operator-=(only_a_ring b) { return *this = *this - b; }
  only_a_ring& operator*=(only_a_ring b) { return *this = *this * b; }
};
static_assert(ring<only_a_ring>);
static_assert(!real<only_a_ring>);

struct no_product : only_a_ring {
  using only_a_ring::only_a_ring;
  friend no_product operator+(no_product a, no_product b) { return no_product(a.value + b.value); }
  friend no_product operator-(no_product a, no_product b) { return no_product(a.value - b.value); }
  friend void operator*(no_product, no_product) = delete;
};
static_assert(!ring<no_product>);

struct no_constants {
  friend no_constants operator+(no_constants, no_constants) { return {}; }
  friend no_constants operator-(no_constants, no_constants) { return {}; }
  friend no_constants operator*(no_constants, no_constants) { return {}; }
  friend no_constants operator-(no_constants) { return {}; }
  no_constants& operator+=(no_constants) { return *this; }
  no_constants& operator-=(no_constants) { return *this; }
  no_constants& operator*=(no_constants) { return *this; }
};
static_assert(!ring<no_constants>);

static_assert(!ring<std::string>);
static_assert(!ring<std::unique_ptr<int>>);
static_assert(!ring<void*>);

}  // namespace fwa::concepts_test
