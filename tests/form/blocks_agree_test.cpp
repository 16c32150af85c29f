// SPDX-License-Identifier: Apache-2.0
// Both blocks, masked and span, serve every rule, also those for which chunked() would choose the other.
#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/form/chunked.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <vector>

namespace fwa {
namespace {

TEST_CASE("masked_block, span_block and recurrent_block are one map") {
  std::vector<rule> rules(std::begin(falcon_rules), std::end(falcon_rules));
  rules.insert(rules.end(), std::begin(neighbour_rules), std::end(neighbour_rules));
  for (rule const& r : rules)
    for (auto when : {timing::read_after_write, timing::read_before_write})
      for (index_t C : {1, 2, 7, 30})
        for (index_t before : {0, 1, 2}) {
          if (before > 0 && !r.windowed) continue;
          auto const h = test::some_head(r, 23, 4, 33, 1);
          options o;
          o.window = r.windowed ? 3 : 1;
          test::dice roll(2);
          boundary<double> edge;
          edge.tail_x = roll.matrix(before, 4);
          edge.tail_y = roll.matrix(before, 33);
          if (before > 0) edge.last_feature = roll.matrix(1, 4).row(0);
          pairs<double> const p = align<double>(h.k, h.v, r.pairing, edge);
          auto const plan = make_plan<double>(r.rho, p, h.all().drive, o).schedule;
          mat<double> const S = roll.matrix(4, 33);
          auto const want = recurrent<double>(h.q, p, plan, when, S);
          auto const masked = block_by_block<masked_block<double>, double>(h.q, p, plan, when, C, S);
          auto const span = block_by_block<span_block<double>, double>(h.q, p, plan, when, C, S);
          auto const steps = block_by_block<recurrent_block<double>, double>(h.q, p, plan, when, C, S);
          CHECK_CLOSE(masked.o, want.o, test::forms);
          CHECK_CLOSE(masked.S, want.S, test::forms);
          CHECK_CLOSE(span.o, want.o, test::forms);
          CHECK_CLOSE(span.S, want.S, test::forms);
          CHECK(test::identical(steps.o, want.o));
          CHECK(test::identical(steps.S, want.S));
        }
}

/// Room that another sequence left does not show: wider or narrower, with or without a prediction, one pair a token or several.
template <class Block>
void serves_again() {
  Block used;
  test::dice roll(4);
  for (rule const& r : {falcon_1, falcon_3, falcon_1a, falcon_2, falcon_3a, falcon_1})
    for (index_t dv : {3, 4, 9, 3}) {
      auto const h = test::some_head(r, 5, 4, dv, 1);
      options o;
      o.window = r.windowed ? 3 : 1;
      pairs<double> const p = align<double>(h.k, h.v, r.pairing);
      auto const plan = make_plan<double>(r.rho, p, h.all().drive, o).schedule;
      mat<double> S = roll.matrix(4, dv), o_used(5, dv);
      auto const want = block_by_block<Block, double>(h.q, p, plan, timing::read_after_write, 5, S);
      block_by_block<Block, double>(used, h.q, p, plan, timing::read_after_write, 5, S, o_used);
      CHECK(test::identical(o_used, want.o));
      CHECK(test::identical(S, want.S));
    }
}

TEST_CASE("a block serves one sequence after another") {
  serves_again<masked_block<double>>();
  serves_again<span_block<double>>();
  serves_again<recurrent_block<double>>();
}

TEST_CASE("one triangular system where all columns share it") {
  auto plan = [](bool per_column, residual rho, std::vector<index_t> window) {
    index_t const count = static_cast<index_t>(window.size());
    return schedule<double>{mat<double>::Ones(count, per_column ? 2 : 1), mat<double>::Ones(count, per_column ? 2 : 1), window, rho};
  };
  CHECK(has_one_system(plan(false, residual::one, {0, 1, 1})));
  CHECK(has_one_system(plan(false, residual::zero, {0, 1, 2})));
  CHECK(!has_one_system(plan(false, residual::one, {0, 1, 2})));
  CHECK(!has_one_system(plan(true, residual::one, {1})));
  CHECK(!has_one_system(plan(true, residual::zero, {1})));
}

}  // namespace
}  // namespace fwa
