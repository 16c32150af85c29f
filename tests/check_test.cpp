// SPDX-License-Identifier: Apache-2.0
// Every refusal names the function, the rule, the place and the value; and a reader that refuses is as it was.
#include <fwa/check.hpp>

#include "support/head.hpp"

#include <fwa/attend.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace fwa {
namespace {

using test::head;
using test::some_head;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// Empty where `said` holds all parts, else what it says.
std::string lacks(std::string const& said, std::initializer_list<char const*> parts) {
  for (char const* part : parts)
    if (said.find(part) == std::string::npos) return "\"" + std::string(part) + "\" is not in \"" + said + "\"";
  return {};
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (contract_error const& e) {
    return e.what();
  }
  return "nothing was refused";
}

#define CHECK_REFUSES(expression, ...) CHECK_EQ(lacks(refusal([&] { (void)(expression); }), {__VA_ARGS__}), std::string{})

options with(std::function<void(options&)> change) {
  options o;
  change(o);
  return o;
}

TEST_CASE("options out of range") {
  auto const h = some_head(falcon_3, 6, 3, 2, 1);
  auto run = [&](rule const& r, std::function<void(options&)> change) { return attend<double>(r, h.all(), with(change)); };
  CHECK_REFUSES(run(falcon_3, [](options& o) { o.window = 0; }), "window must be at least 1", "is 0");
  CHECK_REFUSES(run(falcon_3, [](options& o) { o.window = -4; }), "window must be at least 1", "is -4");
  CHECK_REFUSES(run(falcon_3, [](options& o) { o.chunk = 0; }), "chunk must be at least 1", "is 0");
  CHECK_REFUSES(run(falcon_3, [](options& o) { o.chunk = -1; }), "chunk must be at least 1", "is -1");
  CHECK_REFUSES(run(falcon_1, [](options& o) { o.window = 2; }), "falcon-1 has no window", "is 2");
  for (double bad : {-1e-9, nan, inf, -inf})
    CHECK_REFUSES(run(falcon_3, [&](options& o) { o.epsilon = bad; }), "epsilon must be finite and >= 0, but is ");
  for (double bad : {0.0, 1.0, -0.5, 1.5, nan, inf})
    CHECK_REFUSES(run(falcon_3, [&](options& o) { o.epsilon_gamma = bad; }), "epsilon_gamma must be in (0, 1), but is ");
  for (double bad : {-1e-9, nan, inf})
    CHECK_REFUSES(run(falcon_3, [&](options& o) { o.feature_epsilon = bad; }), "feature_epsilon must be finite and >= 0, but is ");
  CHECK_REFUSES(run(falcon_3, [](options& o) { o.epsilon = -0.25; }), "reader", "-0.25");
  CHECK(run(falcon_3, [](options& o) { o.window = 4, o.epsilon_gamma = 0.999; }).o.rows() == 6);
}

TEST_CASE("options that are no option") {
  auto const h = some_head(falcon_3, 6, 3, 2, 1);
  auto run = [&](std::function<void(options&)> change) { return attend<double>(falcon_3, h.all(), with(change)); };
  CHECK_REFUSES(run([](options& o) { o.form = static_cast<form>(9); }), "form has no value 9");
  CHECK_REFUSES(run([](options& o) { o.timing = static_cast<timing>(2); }), "timing has no value 2");
  CHECK_REFUSES(run([](options& o) { o.pairing = static_cast<pairing>(9); }), "pairing has no value 9");
  CHECK_REFUSES(run([](options& o) { o.feature = static_cast<feature>(-1); }), "feature has no value -1");
  CHECK_REFUSES(run([](options& o) { o.ridge = static_cast<ridge>(7); }), "ridge has no value 7");
  CHECK_REFUSES(run([](options& o) { o.denominator = static_cast<denominator>(7); }), "denominator has no value 7");
}

TEST_CASE("a form called by itself with a chunk of 0") {
  mat<double> const q = mat<double>::Zero(1, 1), S = q;
  pairs<double> const p{q, q, 0, false};
  schedule<double> const plan{q, q, {1}, residual::one};
  CHECK_REFUSES(chunked<double>(q, p, plan, timing::read_after_write, 0, S), "chunked: chunk must be at least 1", "is 0");
  CHECK_REFUSES(chunked_by_scan<double>(q, p, plan, timing::read_after_write, 0, S), "chunked_by_scan: chunk must be at least 1", "is 0");
  CHECK_REFUSES(chunked_by_scan<double>(q, p, plan, timing::read_after_write, -1, S), "chunked_by_scan: chunk", "is -1");
}

TEST_CASE("no sequences, but options all the same; a refusal names the sequence") {
  auto const none = some_head(falcon_1, 0, 3, 2, 1);
  std::vector<index_t> const no_offsets = {0}, two = {0, 3, 6};
  CHECK_REFUSES(attend_packed<double>(falcon_1, none.all(), no_offsets, with([](options& o) { o.window = 0; })),
                "window must be at least 1");
  auto h = some_head(falcon_1, 6, 3, 2, 1);
  h.k.row(4).setConstant(1e200);
  CHECK_REFUSES(attend_packed<double>(falcon_1, h.all(), two), "sequence 1", "eta");
}

TEST_CASE("the normalised read") {
  auto const h = some_head(falcon_1a, 6, 3, 2, 1);
  auto const wide = some_head(falcon_2a, 6, 3, 2, 1);
  auto normal = [](double attn, feature phi) {
    options o;
    o.normalized_read = attn;
    o.feature = phi;
    return o;
  };
  for (double bad : {0.0, -1.0, nan, inf})
    CHECK_REFUSES(attend<double>(falcon_1a, h.all(), normal(bad, feature::relu)), "normalized_read must be finite and > 0, but is ");
  for (rule const& r : {falcon_1, falcon_3, delta_net, gated_delta_net})
    CHECK_REFUSES(attend<double>(r, some_head(r, 6, 3, 2, 1).all(), normal(1, feature::relu)), "inner-product rule", r.name.data());
  CHECK_REFUSES(attend<double>(falcon_2a, wide.all(), normal(1, feature::relu)), "one step a token", "falcon-2a");
  for (feature phi : {feature::identity, feature::rms_norm, feature::l2_norm}) {
    options o = normal(1, phi);
    CHECK_REFUSES(attend<double>(falcon_1a, h.all(), o), "non-negative features", "sign_stable");
    o.denominator = denominator::sign_stable;
    CHECK(attend<double>(falcon_1a, h.all(), o).o.allFinite());
  }
  memory<double> state;
  state.S = mat<double>::Ones(3, 2);
  CHECK_REFUSES(attend<double>(falcon_1a, h.all(), normal(1, feature::relu), state), "needs its normaliser z");
  memory<double> one;
  one.S = mat<double>::Ones(1, 1);
  CHECK_REFUSES(attend<double>(falcon_1a, some_head(falcon_1a, 6, 1, 1, 1).all(), normal(1, feature::relu), one), "needs its normaliser z");
  state.z = row<double>::Ones(3);
  CHECK(attend<double>(falcon_1a, h.all(), normal(1, feature::relu), state).o.allFinite());
  CHECK_REFUSES(attend<double>(falcon_1a, h.all(), options{}, state), "normaliser z", "not normalised");
  state.z = row<double>::Ones(4);
  CHECK_REFUSES(attend<double>(falcon_1a, h.all(), normal(1, feature::relu), state), "memory z must be 1 x 3, but is 1 x 4");
  state.z = row<double>::Constant(3, nan);
  CHECK_REFUSES(attend<double>(falcon_1a, h.all(), normal(1, feature::relu), state), "memory z[0, 0] must be finite");
  state.S.setZero();
  state.z.reset();
  CHECK(attend<double>(falcon_1a, h.all(), normal(1, feature::relu), state).o.allFinite());
}

TEST_CASE("options that are legal in double and not in float") {
  auto const h = some_head<float>(linear_attention, 6, 3, 2, 1);
  auto run = [&](std::function<void(options&)> change) { return attend<float>(linear_attention, h.all(), with(change)); };
  CHECK_REFUSES(run([](options& o) { o.epsilon = 1e39; }), "epsilon must be finite and >= 0, but is inf");
  CHECK_REFUSES(run([](options& o) { o.feature_epsilon = 1e39; }), "feature_epsilon must be finite and >= 0, but is inf");
  CHECK_REFUSES(run([](options& o) { o.epsilon_gamma = 1 - 1e-10; }), "epsilon_gamma must be in (0, 1), but is 1");
  CHECK_REFUSES(run([](options& o) { o.epsilon_gamma = 1e-60; }), "epsilon_gamma must be in (0, 1), but is 0");
  CHECK_REFUSES(run([](options& o) { o.normalized_read = 1e-60, o.feature = feature::relu; }),
                "normalized_read must be finite and > 0, but is 0");
}

TEST_CASE("a normaliser that could be negative") {
  auto with_read = [](denominator how, bool clamp, bool any_gain, index_t window) {
    options o;
    o.normalized_read = 0.5;
    o.feature = feature::relu;
    o.denominator = how;
    o.clamp = clamp;
    o.any_gain = any_gain;
    o.window = window;
    return o;
  };
  auto refused = [&](rule const& r, head<double> const& h, bool clamp, bool any_gain, char const* what, memory<double> const& entry = {}) {
    index_t const B = r.windowed ? 2 : 1;
    CHECK_REFUSES(attend<double>(r, h.all(), with_read(denominator::nonnegative, clamp, any_gain, B), entry), what, "sign_stable");
    CHECK(attend<double>(r, h.all(), with_read(denominator::sign_stable, clamp, any_gain, B), entry).o.allFinite());
  };
  head<double> given = some_head(linear_attention, 6, 3, 2, 1), gain = some_head(falcon_1a, 6, 3, 2, 1);
  given.size(2, 0) = -1.5;
  refused(linear_attention, given, true, false, "eta[2, 0]");
  given.size(2, 0) = 1;
  given.forget(3, 0) = -0.25;
  refused(linear_attention, given, true, false, "gamma[3, 0]");
  memory<double> entry;
  entry.z = (row<double>(3) << 1, -0.5, 1).finished();
  refused(falcon_1a, gain, true, false, "memory z[0, 1]", entry);
  entry.z.reset();
  entry.last_feature = (row<double>(3) << 1, 2, -0.5).finished();
  refused(falcon_1a, gain, true, false, "memory last_feature[0, 2]", entry);
  entry.last_feature->setOnes();
  entry.tail_x = (mat<double>(1, 3) << 1, -0.5, 2).finished();
  entry.tail_y = mat<double>::Ones(1, 2);
  refused(falcon_3a, some_head(falcon_3a, 6, 3, 2, 1), true, false, "memory tail_x[0, 1]", entry);
  gain.size.setConstant(1);
  gain.size(4, 0) = 1.9;
  refused(falcon_1a, gain, false, false, "beta[4, 0] must be <= 1");
  gain.size(4, 0) = -0.1;
  refused(falcon_1a, gain, true, true, "beta[4, 0] must be >= 0");
}

TEST_CASE("no keys, no values") {
  CHECK_REFUSES(attend<double>(falcon_2, some_head(falcon_2, 2, 3, 0, 1).all()), "at least 1 entry", "3 and 0");
  CHECK_REFUSES(attend<double>(falcon_1, some_head(falcon_1, 2, 0, 3, 1).all()), "at least 1 entry", "0 and 3");
  CHECK_REFUSES(reader<double>(falcon_1, -1, 3), "at least 1 entry", "-1 and 3");
}

TEST_CASE("shapes that disagree") {
  auto changed = [](std::function<void(head<double>&)> change) {
    head<double> h = some_head(falcon_2, 6, 3, 2, 1);
    change(h);
    return attend<double>(falcon_2, h.all());
  };
  CHECK_REFUSES(changed([](auto& h) { h.k = mat<double>::Zero(5, 3); }), "read: k must be 6 x 3, but is 5 x 3");
  CHECK_REFUSES(changed([](auto& h) { h.k = mat<double>::Zero(6, 4); }), "read: k must be 6 x 3, but is 6 x 4");
  CHECK_REFUSES(changed([](auto& h) { h.v = mat<double>::Zero(7, 2); }), "read: v must be 6 x 2, but is 7 x 2");
  CHECK_REFUSES(changed([](auto& h) { h.size = mat<double>::Zero(6, 1); }), "read: beta must be 6 x 2, but is 6 x 1");
  CHECK_REFUSES(changed([](auto& h) { h.size = mat<double>::Zero(5, 2); }), "read: beta must be 6 x 2, but is 5 x 2");
  CHECK_REFUSES(changed([](auto& h) { h.forget = mat<double>::Zero(6, 2); }), "read: lambda must be 6 x 1, but is 6 x 2");
  CHECK_REFUSES(changed([](auto& h) { h.forget = mat<double>::Zero(0, 1); }), "read: lambda must be 6 x 1, but is 0 x 1");
  CHECK_REFUSES(changed([](auto& h) { h.q = mat<double>::Zero(6, 2); }), "k must be 6 x 2, but is 6 x 3");

  head<double> h = some_head(falcon_2, 6, 3, 2, 1);
  mat<double> o(6, 2), few(5, 2);
  reader<double> read(falcon_2, 3, 2);
  CHECK_REFUSES(read.read(h.all(), few), "read: o must be 6 x 2, but is 5 x 2");
  h.q = mat<double>::Zero(6, 4);
  CHECK_REFUSES(read.read(h.all(), o), "read: q must be 6 x 3, but is 6 x 4");
}

TEST_CASE("packed shapes that disagree are told in the sizes of q, of all tokens") {
  auto changed = [](mat<double> const& k) {
    head<double> h = some_head(falcon_1, 6, 3, 2, 1);
    h.k = k;
    return attend_packed<double>(falcon_1, h.all(), std::vector<index_t>{0, 2, 6});
  };
  CHECK_REFUSES(changed(mat<double>::Zero(5, 3)), "attend_packed: k must be 6 x 3, but is 5 x 3");
  CHECK_REFUSES(changed(mat<double>::Zero(6, 4)), "attend_packed: k must be 6 x 3, but is 6 x 4");
}

TEST_CASE("NaN and infinities anywhere") {
  for (double bad : {nan, inf, -inf})
    for (index_t at : {0, 5, 200}) {
      auto changed = [&](auto member, char const* what, form f) {
        head<double> h = some_head(falcon_1, 201, 3, 2, 1);
        (h.*member)(at, 0) = bad;
        options o;
        o.form = f;
        std::string const where = std::string(what) + "[";
        CHECK_REFUSES(attend<double>(falcon_1, h.all(), o), "read: ", where.c_str(), "must be finite");
      };
      for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
        changed(&head<double>::q, "q", f);
        changed(&head<double>::k, "k", f);
        changed(&head<double>::v, "v", f);
        changed(&head<double>::size, "beta", f);
        changed(&head<double>::forget, "lambda", f);
      }
    }
}

