// SPDX-License-Identifier: Apache-2.0
// Claim forms_agree at production size: over F_p for two primes, with the failure probability that the measured degree gives.
#include "support/problem.hpp"

#include <fwa/number/degree.hpp>
#include <fwa/number/prime_field.hpp>

#include <doctest/doctest.h>

#include <iostream>
#include <random>

using namespace fwa;
using namespace fwa::test;

namespace {

shape production(corner const& c, timing when) {
  shape s = shape_of(c, 4);
  s.T = 1037;  // 16 chunks of 64 and a ragged one
  s.d = 16;
  s.dv = 8;
  s.before = s.B - 1;
  s.when = when;
  return s;
}

template <class F>
void forms_agree_in(corner const& c, timing when, int trials) {
  std::mt19937_64 random(20260825);
  for (int trial = 0; trial < trials; ++trial) {
    problem<F> const a = draw_problem<F>(production(c, when), [&](input) { return F(std::uint64_t(random())); });
    reading<F> const want = solve(a, path::recurrent, 64);
    for (index_t C : {1, 3, 64}) {
      CAPTURE(C);
      CHECK(equal(solve(a, path::chunk, C), want));
    }
    CHECK(equal(solve(a, path::scan, 64), want));
    if (c.windowed && c.rho != residual::zero) continue;  // one system of B·T unknowns: small T below
    CHECK(equal(solve(a, path::masked, 64), want));
  }
}

template <class F>
void masked_windows_agree_in(corner const& c, timing when) {
  std::mt19937_64 random(7);
  shape s = production(c, when);
  s.T = 131;
  problem<F> const a = draw_problem<F>(s, [&](input) { return F(std::uint64_t(random())); });
  CHECK(equal(solve(a, path::masked, 64), solve(a, path::recurrent, 64)));
}

}  // namespace

TEST_CASE("every form equals the recurrence at T = 1037, d = 16, dv = 8, over two prime fields") {
  for (corner const& c : corners)
    for (timing when : {timing::read_after_write, timing::read_before_write}) {
      CAPTURE(c.name);
      forms_agree_in<prime_field<mersenne_61>>(c, when, 1);
      forms_agree_in<prime_field<below_two_59>>(c, when, 1);
      if (c.windowed && c.rho != residual::zero) {
        masked_windows_agree_in<prime_field<mersenne_61>>(c, when);
        masked_windows_agree_in<prime_field<below_two_59>>(c, when);
      }
    }
}

TEST_CASE("the degree of every form is measured, and bounds the chance that two different forms agree") {
  using D = degree<inputs>;
  for (corner const& c : corners) {
    shape s = production(c, timing::read_after_write);
    s.T = 67;
    problem<D> const a = draw_problem<D>(s, [](input g) { return D::variable(static_cast<std::size_t>(g)); });
    int most = 0;
    for (path f : paths) {
      reading<D> const r = solve(a, f, 16);
      for (index_t i = 0; i < r.o.size(); ++i) most = std::max(most, r.o.data()[i].total());
    }
    // A step of a regression reads x once, writes x once and multiplies by w: 3 a token; an inner product multiplies by one γ a
    // token. The read adds q and S_0, or the last write.
    auto degree_at = [&c](index_t T) {
      return static_cast<int>(c.rho == residual::zero ? T + 3 : c.rho == residual::one ? 3 * T + 2 : 4 * T + 2);
    };
    int const want = degree_at(s.T);
    std::cout << c.name << ": degree " << most << " at T = " << s.T
              << "; at T = 1037 a wrong form passes with probability <= " << double(degree_at(1037)) / double(mersenne_61) << '\n';
    CHECK(most <= want);
    CHECK(most >= static_cast<int>(s.T));
  }
}
