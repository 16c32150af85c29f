// SPDX-License-Identifier: Apache-2.0
// Claim stationary_window: with constant η and γ the weight of pair j in the read of token t of Falcon-3A is, for j whose windows are all
// full, (η/B) Σ_{u = max(0, t−j−B+1)}^{t−j} γ^u; without decay a pair that has left its windows has been written η times in all, whatever
// B.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

/// M_{t,j}: the output at t where only y_j is not zero, all features and queries 1, no state.
rational weight_of(index_t j, index_t T, index_t B, rational const& eta, rational const& gamma, path f, index_t C, index_t t) {
  shape s;
  s.rho = residual::zero;
  s.B = B;
  s.T = T;
  auto a = draw_problem<rational>(s, [](input) { return rational(1); });
  a.S.setConstant(rational(0));
  a.p.y.setConstant(rational(0));
  a.p.y(j, 0) = rational(1);
  a.plan.gamma.setConstant(gamma);
  for (index_t i = 0; i < T; ++i) a.plan.weight(i, 0) = eta / rational(static_cast<int>(a.plan.window[static_cast<std::size_t>(i)]));
  return solve(a, f, C).o(t, 0);
}

}  // namespace

TEST_CASE("closed form of the mask, and the total that a pair injects") {
  for_all("stationary window", 600, [] {
    index_t const T = die(8), B = die(T), C = any_chunk(T);
    index_t const j = B - 1 + die(T - B + 1) - 1, t = j + die(T - j) - 1;
    path const f = *rc::gen::elementOf(paths);
    rational const eta = fraction(), gamma = fraction();
    rational sum(0), power(1);
    for (index_t u = 0; u <= t - j; ++u) {
      if (u >= t - j - B + 1) sum += power;
      power *= gamma;
    }
    RC_CLASSIFY(t - j >= B, "left the window");
    RC_ASSERT(weight_of(j, T, B, eta, gamma, f, C, t) == eta / rational(static_cast<int>(B)) * sum);
    if (t - j >= B - 1) RC_ASSERT(weight_of(j, T, B, eta, rational(1), f, C, t) == eta);
  });
}

TEST_CASE("at the start, where windows are still filling, the total depends on B") {
  rational const eta(1), gamma(1);
  CHECK(weight_of(0, 6, 1, eta, gamma, path::recurrent, 1, 5) == rational(1));
  CHECK(weight_of(0, 6, 3, eta, gamma, path::recurrent, 1, 5) == rational(1) + rational(1) / rational(2) + rational(1) / rational(3));
}