TEST_CASE("the row that a refusal names is counted from the first token") {
  for (index_t at : {0, 5, 127, 128, 200})
    for (auto const& [member, name] : {std::pair{&head<double>::q, "q["}, {&head<double>::k, "k["}, {&head<double>::v, "v["}}) {
      head<double> h = some_head(falcon_1, 201, 3, 2, 1);
      (h.*member)(at, 1) = nan;
      std::string const where = name + std::to_string(at) + ", 1]";
      CHECK_REFUSES(attend<double>(falcon_1, h.all()), where.c_str());
      std::vector<index_t> const offsets = {0, 3, 201};
      CHECK_REFUSES(attend_packed<double>(falcon_1, h.all(), offsets), "attend_packed: ", where.c_str());
    }
}

TEST_CASE("gains and ridges out of range") {
  auto changed = [](double beta, double lambda, bool any) {
    head<double> h = some_head(falcon_1, 6, 3, 2, 1);
    h.size(3, 0) = beta;
    h.forget(3, 0) = lambda;
    options o;
    o.any_gain = any;
    return attend<double>(falcon_1, h.all(), o);
  };
  CHECK_REFUSES(changed(2, 1, false), "beta[3, 0] must be in [0, 2), but is 2");
  CHECK_REFUSES(changed(-0.5, 1, false), "beta[3, 0] must be in [0, 2), but is -0.5");
  CHECK_REFUSES(changed(1, -0.25, false), "lambda[3, 0] must be >= 0, but is -0.25");
  CHECK_REFUSES(changed(3, -0.25, true), "lambda[3, 0] must be >= 0, but is -0.25");
  CHECK_REFUSES(changed(nan, 1, true), "beta[3, 0] must be finite");
  CHECK_REFUSES(changed(-1e200, 1e200, true), "gamma[3, 0] must be finite, but is inf");
  CHECK(changed(std::nextafter(2, 0), 0, false).o.allFinite());
  CHECK(changed(0, 0, false).o.allFinite());
  CHECK(changed(2.5, 1, true).o.allFinite());
  CHECK(changed(-1, 1, true).o.allFinite());
  head<double> h = some_head(falcon_1, 3, 3, 2, 1);
  h.law = step_law::given;
  CHECK_REFUSES(attend<double>(falcon_1, h.all()), "falcon-1 takes gains(beta, lambda), not steps");
  h.law = step_law::normalised;
  CHECK_REFUSES(attend<double>(retnet, h.all()), "retnet takes steps(eta, gamma), not gains");
}

