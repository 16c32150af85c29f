// SPDX-License-Identifier: Apache-2.0
// Published recurrences, written out as their papers write them, against the table in rule/neighbours.hpp.
#include <fwa/rule/neighbours.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>

#include <cmath>
#include <functional>
#include <set>
#include <string_view>

namespace fwa {
namespace {

constexpr index_t count = 30, d = 4, dv = 3;
constexpr form all_forms[] = {form::recurrent, form::masked, form::chunk, form::chunk_scan};

/// o_t = S_tᵀ q_t for S ← update(t, S).
mat<double> read_out(test::head<double> const& h, std::function<void(index_t, mat<double>&)> update) {
  mat<double> S = mat<double>::Zero(d, dv), o(h.count(), dv);
  for (index_t t = 0; t < h.count(); ++t) {
    update(t, S);
    o.row(t) = h.q.row(t) * S;
  }
  return o;
}

void equals(rule const& r, test::head<double> const& h, mat<double> const& want, options o = {}) {
  o.chunk = 8;
  for (form f : all_forms) {
    o.form = f;
    CHECK_CLOSE(attend<double>(r, h.all(), o).o, want, test::forms);
  }
}

TEST_CASE("linear attention") {
  auto h = test::some_head(linear_attention, count, d, dv, 1);
  h.size.setOnes();
  h.forget.setOnes();
  equals(linear_attention, h, read_out(h, [&](index_t t, mat<double>& S) { S += h.k.row(t).transpose() * h.v.row(t); }));
}

TEST_CASE("linear attention with its denominator") {
  auto h = test::some_head(linear_attention, count, d, dv, 2);
  h.q = h.q.cwiseAbs();
  h.k = h.k.cwiseAbs();
  h.size.setOnes();
  h.forget.setOnes();
  mat<double> want(count, dv);
  for (index_t t = 0; t < count; ++t) {
    row<double> sum = row<double>::Zero(dv);
    double weights = 1e-3;
    for (index_t s = 0; s <= t; ++s) {
      double const a = h.q.row(t).dot(h.k.row(s));
      sum += a * h.v.row(s);
      weights += a;
    }
    want.row(t) = sum / weights;
  }
  options o;
  o.feature = feature::relu;
  o.normalized_read = 1e-3;
  equals(linear_attention, h, want, o);
}

TEST_CASE("RetNet") {
  auto h = test::some_head(retnet, count, d, dv, 3);
  double const gamma = 31.0 / 32;
  h.size.setOnes();
  h.forget.setConstant(gamma);
  equals(retnet, h, read_out(h, [&](index_t t, mat<double>& S) { S = gamma * S + h.k.row(t).transpose() * h.v.row(t); }));
}

TEST_CASE("Mamba-2") {
  auto h = test::some_head(mamba_2, count, d, dv, 4);
  mat<double> const delta = test::dice(5).matrix(count, 1, 0, 2);
  double const A = -1.5;
  auto const steps = mamba_2_steps<double>(delta, A);
  h.size = steps.eta;
  h.forget = steps.gamma;
  equals(mamba_2, h, read_out(h, [&](index_t t, mat<double>& S) {
           S = std::exp(delta(t, 0) * A) * S + delta(t, 0) * h.k.row(t).transpose() * h.v.row(t);
         }));
}

TEST_CASE("DeltaNet") {
  auto h = test::some_head(delta_net, count, d, dv, 6);
  h.forget.setOnes();
  mat<double> const I = mat<double>::Identity(d, d);
  equals(delta_net, h, read_out(h, [&](index_t t, mat<double>& S) {
           double const b = h.size(t, 0);
           S = (I - b * h.k.row(t).transpose() * h.k.row(t)) * S + b * h.k.row(t).transpose() * h.v.row(t);
         }));
}

mat<double> gated_delta(test::head<double> const& h) {
  mat<double> const I = mat<double>::Identity(d, d);
  return read_out(h, [&](index_t t, mat<double>& S) {
    double const b = h.size(t, 0), g = h.forget(t, 0);
    S = g * (I - b * h.k.row(t).transpose() * h.k.row(t)) * S + b * h.k.row(t).transpose() * h.v.row(t);
  });
}

TEST_CASE("gated DeltaNet") {
  auto const h = test::some_head(gated_delta_net, count, d, dv, 7);
  equals(gated_delta_net, h, gated_delta(h));
}

TEST_CASE("rule 1 is gated DeltaNet with g = gamma, b = eta / gamma and values gamma v") {
  auto const h = test::some_head(falcon_1, count, d, dv, 8);
  options o;
  o.pairing = pairing::same_step;
  auto const one = attend<double>(falcon_1, h.all(), o);
  REQUIRE(one.gamma.minCoeff() > 0);
  auto gated = h;
  gated.law = step_law::given;
  gated.size = one.eta.cwiseQuotient(one.gamma);
  gated.forget = one.gamma;
  for (index_t t = 0; t < count; ++t) gated.v.row(t) *= one.gamma(t, 0);
  double const largest = gated.size.cwiseAbs().maxCoeff();  // η / γ is as ill-conditioned as γ is small
  CHECK_CLOSE(attend<double>(gated_delta_net, gated.all()).o, one.o, test::forms * std::max(1.0, largest));
}

TEST_CASE("gated DeltaNet is rule 1 with gamma = g, eta = g b and targets v / g") {
  auto const h = test::some_head(gated_delta_net, count, d, dv, 9);
  auto one = h;
  one.size = h.size.cwiseProduct(h.forget);
  for (index_t t = 0; t < count; ++t) one.v.row(t) /= h.forget(t, 0);
  rule given_falcon_1 = falcon_1;
  given_falcon_1.law = step_law::given;
  given_falcon_1.pairing = pairing::same_step;
  equals(given_falcon_1, one, gated_delta(h));
}

TEST_CASE("the table: given steps, names that no other rule has") {
  std::set<std::string_view> names;
  for (rule const& r : falcon_rules) names.insert(r.name);
  for (rule const& r : neighbour_rules) {
    CHECK(r.law == step_law::given);
    CHECK(names.insert(r.name).second);
  }
}

}  // namespace
}  // namespace fwa
