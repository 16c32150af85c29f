// SPDX-License-Identifier: Apache-2.0
#include <fwa/number/prime_field.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace fwa {
namespace {

__extension__ using wide = unsigned __int128;

std::uint64_t power(std::uint64_t a, std::uint64_t e, std::uint64_t n) {
  std::uint64_t result = 1;
  for (; e != 0; e >>= 1, a = static_cast<std::uint64_t>(wide(a) * a % n))
    if (e & 1) result = static_cast<std::uint64_t>(wide(result) * a % n);
  return result;
}

/// Miller and Rabin with the first twelve primes decides every n below 3.3e24.
bool is_prime(std::uint64_t n) {
  std::uint64_t odd = n - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  for (std::uint64_t a : {2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u, 23u, 29u, 31u, 37u}) {
    if (n == a) return true;
    std::uint64_t x = power(a, odd, n);
    bool composite = x != 1;
    for (int i = 0; i < twos && composite; ++i, x = static_cast<std::uint64_t>(wide(x) * x % n)) composite = x != n - 1;
    if (composite) return false;
  }
  return true;
}

TEST_CASE("the moduli are prime: over a composite one no bound on the chance of agreement holds") {
  CHECK(is_prime(mersenne_61));
  CHECK(is_prime(below_two_59));
  CHECK(!is_prime(mersenne_61 - 2));
  CHECK(!is_prime(561));  // Carmichael
}

TEST_CASE_TEMPLATE("tiny fields: every law for every element", F, prime_field<2>, prime_field<3>, prime_field<5>) {
  int const p = static_cast<int>(F::modulus);
  for (int a = 0; a < p; ++a) {
    CHECK(F(a) + (-F(a)) == F(0));
    CHECK(F(a - p) == F(a));
    CHECK(F(a + 7 * p) == F(a));
    CHECK(F(a - 7 * p) == F(a));
    if (a != 0) CHECK(F(a) * F(a).inverse() == F(1));
    for (int b = 0; b < p; ++b) {
      CHECK(F(a) + F(b) == F(a + b));
      CHECK(F(a) - F(b) == F(a - b));
      CHECK(F(a) * F(b) == F(a * b));
      if (b != 0) CHECK(F(a) / F(b) * F(b) == F(a));
    }
  }
}

TEST_CASE_TEMPLATE("large fields against 128-bit integers", F, prime_field<mersenne_61>, prime_field<below_two_59>) {
  constexpr std::uint64_t p = F::modulus;
  std::mt19937_64 random(1);
  std::uint64_t const edges[] = {0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1};
  auto agree = [](std::uint64_t a, std::uint64_t b) {
    CHECK((F(a) + F(b)).value() == static_cast<std::uint64_t>((wide(a) + b) % p));
    CHECK((F(a) - F(b)).value() == static_cast<std::uint64_t>((wide(a) + p - b) % p));
    CHECK((F(a) * F(b)).value() == static_cast<std::uint64_t>(wide(a) * b % p));
  };
  for (std::uint64_t a : edges)
    for (std::uint64_t b : edges) agree(a, b);
  for (int i = 0; i < 20000; ++i) agree(random() % p, random() % p);
  for (int i = 0; i < 200; ++i) {
    F const a(random());
    CHECK(a * a.inverse() == F(1));
  }
  CHECK(F(-1).value() == p - 1);
}

}  // namespace
}  // namespace fwa