TEST_CASE("a memory of another rule's shape") {
  index_t const d = 3, dv = 2;
  auto run = [&](
                 rule const& r, std::function<void(memory<double>&)> change, std::function<void(options&)> choose = [](options&) {}) {
    memory<double> m;
    m.S = mat<double>::Ones(d, dv);
    m.last_feature = row<double>::Ones(d);
    change(m);
    return attend<double>(r, some_head(r, 4, d, dv, 1).all(), with(choose), m);
  };
  auto window_3 = [](options& o) { o.window = 3; };
  auto tail = [](index_t n) { return [n](memory<double>& m) { m.tail_x = mat<double>::Ones(n, 3), m.tail_y = mat<double>::Ones(n, 2); }; };
  CHECK_REFUSES(run(falcon_1, [](auto& m) { m.S = mat<double>::Ones(2, 2); }), "memory S must be 3 x 2, but is 2 x 2");
  CHECK_REFUSES(run(falcon_1, [](auto& m) { m.S = mat<double>::Ones(2, 3); }), "memory S must be 3 x 2, but is 2 x 3");
  CHECK_REFUSES(run(falcon_1, [](auto& m) { m.S.resize(0, 7); }), "memory S must be 3 x 2, but is 0 x 7");
  CHECK_REFUSES(run(falcon_1, [](auto& m) { m.S.resize(7, 0); }), "memory S must be 3 x 2, but is 7 x 0");
  CHECK_REFUSES(run(falcon_1, [](auto& m) { m.last_feature = row<double>::Ones(4); }), "memory last_feature must be 1 x 3, but is 1 x 4");
  CHECK_REFUSES(run(falcon_1, tail(1)), "window of 1", "at most 0 pairs, but the tail has 1");
  CHECK_REFUSES(run(falcon_3, tail(3), window_3), "window of 3", "at most 2 pairs, but the tail has 3");
  CHECK(run(falcon_3, tail(2), window_3).o.allFinite());
  CHECK_REFUSES(run(
                    falcon_3, [](auto& m) { m.tail_x = mat<double>::Ones(2, 3), m.tail_y = mat<double>::Ones(1, 2); }, window_3),
                "tail_x has 2 pairs, but tail_y has 1");
  CHECK_REFUSES(run(
                    falcon_3, [](auto& m) { m.tail_x = mat<double>::Ones(2, 4), m.tail_y = mat<double>::Ones(2, 2); }, window_3),
                "memory tail_x must be 2 x 3, but is 2 x 4");
  CHECK_REFUSES(run(
                    falcon_3, [](auto& m) { m.tail_x = mat<double>::Ones(2, 3), m.tail_y = mat<double>::Ones(2, 1); }, window_3),
                "memory tail_y must be 2 x 2, but is 2 x 1");
  CHECK_REFUSES(run(
                    falcon_3, [](auto& m) { m.tail_x = mat<double>::Ones(1, 4), m.tail_y = mat<double>::Ones(1, 2); }, window_3),
                "memory tail_x must be 1 x 3, but is 1 x 4");
  auto keyless = [&](memory<double>& m) { tail(2)(m), m.last_feature.reset(); };
  CHECK_REFUSES(run(falcon_3, keyless, window_3), "a tail without the last feature");
  CHECK(run(falcon_3, keyless, [](options& o) { o.window = 3, o.pairing = pairing::same_step; }).o.allFinite());
  CHECK_REFUSES(run(falcon_1, [](auto& m) { m.S(1, 1) = nan; }), "memory S[1, 1] must be finite");
  CHECK_REFUSES(run(falcon_1, [](auto& m) { (*m.last_feature)(2) = inf; }), "memory last_feature[0, 2] must be finite");
  CHECK_REFUSES(run(
                    falcon_3, [&](auto& m) { tail(2)(m), m.tail_x(1, 0) = nan; }, window_3),
                "memory tail_x[1, 0] must be finite");
  CHECK_REFUSES(run(
                    falcon_3, [&](auto& m) { tail(2)(m), m.tail_y(0, 1) = -inf; }, window_3),
                "memory tail_y[0, 1] must be finite");
}

