// SPDX-License-Identifier: Apache-2.0
#include <fwa/step/schedule.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/number/digits.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace fwa {
namespace {

template <class S>
plan<S> planned(rule const& r, test::head<S> const& h, options const& o) {
  pairs<S> const p = align<S>(h.k, h.v, o.pairing.value_or(r.pairing));
  return make_plan<S>(r.rho, p, h.all().drive, o);
}

/// η within (d+3)u and, for β ≤ 1, γ within (d+6)u of the plain loops over 50 digits; a window adds B+1 to a sum and the eigenvalue
/// 8B. For β > 1 the carry is 1 − ηλ, whose error is u + (d+4)u·α.
template <class S>
void close_to_50_digits(rule const& r, options const& o, double ridge) {
  index_t const d = 6, dv = 3, count = 40;
  auto const h = test::some_head<S>(r, count, d, dv, 11, ridge);
  test::head<digits_50> const wide{h.q.template cast<digits_50>(),    h.k.template cast<digits_50>(),      h.v.template cast<digits_50>(),
                                   h.size.template cast<digits_50>(), h.forget.template cast<digits_50>(), h.law};
  auto const want = test::naively(r, wide, o);
  auto const got = planned(r, h, o);
  double const u = static_cast<double>(std::numeric_limits<S>::epsilon()) / 2, B = static_cast<double>(o.window);
  double const in_sum = static_cast<double>(d) + (o.window > 1 ? 9 * B + 1 : 0) + (o.ridge == ridge::scale_coupled ? 1 : 0);
  for (index_t t = 0; t < count; ++t) {
    for (index_t j = 0; j < got.eta.cols(); ++j) {
      double const eta = static_cast<double>(want.eta(t, j)), gamma = static_cast<double>(want.gamma(t, j));
      CAPTURE(t);
      CHECK(std::abs(static_cast<double>(got.eta(t, j)) - eta) <= (in_sum + 4) * u * eta);
      double const allowed = h.size(t, j) <= S(1) ? (in_sum + 7) * u * gamma : u * std::abs(gamma) + (in_sum + 5) * u * (1 - gamma);
      CHECK(std::abs(static_cast<double>(got.schedule.gamma(t, j)) - gamma) <= allowed);
      CHECK(got.clamped(t, j) == want.clamped(t, j));
      CHECK(got.effective_ridge(t, j) <= got.lambda(t, 0) * (1 + S(4 * u)));
      CHECK(got.effective_ridge(t, j) >= 0);
    }
    double const lambda = static_cast<double>(want.lambda(t, 0));
    CHECK(std::abs(static_cast<double>(got.lambda(t, 0)) - lambda) <= (in_sum + 2) * u * lambda);
  }
}

TEST_CASE_TEMPLATE("step_bounds: every rule against the plain loops over 50 digits", S, float, double) {
  for (rule const& r : falcon_rules)
    for (double ridge : {0.0, 1.0, 1e4})
      for (bool clamp : {true, false})
        for (auto kind : {ridge::absolute, ridge::scale_coupled})
          for (double epsilon : {0.0, 0.125}) {
            options o;
            o.window = r.windowed ? 3 : 1;
            o.clamp = clamp;
            o.ridge = kind;
            o.epsilon = epsilon;
            o.epsilon_gamma = 0.0625;
            CAPTURE(r.name);
            close_to_50_digits<S>(r, o, ridge);
          }
}

/// One same-step token x with |x|² = E.
plan<double> one_token(double E, double beta, double lambda, options o) {
  test::head<double> h = test::some_head(falcon_1, 1, 1, 1, 1);
  h.k(0, 0) = std::sqrt(E);
  h.size(0, 0) = beta;
  h.forget(0, 0) = lambda;
  o.pairing = pairing::same_step;
  return planned(falcon_1, h, o);
}

TEST_CASE("by hand: D, eta, gamma, the floor and its surrogate") {
  options o;
  o.epsilon_gamma = 1e-3;
  auto const clamped = one_token(1, 1.9, 3, o);
  CHECK(clamped.eta(0, 0) == doctest::Approx(0.475).epsilon(1e-15));
  CHECK(clamped.schedule.gamma(0, 0) == 1e-3);
  CHECK(clamped.clamped(0, 0));
  CHECK(clamped.effective_ridge(0, 0) == doctest::Approx(0.999 / 0.475).epsilon(1e-15));
  CHECK(clamped.lambda.cols() == 1);
  CHECK(schedule<double>{{}, mat<double>(3, 2), {}, residual::one}.tokens() == 3);
  CHECK(schedule<double>{}.rho == residual::one);
  o.clamp = false;
  auto const free = one_token(1, 1.9, 3, o);
  CHECK(free.schedule.gamma(0, 0) == doctest::Approx(1 - 0.475 * 3).epsilon(1e-15));
  CHECK(!free.clamped(0, 0));
  CHECK(free.effective_ridge(0, 0) == 3);
  o.epsilon = 4;
  CHECK(one_token(1, 1.5, 3, o).eta(0, 0) == 1.5 / 8);
}

TEST_CASE("a tie at the floor counts as clamped and changes no number") {
  options o;
  o.epsilon_gamma = 0.5;
  auto const tie = one_token(1, 1, 1, o);  // γ = 1/2
  CHECK(tie.clamped(0, 0));
  CHECK(tie.schedule.gamma(0, 0) == 0.5);
  CHECK(tie.effective_ridge(0, 0) == 1);
  o.epsilon_gamma = std::nextafter(0.5, 0);
  CHECK(!one_token(1, 1, 1, o).clamped(0, 0));
}

TEST_CASE("no decay is above 1: the denominator and the carry are sums in one order") {
  for (rule const& r : falcon_rules)
    for (double lambda : {0.6 * 0x1p-52, 0.9 * 0x1p-52, 1.0, 1e-3})
      for (double epsilon : {0.6 * 0x1p-52, 0.9 * 0x1p-52, 1e-3}) {
        auto h = test::some_head(r, 3, 1, 1, 1);
        h.k.setConstant(1);
        h.size.setZero();
        h.forget.setConstant(lambda);
        options o;
        o.epsilon = epsilon;
        CHECK(planned(r, h, o).schedule.gamma.maxCoeff() == 1);
      }
}

TEST_CASE("a floor below u survives in binary32") {
  test::head<float> h = test::some_head<float>(falcon_1, 1, 1, 1, 1);
  h.size(0, 0) = 1.9f;
  h.forget(0, 0) = 1e6f;
  options o;
  o.pairing = pairing::same_step;
  o.epsilon_gamma = 1e-8;
  CHECK(planned(falcon_1, h, o).schedule.gamma(0, 0) == 1e-8f);
}

TEST_CASE("sentinel and zero denominator: nothing written, nothing decayed, nothing clamped") {
  for (rule const& r : falcon_rules) {
    auto h = test::some_head(r, 2, 3, 2, 1, 100);
    h.k.setZero();
    options o;
    o.window = r.windowed ? 3 : 1;
    auto const p = planned(r, h, o);
    CHECK((p.eta.row(0).array() == 0).all());
    CHECK((p.schedule.gamma.row(0).array() == 1).all());
    CHECK(!p.clamped.row(0).any());
    CHECK(p.schedule.window[0] == 0);
    CHECK(p.schedule.window[1] == 1);
    CHECK(p.lambda(0, 0) == 0);
    CHECK((p.schedule.weight.row(0).array() == 0).all());
    CHECK((p.schedule.gamma.row(1).array() < 1).all());  // x = 0 with λ > 0 decays
    h.forget.setZero();
    auto const still = planned(r, h, o);
    CHECK((still.eta.array() == 0).all());
    CHECK((still.schedule.gamma.array() == 1).all());
    CHECK(!still.clamped.any());
  }
}

TEST_CASE("an energy that leaves the range of the scalar: no step size, and nothing decays") {
  for (rule const& r : {falcon_1, falcon_3, falcon_1a, falcon_3a})
    for (double tiny_or_huge : {1e-200, 1e200})
      for (index_t row : {0, 1})
        for (index_t column : {0, 3}) {
          if (row == 0 && !r.windowed) continue;
          auto h = test::some_head(r, 2, 4, 2, 1, 0);
          h.k.setZero();
          h.k(row, column) = tiny_or_huge;
          options o;
          o.window = r.windowed ? 2 : 1;
          o.pairing = pairing::same_step;
          auto const p = planned(r, h, o);
          CHECK(std::isnan(p.eta(1, 0)));
          CHECK(p.schedule.gamma(1, 0) == 1);
          CHECK(!p.clamped(1, 0));
        }
}

TEST_CASE("an energy below the range beside a ridge: the step size is beta over the ridge") {
  test::head<double> h = test::some_head(falcon_1, 1, 1, 1, 1);
  h.k(0, 0) = 1e-200;
  h.size(0, 0) = 0.5;
  h.forget(0, 0) = 2;
  options o;
  o.pairing = pairing::same_step;
  auto const p = planned(falcon_1, h, o);
  CHECK(p.eta(0, 0) == 0.25);
  CHECK(p.schedule.gamma(0, 0) == 0.5);
}

TEST_CASE("weights are eta over the pairs that the window really holds") {
  auto const h = test::some_head(falcon_3, 8, 3, 2, 4);
  for (auto how : {pairing::shifted, pairing::same_step}) {
    options o;
    o.window = 4;
    o.pairing = how;
    auto const p = planned(falcon_3, h, o);
    for (index_t t = 0; t < 8; ++t) {
      index_t const B = std::min<index_t>(4, t + (how == pairing::same_step ? 1 : 0));
      CHECK(p.schedule.window[static_cast<std::size_t>(t)] == B);
      CHECK(p.schedule.weight(t, 0) == (B == 0 ? 0 : p.eta(t, 0) / static_cast<double>(B)));
    }
  }
}

TEST_CASE("a drive names its law and its two columns; a schedule over other numbers is the same schedule") {
  mat<double> const first = mat<double>::Constant(3, 1, 0.5), second = mat<double>::Constant(3, 1, 0.25);
  for (auto const& [got, law] :
       {std::pair{gains<double>(first, second), step_law::normalised}, {steps<double>(first, second), step_law::given}}) {
    CHECK(got.law == law);
    CHECK(got.size == first);
    CHECK(got.forget == second);
  }
  schedule<float> const narrow = schedule<double>{first, second, {0, 1, 2}, residual::gamma}.cast<float>();
  CHECK(narrow.weight == first.cast<float>());
  CHECK(narrow.gamma == second.cast<float>());
  CHECK(narrow.window == std::vector<index_t>{0, 1, 2});
  CHECK(narrow.rho == residual::gamma);
}

TEST_CASE("any_gain: beyond 2 and below 0 the definition still holds") {
  options o;
  o.any_gain = true;
  o.clamp = false;
  CHECK(one_token(1, 3, 1, o).eta(0, 0) == 1.5);
  CHECK(one_token(1, 3, 1, o).schedule.gamma(0, 0) == -0.5);
  CHECK(one_token(1, -1, 1, o).eta(0, 0) == -0.5);
  CHECK(one_token(1, -1, 1, o).schedule.gamma(0, 0) == 1.5);
}

TEST_CASE("scale-coupled: rescaling x changes neither eta x x nor gamma") {
  auto const h = test::some_head(falcon_3, 20, 3, 2, 5);
  test::head<double> scaled = h;
  scaled.k *= 0x1p20;
  for (rule const& r : {falcon_1, falcon_3}) {
    options o;
    o.ridge = ridge::scale_coupled;
    o.window = r.windowed ? 3 : 1;
    auto const a = planned(r, h, o), b = planned(r, scaled, o);
    CHECK_CLOSE((b.eta * 0x1p40).eval(), a.eta, test::forms);
    CHECK_CLOSE(b.schedule.gamma, a.schedule.gamma, test::forms);
  }
}

TEST_CASE("given steps pass through, but not at a sentinel") {
  auto const h = test::some_head(retnet, 5, 3, 2, 6);
  options o;
  auto const same = planned(retnet, h, o);
  CHECK(same.eta == h.size);
  CHECK(same.schedule.gamma == h.forget);
  CHECK(same.schedule.weight == h.size);
  CHECK(!same.clamped.any());
  CHECK(same.lambda == mat<double>::Zero(5, 1));
  plan<double> reused = same;
  reused.clamped.setConstant(true);
  planner<double>{}(retnet.rho, align<double>(h.k, h.v, retnet.pairing), h.all().drive, o, reused);
  CHECK(!reused.clamped.any());
  reused.clamped.setConstant(true);
  o.clamp = false;
  auto const normalised = test::some_head(falcon_1, 5, 3, 2, 6);
  planner<double>{}(falcon_1.rho, align<double>(normalised.k, normalised.v, falcon_1.pairing), normalised.all().drive, o, reused);
  CHECK(!reused.clamped.any());
  o.pairing = pairing::shifted;
  auto const next = planned(retnet, h, o);
  CHECK(next.eta(0, 0) == 0);
  CHECK(next.schedule.gamma(0, 0) == 1);
  CHECK(next.eta.bottomRows(4) == h.size.bottomRows(4));
}

}  // namespace
}  // namespace fwa
