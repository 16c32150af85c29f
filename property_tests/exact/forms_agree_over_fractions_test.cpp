// SPDX-License-Identifier: Apache-2.0
// Claims forms_agree and paper_forms_agree_where_defined: every form gives the same outputs and the same exit state, for every corner,
// every chunk size, every timing, fresh or continued. Over fractions, with ==; the paper's forms with √(w/γ) drawn and w made from it.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

TEST_CASE("every form equals the recurrence, over fractions") {
  for (rule const& r : corners)
    for_all("forms_agree, " + std::string(r.name), 1000, [&r] {
      shape const s = any_shape(r, 6, 3, 3, 4);
      problem<rational> const a = any_problem(s);
      index_t const C = any_chunk(s.T);
      classify(s, C);
      RC_LOG() << s << ", C " << C << '\n';
      reading<rational> const want = solve(a, path::recurrent, C);
      for (path f : paths) {
        RC_LOG() << f << '\n';
        RC_ASSERT(equal(solve(a, f, C), want));
      }
      problem<rational> const rooted = with_roots(a);
      reading<rational> const rooted_want = solve(rooted, path::recurrent, C);
      for (path f : paper_paths)
        if (is_defined(f, s)) {
          RC_LOG() << f << '\n';
          RC_ASSERT(equal(solve(rooted, f, C), rooted_want));
        }
    });
}
