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

struct no_product {
  no_product() = default;
  explicit no_product(int) {}
  friend no_product operator+(no_product, no_product) { return {}; }
  friend no_product operator-(no_product, no_product) { return {}; }
  friend no_product operator-(no_product) { return {}; }
  no_product& operator+=(no_product) { return *this; }
  no_product& operator-=(no_product) { return *this; }
  no_product& operator*=(no_product) { return *this; }
  friend bool operator==(no_product, no_product) = default;
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
  friend bool operator==(no_constants, no_constants) = default;
};
static_assert(!ring<no_constants>);

static_assert(!ring<std::string>);
static_assert(!ring<std::unique_ptr<int>>);
static_assert(!ring<void*>);

}  // namespace fwa::concepts_test
