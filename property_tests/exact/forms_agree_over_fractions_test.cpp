// SPDX-License-Identifier: Apache-2.0
// Claim forms_agree: every form gives the same outputs and the same exit state, for every corner, every chunk size, every timing,
// fresh or continued. Over fractions, with ==.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

TEST_CASE("every form equals the recurrence, over fractions") {
  for (corner const& c : corners)
    for_all(std::string("forms_agree, ") + c.name, 60, [&c] {
      shape const s = any_shape(c, 6, 3, 3, 4);
      problem<rational> const a = any_problem(s);
      index_t const C = any_chunk(s.T);
      classify(s, C);
      RC_LOG() << s << ", C " << C << '\n';
      reading<rational> const want = solve(a, path::recurrent, C);
      for (path f : paths) {
        RC_LOG() << f << '\n';
        RC_ASSERT(equal(solve(a, f, C), want));
      }
    });
}
