// SPDX-License-Identifier: Apache-2.0
// Claim masked_output_error_is_bounded: outputs and exit state of the masked form, over float and double, are within the bound that
// support/block_bound.hpp derives, entry by entry, of the recurrence over 50 digits, for every rule: inner product, regression, gated;
// windows; one step a token or a column; either timing. For one step a token and ρ = 0 it is
//
//   |ô_t − o_t| ≤ gam(d + 1 + K_0 + m) |P(t,0)||q_t|ᵀ|S_0| + Σ_j gam(d + 2 + K(t,j) + m) |q_t|ᵀ|x_j| M°_{t,j} |y_j|
//
// with K(t,j) = t − j, m = t at window 1. For the regression the errors of A, F and the substitution pass through |(I + A)⁻¹|, whose
// entries do not grow (triangular_solve_error_is_bounded).
#include "support/block_bound.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

template <class F>
void one_rule(table const& t, rule const& c) {
  for (bool brief : {true, false}) {
    ratios seen;
    dice roll(43);
    for (bool heavy : {false, true})
      for (index_t T : brief ? std::vector<index_t>{1, 2, 7} : std::vector<index_t>{64})
        for (int i = 0; i < (brief ? 12 : 1); ++i)
          for (timing when : {timing::read_after_write, timing::read_before_write}) {
            problem<F> const a = normalised_problem<F>(c, T, brief ? 2 : 8, heavy, when, roll);
            problem<digits> const wide = converted<digits>(a);
            reading<F> const got = masked<F>(a.q, a.p, a.plan, when, a.S);
            reading<digits> const exact = recurrent<digits>(wide.q, wide.p, wide.plan, when, wide.S);
            bounds const bound = block_bound(unit_roundoff<F>(), wide, 0, T)(wide.S);
            seen.add(got.o, exact.o, bound.o);
            seen.add(got.S, exact.S, bound.S);
          }
    t.row(std::string(c.name) + (brief ? ", T = 1, 2, 7, " : ", T = 64, ") + name_of<F>, seen, brief ? 0.2 : 0.02);
  }
}

}  // namespace

TEST_CASE("outputs and exit states of the masked form") {
  table const t("masked form");
  for (rule const& c : corners) {
    one_rule<float>(t, c);
    one_rule<double>(t, c);
  }
}
