// SPDX-License-Identifier: Apache-2.0
// The four forms and the plain loops of reference/naive.hpp are one map, whatever the rule, the options and the sizes.
#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <initializer_list>
#include <vector>

namespace fwa {
namespace {

using test::head;
using test::naively;
using test::some_head;

constexpr form all_forms[] = {form::recurrent, form::masked, form::chunk, form::chunk_scan};

std::vector<rule> all_rules() {
  std::vector<rule> rules(std::begin(falcon_rules), std::end(falcon_rules));
  rules.insert(rules.end(), std::begin(neighbour_rules), std::end(neighbour_rules));
  return rules;
}

/// A state that a fresh sequence starts from.
memory<double> start(index_t dx, index_t dv) {
  memory<double> m;
  m.S = test::dice(7).matrix(dx, dv);
  return m;
}

void agree(rule const& r, head<double> const& h, options o, memory<double> const& entry) {
  auto const want = naively(r, h, o, entry);
  for (form f : all_forms) {
    o.form = f;
    CAPTURE(r.name);
    CAPTURE(static_cast<int>(f));
    CAPTURE(o.window);
    CAPTURE(o.chunk);
    CAPTURE(h.count());
    CAPTURE(h.v.cols());
    auto const got = attend<double>(r, h.all(), o, entry);
    CHECK_CLOSE(got.o, want.o, test::forms);
    CHECK_CLOSE(got.eta, want.eta, test::forms);
    CHECK_CLOSE(got.gamma, want.gamma, test::forms);
    CHECK_SAME_MEMORY(got.memory, want.memory, test::forms);
  }
}

TEST_CASE("every rule, timing, pairing and length") {
  for (rule const& r : all_rules())
    for (index_t count : {0, 1, 2, 3, 17, 65})
      for (auto when : {timing::read_after_write, timing::read_before_write})
        for (auto how : {pairing::shifted, pairing::same_step}) {
          options o;
          o.timing = when;
          o.pairing = how;
          o.chunk = 16;
          o.window = r.windowed ? 4 : 1;
          agree(r, some_head(r, count, 5, 3, 1), o, start(5, 3));
        }
}

TEST_CASE("chunks of any size, dividing T or not, larger than T or not") {
  for (rule const& r : all_rules())
    for (index_t count : {17, 64})
      for (index_t C : {1, 3, 16, 64, 100}) {
        options o;
        o.chunk = C;
        o.window = r.windowed ? 3 : 1;
        agree(r, some_head(r, count, 4, 2, 2), o, start(4, 2));
      }
}

TEST_CASE("windows of any size, longer than the sequence or a chunk or not") {
  for (rule const& r : falcon_rules) {
    if (!r.windowed) continue;
    for (index_t B : {1, 2, 4, 9, 20})
      for (index_t count : {1, 3, 17, 40})
        for (auto how : {pairing::shifted, pairing::same_step}) {
          options o;
          o.window = B;
          o.chunk = 5;
          o.pairing = how;
          agree(r, some_head(r, count, 4, 3, 3), o, start(4, 3));
        }
  }
}

TEST_CASE("value widths on both sides of a register") {
  for (rule const& r : all_rules())
    for (index_t dv : {1, 2, 33, 40}) {
      options o;
      o.chunk = 8;
      o.window = r.windowed ? 4 : 1;
      agree(r, some_head(r, 19, 3, dv, 4), o, start(3, dv));
    }
}

TEST_CASE("the decay floor at every step, and no clamp at all") {
  for (rule const& r : falcon_rules)
    for (bool clamp : {true, false}) {
      options o;
      o.clamp = clamp;
      o.epsilon_gamma = 0.25;
      o.epsilon = 0.01;
      o.chunk = 16;
      o.window = r.windowed ? 4 : 1;
      agree(r, some_head(r, 40, 4, 3, 5, 50), o, start(4, 3));
    }
}

TEST_CASE("features, value norm, scale-coupled ridge") {
  for (rule const& r : falcon_rules)
    for (auto phi : {feature::rms_norm, feature::l2_norm, feature::elu_plus_one, feature::relu}) {
      options o;
      o.feature = phi;
      o.value_norm = true;
      o.ridge = ridge::scale_coupled;
      o.chunk = 7;
      o.window = r.windowed ? 3 : 1;
      agree(r, some_head(r, 20, 4, 3, 6), o, start(4, 3));
    }
}

TEST_CASE("the normalised read") {
  for (rule const& r : {falcon_1a, falcon_3a, linear_attention, retnet, mamba_2})
    for (auto when : {timing::read_after_write, timing::read_before_write}) {
      options o;
      o.normalized_read = 1e-3;
      o.feature = feature::elu_plus_one;
      o.timing = when;
      o.chunk = 8;
      o.window = r.windowed ? 3 : 1;
      agree(r, some_head(r, 20, 4, 3, 8), o, {});
    }
}

}  // namespace
}  // namespace fwa
