// SPDX-License-Identifier: Apache-2.0
// No legal input gives a non-finite result: decays at the floor, ridges of 1e30, gains just below 2, repeated keys.
#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>

#include <cmath>
#include <limits>

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

TEST_CASE_TEMPLATE("the clamp at every step", T, float, double) {
  for (rule const& r : falcon_rules)
    for (double floor : {1e-8, 0.24}) {
      auto h = test::some_head<T>(r, 100, 8, 3, 1);
      h.size.setConstant(T(1.9));
      h.forget.setConstant(T(1e30));
      options o = settings(r);
      o.epsilon_gamma = floor;
      auto const got = attend<T>(r, h.all(), o);
      CHECK(got.clamped.bottomRows(99).all());
      finite<T>(r, h, o);
    }
}

TEST_CASE_TEMPLATE("one key again and again, gain just below 2", T, float, double) {
  for (rule const& r : falcon_rules) {
    auto h = test::some_head<T>(r, 100, 4, 3, 2);
    h.k.setConstant(T(0.5));
    h.size.setConstant(std::nextafter(T(2), T(0)));
    h.forget.setZero();
    if (r.rho == residual::zero) h.forget.setConstant(T(0.01));  // without a ridge an inner-product memory grows without bound
    options o = settings(r);
    for (index_t C : {3, 64}) {
      o.chunk = C;
      finite<T>(r, h, o);
    }
  }
}

TEST_CASE_TEMPLATE("no clamp, negative carries", T, float, double) {
  for (rule const& r : falcon_rules) {
    auto h = test::some_head<T>(r, 100, 4, 3, 3);
    h.size.setConstant(T(1.75));
    h.forget.setConstant(T(100));
    options o = settings(r);
    o.clamp = false;
    finite<T>(r, h, o);
  }
}

TEST_CASE_TEMPLATE("decays that underflow become the right zero", T, float, double) {
  for (rule const& r : falcon_rules) {
    auto h = test::some_head<T>(r, 120, 4, 3, 4);
    h.forget.setConstant(T(1e4));
    options o = settings(r);
    o.chunk = 120;
    finite<T>(r, h, o);
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

TEST_CASE("keys of 1e-150 and 1e150, values of 1e150") {
  for (rule const& r : falcon_rules)
    for (double scale : {1e-150, 1e150}) {
      auto h = test::some_head(r, 40, 4, 3, 6);
      h.k *= scale;
      h.v *= 1e150;
      h.q /= scale;
      options o = settings(r);
      o.ridge = ridge::scale_coupled;
      for (form f : all_forms) {
        o.form = f;
        auto const got = attend<double>(r, h.all(), o);
        CHECK(got.eta.allFinite());
        CHECK((got.gamma.array() <= 1).all());
        if (scale > 1) CHECK(got.memory.S.allFinite());
      }
    }
}

}  // namespace
}  // namespace fwa
