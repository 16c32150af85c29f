// SPDX-License-Identifier: Apache-2.0
// Claims forms_agree and paper_forms_agree_where_defined at production sizes: certificates over two prime fields.
#include "support/fields.hpp"

#include <doctest/doctest.h>

#include <iostream>
#include <optional>
#include <utility>

using namespace fwa;
using namespace fwa::verify;

namespace {

shape production(rule const& r, timing when) {
  shape s = shape_of(r, 4);
  s.T = 1037;  // 16 chunks of 64 and a ragged one
  s.d = 16;
  s.dv = 8;
  s.before = s.B - 1;
  s.when = when;
  return s;
}

/// A step of a regression reads x once, writes x once and multiplies by w: 3 a token, and γ where the residual is taken after the decay;
/// an inner product multiplies by one γ a token. S_0, or the last write, adds its own, and a read of S_T adds q.
index_t degree_at(shape const& s) {
  index_t const reads = s.when == timing::read_after_write ? 1 : 0;
  return reads + (s.rho == residual::zero ? s.T + 2 : s.rho == residual::one ? 3 * s.T + 1 : 4 * s.T + 1);
}

}  // namespace

TEST_CASE("every form is the recurrence at T = 1037, d = 16, dv = 8, continued, C = 64") {
  for (rule const& r : corners)
    for (timing when : {timing::read_after_write, timing::read_before_write}) {
      certificate const c = certify(production(r, when), 64, 1, 20260825);
      CAPTURE(r.name);
      CHECK_FALSE(c.found);
      CHECK(c.degree == degree_at(c.of));
      bool const papers = std::ranges::any_of(c.forms, is_paper);  // w = γ σ² there: 5 a token, and one for each decay
      index_t const reads = when == timing::read_after_write ? 1 : 0, decays = c.of.T * (c.of.per_column ? c.of.dv : 1);
      CHECK(c.paper_degree == (papers ? std::optional<int>(reads + 5 * c.of.T + 1 + decays) : std::nullopt));
      if (when == timing::read_before_write) continue;
      std::cout << r.name << ": degree " << c.degree << ", forms that differ pass with probability <= " << c.chance(c.degree);
      if (papers) std::cout << "; the paper's " << *c.paper_degree << ", " << c.chance(*c.paper_degree);
      std::cout << '\n';
    }
}

TEST_CASE("every form is the recurrence for chunks of 1 and 3, and masked windows, at T = 131, fresh too") {
  for (rule const& r : corners)
    for (auto [fresh, when] :
         {std::pair{false, timing::read_after_write}, {true, timing::read_after_write}, {true, timing::read_before_write}})
      for (index_t C : {1, 3}) {
        shape s = production(r, when);
        s.T = 131;
        if (fresh) s.before = 0, s.sentinel = true;
        certificate const c = certify(s, C, 1, 7);
        CAPTURE(r.name);
        CHECK_FALSE(c.found);
        CHECK(std::ranges::count(c.forms, path::masked) == 1);
      }
}