TEST_CASE("offsets of packed sequences") {
  auto const h = some_head(falcon_1, 6, 3, 2, 1);
  auto packed = [&](std::vector<index_t> offsets, std::vector<memory<double>> entries = {}) {
    return attend_packed<double>(falcon_1, h.all(), offsets, {}, entries);
  };
  CHECK_REFUSES(packed({}), "attend_packed: offsets must start with 0");
  CHECK_REFUSES(packed({1, 6}), "attend_packed: offsets must start with 0");
  CHECK_REFUSES(packed({0, 4, 3, 6}), "offsets[2] must be at least 4, but is 3");
  CHECK_REFUSES(packed({0, 7}), "last offset must be the number of tokens 6, but is 7");
  CHECK_REFUSES(packed({0, 4}), "last offset must be the number of tokens 6, but is 4");
  CHECK_REFUSES(packed({0, -1, 6}), "offsets[1] must be at least 0, but is -1");
  CHECK_REFUSES(packed({0, 3, 6}, {memory<double>{}}), "there are 2 sequences, but 1 memories");
  CHECK(packed({0, 0, 3, 6, 6}).size() == 4);
}

/// Feeds a reader what it must refuse and looks whether anything of it moved.
TEST_CASE("a reader that refuses is as it was") {
  for (rule const& r : {falcon_1, falcon_3, falcon_2, falcon_23a})
    for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
      options o;
      o.window = r.windowed ? 3 : 1;
      o.form = f;
      o.chunk = 16;
      head<double> const good = some_head(r, 300, 3, 2, 1);
      reader<double> head_under_test(r, 3, 2, o), untouched(r, 3, 2, o);
      mat<double> out(300, 2), want(300, 2);
      head_under_test.read(good.slice(0, 10).all(), out.topRows(10));
      untouched.read(good.slice(0, 10).all(), want.topRows(10));
      auto refused = [&](auto member, index_t at, double bad) {
        head<double> h = good;
        (h.*member)(at, 0) = bad;
        CHECK_THROWS_AS(head_under_test.read(h.all(), out), contract_error);
        CHECK(test::identical(head_under_test.memory(), untouched.memory()));
        head<double> const one = h.slice(at, 1);
        CHECK_THROWS_AS((void)head_under_test.step(one.q, one.k, one.v, one.size, one.forget), contract_error);
        CHECK(test::identical(head_under_test.memory(), untouched.memory()));
      };
      for (index_t at : {0, 150, 299}) {
        refused(&head<double>::q, at, nan);
        refused(&head<double>::k, at, inf);
        refused(&head<double>::v, at, nan);
        refused(&head<double>::size, at, 2);
        refused(&head<double>::forget, at, -1);
      }
      head_under_test.read(good.all(), out);
      untouched.read(good.all(), want);
      CHECK(test::identical(out, want));
      CHECK(test::identical(head_under_test.memory(), untouched.memory()));
    }
}

