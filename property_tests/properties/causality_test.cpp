// SPDX-License-Identifier: Apache-2.0
// Claim causality: o_t does not see what comes after token t; read before write, not even what token t itself writes.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

TEST_CASE("other tokens from t on leave the outputs before them as they were, in every form") {
  for (rule const& r : corners)
    for_all("causality, " + std::string(r.name), 400, [&r] {
      shape s = any_shape(r, 5, 2, 2, 3);
      s.T = std::max<index_t>(s.T, 1);
      problem<rational> const a = any_problem(s);
      problem<rational> b = a;
      index_t const first = s.sentinel ? 1 : 0, t = first + die(s.T + 1 - first) - 1, C = any_chunk(s.T), later = s.T - t;
      auto redraw = [&](auto&& rows) {
        for (index_t i = 0; i < rows.rows(); ++i)
          for (index_t j = 0; j < rows.cols(); ++j) rows(i, j) = fraction();
      };
      redraw(b.p.x.bottomRows(later));
      redraw(b.p.y.bottomRows(later));
      redraw(b.plan.weight.bottomRows(later));
      redraw(b.plan.gamma.bottomRows(later));
      bool const early = s.when == timing::read_before_write && t < s.T;
      redraw(b.q.bottomRows(early ? later - 1 : later));
      RC_CLASSIFY(early, "token t's own write too");
      for (path f : paths) {
        RC_LOG() << s << ", t " << t << ", " << f << '\n';
        RC_ASSERT(solve(a, f, C).o.topRows(early ? t + 1 : t) == solve(b, f, C).o.topRows(early ? t + 1 : t));
      }
    });
}
