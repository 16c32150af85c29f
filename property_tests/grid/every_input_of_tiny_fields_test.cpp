// SPDX-License-Identifier: Apache-2.0
// Claim forms_agree, for every input there is: over F_2 and F_3, tiny sizes, every form and every chunk, the paper's where no decay is 0.
#include "support/problem.hpp"

#include <fwa/number/prime_field.hpp>

#include <doctest/doctest.h>

#include <iostream>

using namespace fwa;
using namespace fwa::test;

namespace {

/// Entries that a problem of this shape draws and, at a sentinel, writes over.
index_t variables(shape const& s) {
  index_t const columns = s.per_column ? s.dv : 1;
  return s.T * s.d + s.d * s.dv + (s.before + s.T) * (s.d + s.dv) + 2 * s.T * columns - (s.sentinel ? s.d + 2 * columns : 0);
}

/// @return how many inputs there are
template <class F>
long every_input(shape const& s) {
  long total = 1, wrong = 0;
  for (index_t i = 0; i < variables(s); ++i) total *= static_cast<long>(F::modulus);
  for (long at = 0; at < total; ++at) {
    long rest = at;
    index_t x = s.sentinel ? s.d : 0, weight = s.sentinel ? (s.per_column ? s.dv : 1) : 0, gamma = weight;  // that are written over
    auto const a = draw_problem<F>(s, [&](input g) {
      index_t none = 0;
      if ((g == input::x ? x : g == input::weight ? weight : g == input::gamma ? gamma : none)-- > 0) return F(0);
      F const digit(static_cast<std::uint64_t>(rest) % F::modulus);
      rest /= static_cast<long>(F::modulus);
      return digit;
    });
    wrong += differences(a, paths);
    if ((a.plan.gamma.array() != F(0)).all()) wrong += differences(with_roots(a), paper_paths);
  }
  CAPTURE(s.T);
  CAPTURE(s.d);
  CHECK(wrong == 0);
  return total;
}

}  // namespace

TEST_CASE("every form equals the recurrence for every input over F_2 and F_3") {
  for (rule const& r : corners)
    for (timing when : {timing::read_after_write, timing::read_before_write}) {
      CAPTURE(r.name);
      shape s = shape_of(r, 2);
      s.when = when;
      s.T = 2;
      long const three = every_input<prime_field<3>>(s);
      long two = every_input<prime_field<2>>(s);
      s.sentinel = true;
      two += every_input<prime_field<2>>(s);
      s.sentinel = false;
      s.before = s.B - 1;  // continued where there is a window
      two += every_input<prime_field<2>>(s);
      s.before = 0;
      s.dv = s.per_column ? 2 : 1;
      two += every_input<prime_field<2>>(s);
      s.T = s.dv == 2 ? 2 : 3;
      two += every_input<prime_field<2>>(s);
      s.sentinel = true;
      two += every_input<prime_field<2>>(s);
      if (when == timing::read_after_write) std::cout << r.name << ": " << two << " inputs over F_2, " << three << " over F_3\n";
    }
}