/// Each would otherwise be a step of size 0 that wipes the memory or writes nothing; 50 digits hold all of them.
TEST_CASE("an energy that leaves the scalar's range is refused in every form") {
  auto refused = [](rule const& r, double key, double lambda) {
    for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
      head<double> h = some_head(r, 4, 1, 1, 1);
      h.k.setConstant(key);
      h.size.setConstant(1);
      h.forget.setConstant(lambda);
      memory<double> entry;
      entry.S = mat<double>::Constant(1, 1, 2);
      CHECK_REFUSES(attend<double>(r, h.all(), with([&](options& o) { o.form = f, o.window = r.windowed ? 2 : 1; }), entry), "eta[",
                    "must be finite", "range, but is ");
    }
  };
  for (rule const& r : falcon_rules) {
    refused(r, 1e155, 0);        // ‖x‖² overflows
    refused(r, 1e154, 1.7e308);  // ‖x‖² + λ overflows
    refused(r, 1e-155, 0);       // β/D overflows
    refused(r, 1e-163, 0);       // ‖x‖² underflows to 0
  }
  head<float> h = some_head<float>(falcon_1, 4, 1, 1, 1);
  h.k.setConstant(2e19f);
  CHECK_REFUSES(attend<float>(falcon_1, h.all()), "eta[", "range, but is nan");
}

TEST_CASE("an energy out of range is refused in room that has held a plan, too") {
  for (rule const& r : falcon_rules) {
    options const o = with([&](options& all) { all.window = r.windowed ? 2 : 1; });
    head<double> h = some_head(r, 4, 3, 2, 1);
    reader<double> read(r, 3, 2, o);
    mat<double> out(4, 2);
    read.read(h.all(), out);
    h.k.setConstant(1e160);
    CHECK_REFUSES(read.read(h.all(), out), "eta[", "must be finite", "range, but is nan");
  }
}

}  // namespace
}  // namespace fwa
