// SPDX-License-Identifier: Apache-2.0
// No legal input gives a non-finite result: decays at the floor, ridges of 1e30, gains just below 2, repeated keys, numbers far from 1.
#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fwa {
namespace {

constexpr form all_forms[] = {form::recurrent, form::masked, form::chunk, form::chunk_scan};

/// Every form finite and, in units of u, as close to the recurrent form as T products of O(1) numbers may be.
template <class T>
void finite(rule const& r, test::head<T> const& h, options o) {
  double const u = static_cast<double>(std::numeric_limits<T>::epsilon());
  o.form = form::recurrent;
  auto const want = attend<T>(r, h.all(), o);
  for (form f : all_forms) {
    o.form = f;
    auto const got = attend<T>(r, h.all(), o);
    CAPTURE(r.name);
    CAPTURE(static_cast<int>(f));
    CHECK_CLOSE(got.o, want.o, 4 * static_cast<double>(h.count()) * u);
    CHECK_CLOSE(got.memory.S, want.memory.S, 4 * static_cast<double>(h.count()) * u);
  }
}

options settings(rule const& r) {
  options o;
  o.window = r.windowed ? 3 : 1;
  o.chunk = 64;
  return o;
}

struct extreme {
  char const* what;
  bool one_key;
  double gain, ridge, floor;  // gain 2: the largest below 2
  bool clamp;
};
constexpr extreme extremes[] = {{"the clamp at every step, a low floor", false, 1.9, 1e30, 1e-8, true},
                                {"the clamp at every step, a high floor", false, 1.9, 1e30, 0.24, true},
                                {"one key again and again, gain just below 2", true, 2, 0, 1e-6, true},
                                {"no clamp, negative carries", false, 1.75, 100, 1e-6, false},
                                {"decays that underflow become the right zero", false, 1, 1e4, 1e-6, true}};

TEST_CASE_TEMPLATE("extremes", T, float, double) {
  for (extreme const& e : extremes)
    for (rule const& r : falcon_rules) {
      CAPTURE(e.what);
      auto h = test::some_head<T>(r, 120, 4, 3, 1);
      if (e.one_key) h.k.setConstant(T(0.5));
      h.size.setConstant(std::min(T(e.gain), std::nextafter(T(2), T(0))));
      h.forget.setConstant(T(e.ridge == 0 && r.rho == residual::zero ? 0.01 : e.ridge));  // without one this memory grows without bound
      options o = settings(r);
      o.epsilon_gamma = e.floor;
      o.clamp = e.clamp;
      if (e.ridge == 1e30) CHECK(attend<T>(r, h.all(), o).clamped.bottomRows(119).all());
      for (index_t C : {3, 64, 120}) {
        o.chunk = C;
        finite<T>(r, h, o);
      }
    }
}

TEST_CASE("many tokens of many dimensions") {
  for (rule const& r : {falcon_1, falcon_1a, falcon_2, falcon_3}) {
    auto const h = test::some_head<float>(r, 2000, 64, 8, 5, 10);
    options o = settings(r);
    for (form f : {form::recurrent, form::chunk}) {
      o.form = f;
      auto const got = attend<float>(r, h.all(), o);
      CHECK(got.o.allFinite());
      CHECK(got.memory.S.allFinite());
    }
  }
}

/// Keys times 2^a, values times 2^b: with a scale-coupled ridge S is times 2^(b−a) and the decays stay. A step size times a residual
/// alone would leave the range of the numbers.
TEST_CASE_TEMPLATE("scales near the ends of the range", T, float, double) {
  int const widest = std::numeric_limits<T>::max_exponent;  // 128, 1024
  for (rule const& r : falcon_rules)
    for (auto const& exponents : {std::pair{-widest * 7 / 16, widest / 3}, {widest * 7 / 16, -widest / 3}, {widest * 7 / 16, widest / 3}}) {
      int const keys = exponents.first, values = exponents.second;
      auto const h = test::some_head<T>(r, 40, 4, 3, 6);
      auto scaled = h;
      T const x = std::ldexp(T(1), keys), y = std::ldexp(T(1), values), S = std::ldexp(T(1), values - keys);
      scaled.k *= x;
      scaled.v *= y;
      options o = settings(r);
      o.ridge = ridge::scale_coupled;
      for (form f : all_forms) {
        o.form = f;
        auto const want = attend<T>(r, h.all(), o), got = attend<T>(r, scaled.all(), o);
        CAPTURE(r.name);
        CAPTURE(static_cast<int>(f));
        CAPTURE(keys);
        double const u = static_cast<double>(std::numeric_limits<T>::epsilon());
        CHECK_CLOSE(got.gamma, want.gamma, 8 * u);
        CHECK_CLOSE((got.memory.S / S).eval(), want.memory.S, 64 * u);
        CHECK_CLOSE((got.o / S).eval(), want.o, 64 * u);
      }
    }
}

struct far_case {
  std::string what;
  rule of;
  std::vector<double> q, k, v;
  double size, forget;
  std::vector<double> want;  // o, by hand
  options with = {};
  memory<double> entry = {};
};

/// Products of single numbers leave the range here, results do not.
TEST_CASE("numbers far from 1: q x, x x, x S and the denominator would overflow") {
  options normalised;
  normalised.feature = feature::relu;
  normalised.normalized_read = 1;
  options relu, same_step, shifted, of_two;  // relu: a feature that changes none of these numbers
  relu.feature = feature::relu;
  same_step.pairing = pairing::same_step;
  shifted.pairing = pairing::shifted;
  of_two.window = 2;
  rule const given_window = {"steps of a window", residual::one, false, true, step_law::given, pairing::same_step};
  auto one = [](double x) { return mat<double>(mat<double>::Constant(1, 1, x)); };
  memory<double> state, last, tail, target, normaliser;
  state.S = one(0x1p900);
  last.S = tail.S = one(-0x1p200);
  last.last_feature = one(0x1p830);
  tail.tail_x = one(0x1p830);
  tail.tail_y = one(0);
  target.tail_x = one(0x1p-200);
  target.tail_y = one(0x1p900);
  normaliser.S = one(1);
  normaliser.z = one(0x1p1000);
  memory<double> large;
  large.S = mat<double>::Constant(1, 1, 0x1p564);
  large.last_feature = row<double>::Constant(1, 0x1p498);
  far_case const cases[] = {
      {"q x", falcon_1, {1, 1e200}, {1e150, 1}, {0, 1}, 1, 0, {0, 1e50}},
      {"x S, continued", falcon_1, {1}, {1}, {0}, 1, 0, {0}, {}, large},
      {"x S", falcon_1, {1, 1, 1}, {1, 1e150, 1}, {0, 1e200, 0}, 1, 0, {0, 1e200, 0}},
      {"z q", linear_attention, {1e200, 1e200}, {1e200, 1e200}, {1, 1}, 1, 1, {1, 1}, normalised},
      {"epsilon beside a large z q", linear_attention, {0x1p300}, {0x1p-8}, {1}, 1, 1, {1}, normalised},
      {"S q over z q", linear_attention, {1e200, 1e200}, {1e200, 1e200}, {1e-100, 1e-100}, 1, 1, {1e-100, 1e-100}, normalised},
      {"x x", delta_net, {1, 1}, {1e155, 1e155}, {1e155, 1e155}, 1e-310, 1, {1, 1}},
      {"a state", falcon_1, {2}, {0x1p200}, {0}, 0.5, 0, {0x1p900}, same_step, state},
      {"a last feature", delta_net, {2}, {1}, {0}, 0x1p-1000, 1, {0x1p861}, shifted, last},
      {"a pair of the tail", given_window, {2}, {1}, {0}, 0x1p-999, 1, {0x1p861}, of_two, tail},
      {"a target of the tail", given_window, {1}, {0}, {0}, 0x1p201, 1, {0x1p900}, of_two, target},
      {"a normaliser", linear_attention, {0x1p200}, {0}, {0}, 0, 1, {0x1p-1000}, normalised, normaliser},
      {"q alone, featured", falcon_1, {1, 0x1p900}, {0x1p200, 1}, {0, 0x1p-600}, 1, 0, {0, 0x1p100}, relu},
      {"x alone, featured", delta_net, {1, 1}, {0x1p600, 0x1p600}, {-1, 0}, 0x1p-1000, 1, {-0x1p-400, 0x1p-200}, relu},
      {"y alone, featured", delta_net, {1, 1}, {0x1p-200, 0x1p-200}, {0x1p900, 0}, 0x1p200, 1, {0x1p900, 0x1p900}, relu},
      {"y alone, nothing predicted", retnet, {1}, {0x1p-200}, {0x1p900}, 0x1p300, 1, {0x1p1000}},
      {"q x times a large step", retnet, {0x1p256}, {0x1p256}, {0x1p-600}, 0x1p520, 1, {0x1p432}},
      {"and a little more", retnet, {0x1.8p256}, {0x1.8p256}, {0x1p-600}, 0x1p520, 1, {0x2.4p432}}};
  for (far_case const& c : cases)
    for (form f : all_forms) {
      index_t const T = static_cast<index_t>(c.q.size());
      auto column = [&](std::vector<double> const& m) { return mat<double>(Eigen::Map<mat<double> const>(m.data(), T, 1)); };
      test::head<double> const h{
          column(c.q), column(c.k), column(c.v), mat<double>::Constant(T, 1, c.size), mat<double>::Constant(T, 1, c.forget), c.of.law};
      options o = c.with;
      o.form = f;
      mat<double> const got = attend<double>(c.of, h.all(), o, c.entry).o;
      CAPTURE(c.what);
      CAPTURE(static_cast<int>(f));
      for (index_t t = 0; t < T; ++t)
        CHECK(std::abs(got(t, 0) - c.want[static_cast<std::size_t>(t)]) <= 1e-12 * std::abs(c.want[static_cast<std::size_t>(t)]));
    }
}

/// S = 2^a (1, −1) and q = 2^200 (1, 1), or no S yet and such pairs: by targets alone the terms of Sᵀq leave the range.
TEST_CASE("terms that would overflow, of a sum that is 0") {
  mat<double> const q = mat<double>::Constant(2, 2, 0x1p200), k = mat<double>::Identity(2, 2), none = mat<double>::Zero(1, 2),
                    v = (mat<double>(2, 1) << 0x1p900, -0x1p900).finished(), ones = mat<double>::Ones(2, 1),
                    zeros = mat<double>::Zero(2, 1);
  memory<double> entry;
  entry.tail_x = (mat<double>(1, 2) << 1, -1).finished();
  entry.tail_y = v.topRows(1);
  options o;
  o.pairing = pairing::same_step;
  for (form f : all_forms) {
    o.form = f;
    o.window = 1;
    o.feature = feature::relu;
    CHECK(attend<double>(falcon_1, {q, k, v, gains<double>(ones, zeros)}, o).o(1, 0) == 0);
    o.window = 2;
    o.feature = feature::identity;
    tokens<double> const last = {q.topRows(1), none, zeros.topRows(1), gains<double>(ones.topRows(1), zeros.topRows(1))};
    CHECK(attend<double>(falcon_3, last, o, entry).o(0, 0) == 0);
  }
}

/// No number is scaled that need not be: 3 times the smallest of all is exact, as is 1.5·2^250 times it; 1.5 times it is not.
TEST_CASE("numbers near 1 read a state of the smallest numbers exactly, under features too") {
  memory<double> entry;
  entry.S = mat<double>::Constant(9, 1, std::numeric_limits<double>::denorm_min());
  entry.last_feature = row<double>::Ones(9);
  entry.tail_x = mat<double>::Ones(1, 9);
  entry.tail_y = mat<double>::Zero(1, 1);
  mat<double> q = mat<double>::Zero(1, 9), k = mat<double>::Zero(1, 9), v = mat<double>::Zero(1, 1), none = v;
  options o;
  o.window = 2;
  o.feature_epsilon = 0;
  for (form f : all_forms)
    for (bool featured : {false, true})
      for (bool value_norm : {false, true}) {
        o.form = f;
        o.feature = featured ? feature::rms_norm : feature::identity;
        o.value_norm = value_norm;
        q(0, 8) = featured ? 0x1p900 : 0x1.8p250;
        double const seen = featured ? 3 : 0x1.8p250;  // √9 under rms_norm
        v(0, 0) = value_norm ? 0x1p900 : 1;
        CHECK(attend<double>(falcon_3, {q, k, v, gains<double>(none, none)}, o, entry).o(0, 0) == seen * entry.S(0, 0));
      }
}

}  // namespace
}  // namespace fwa
