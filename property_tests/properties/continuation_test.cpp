// SPDX-License-Identifier: Apache-2.0
// Claim continuation: a sequence cut anywhere and continued from its state and the pairs still in its window is the sequence uncut, in
// every form and whichever forms read the two halves. The state alone does not continue a window.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

/// Tokens [first, first + n) of a problem, entered with S and the last `kept` pairs before them.
problem<rational> part(problem<rational> const& a, index_t first, index_t n, index_t kept, mat<rational> const& S) {
  problem<rational> b = a;
  b.of.T = n;
  b.of.before = b.p.before = kept;
  b.of.sentinel = b.p.sentinel = first == 0 && a.of.sentinel;
  b.q = a.q.middleRows(first, n);
  b.p.x = a.p.x.middleRows(a.p.before + first - kept, kept + n);
  b.p.y = a.p.y.middleRows(a.p.before + first - kept, kept + n);
  b.plan.weight = a.plan.weight.middleRows(first, n);
  b.plan.gamma = a.plan.gamma.middleRows(first, n);
  b.plan.window.assign(a.plan.window.begin() + first, a.plan.window.begin() + first + n);
  b.S = S;
  return b;
}

/// The pairs that a window of B still holds after `cut` tokens.
index_t kept_after(shape const& s, index_t cut) { return std::min(s.B - 1, s.before + cut - (s.sentinel && cut > 0 ? 1 : 0)); }

}  // namespace

TEST_CASE("cut everywhere, continued in any form") {
  for (rule const& r : corners)
    for_all("continuation, " + std::string(r.name), 400, [&r] {
      shape const s = any_shape(r, 5, 2, 2, 3);
      problem<rational> const a = any_problem(s);
      index_t const C = any_chunk(s.T);
      classify(s, C);
      reading<rational> const whole = solve(a, path::recurrent, C);
      for (index_t cut = 0; cut <= s.T; ++cut) {
        problem<rational> const head = part(a, 0, cut, s.before, a.S);
        reading<rational> const there = solve(head, path::recurrent, C);
        problem<rational> const rest = part(a, cut, s.T - cut, kept_after(s, cut), there.S);
        RC_ASSERT(there.o == whole.o.topRows(cut));
        for (path f : paths) {  // all forms leave the same state, so it does not matter which went before
          RC_LOG() << s << ", C " << C << ", cut at " << cut << ", " << f << '\n';
          RC_ASSERT(equal(solve(head, f, C), there));
          RC_ASSERT(equal(solve(rest, f, C), {whole.o.bottomRows(s.T - cut), whole.S}));
        }
      }
    });
}

TEST_CASE("without the pairs of its window a sequence goes on differently") {
  for (residual rho : {residual::one, residual::zero}) {
    shape s;
    s.rho = rho;
    s.B = 2;
    s.T = 2;
    auto const a = draw_problem<rational>(s, [](input g) {
      return g == input::y ? rational(3) : g == input::weight ? rational(1) / rational(2) : rational(1);
    });
    auto half = part(a, 1, 1, 0, solve(part(a, 0, 1, 0, a.S), path::recurrent, 1).S);
    half.plan.window = {1};
    CHECK(solve(half, path::recurrent, 1).S != solve(a, path::recurrent, 1).S);
  }
}
