// SPDX-License-Identifier: Apache-2.0
// Claims forms_agree and paper_forms_agree_where_defined: every form gives the same outputs and the same exit state, for every corner,
// every chunk size, every timing, fresh or continued. Over fractions, with ==; the paper's forms with √(w/γ) drawn and w made from it.
#include "support/for_all.hpp"
#include "support/generate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

using namespace fwa;
using namespace fwa::test;

namespace {

/// Those of `forms` that are defined at this problem give what the recurrence gives.
template <std::size_t N>
void agree(problem<rational> const& a, std::array<path, N> const& forms, index_t C) {
  reading<rational> const want = solve(a, path::recurrent, C);
  for (path f : forms)
    if (is_defined(f, a.of)) {
      RC_LOG() << f << '\n';
      RC_ASSERT(equal(solve(a, f, C), want));
    }
}

}  // namespace

TEST_CASE("every form equals the recurrence, over fractions") {
  for (rule const& r : corners)
    for_all("forms_agree, " + std::string(r.name), 1000, [&r] {
      shape const s = any_shape(r, 6, 3, 3, 4);
      problem<rational> const a = any_problem(s);
      index_t const C = any_chunk(s.T);
      classify(s, C);
      RC_LOG() << s << ", C " << C << '\n';
      agree(a, paths, C);
      agree(with_roots(a), paper_paths, C);
    });
}

TEST_CASE("windows that shrink, and tokens in the midst that write nothing") {
  for (rule const& r : corners)
    if (r.windowed)
      for_all("any window, " + std::string(r.name), 300, [&r] {
        shape const s = any_shape(r, 6, 2, 2, 4);
        problem<rational> a = any_problem(s);
        index_t before = s.sentinel ? -1 : s.before;  // so that the first token has no pair
        for (index_t t = 0; t < s.T; ++t) {
          index_t& B = a.plan.window[static_cast<std::size_t>(t)];
          B = die(static_cast<int>(std::min(s.B, before + 1)) + 1) - 1;
          if (B == 0) {
            a.plan.weight.row(t).setConstant(rational(0));
            a.plan.gamma.row(t).setConstant(rational(1));
          }
          before = B;
        }
        index_t const C = any_chunk(s.T);
        RC_LOG() << s << ", C " << C << '\n';
        RC_CLASSIFY(!std::ranges::is_sorted(a.plan.window), "shrinks");
        agree(a, paths, C);
      });
}
