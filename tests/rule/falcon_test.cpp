// SPDX-License-Identifier: Apache-2.0
#include <fwa/rule/falcon.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace fwa {
namespace {

TEST_CASE("the eight corners, each with a name") {
  std::set<std::string_view> names;
  std::set<std::tuple<residual, bool, bool>> corners;
  for (rule const& r : falcon_rules) {
    names.insert(r.name);
    corners.insert({r.rho, r.per_column, r.windowed});
    CHECK(r.law == step_law::normalised);
    CHECK(r.pairing == pairing::shifted);
    CHECK(r.rho != residual::gamma);
  }
  CHECK(names.size() == 8);
  CHECK(corners.size() == 8);
}

TEST_CASE("a rule of which only the name is chosen is the first corner") {
  rule named{"falcon-1"};
  CHECK(named == falcon_1);
}

options windowed(index_t B) {
  options o;
  o.window = B;
  o.chunk = 5;
  return o;
}

void same(outcome<double> const& a, outcome<double> const& b) {
  CHECK_CLOSE(a.o, b.o, test::forms);
  CHECK_CLOSE(a.memory.S, b.memory.S, test::forms);
}

TEST_CASE("B = 1: falcon-3 is falcon-1, 3a is 1a, 23 is 2, 23a is 2a") {
  for (auto [wide, narrow] : {std::pair{falcon_3, falcon_1}, {falcon_3a, falcon_1a}, {falcon_23, falcon_2}, {falcon_23a, falcon_2a}}) {
    auto const h = test::some_head(narrow, 23, 4, 3, 1);
    same(attend<double>(wide, h.all(), windowed(1)), attend<double>(narrow, h.all(), windowed(1)));
  }
}

TEST_CASE("one gain for all columns: falcon-2 is falcon-1, 2a is 1a, 23 is 3, 23a is 3a") {
  for (auto [columns, scalar] : {std::pair{falcon_2, falcon_1}, {falcon_2a, falcon_1a}, {falcon_23, falcon_3}, {falcon_23a, falcon_3a}}) {
    auto const h = test::some_head(scalar, 23, 4, 3, 2);
    auto wide = h;
    wide.size = h.size.replicate(1, 3);
    index_t const B = scalar.windowed ? 3 : 1;
    same(attend<double>(columns, wide.all(), windowed(B)), attend<double>(scalar, h.all(), windowed(B)));
  }
}

TEST_CASE("no ridge, full gain: the new residual is zero (NLMS)") {
  auto h = test::some_head(falcon_1, 20, 4, 3, 3);
  h.k = test::dice(9).matrix(20, 4);
  h.size.setOnes();
  h.forget.setZero();
  reader<double> memory(falcon_1, 4, 3);
  for (index_t t = 0; t < 20; ++t) {
    auto const one = h.slice(t, 1);
    memory.step(one.q, one.k, one.v, one.size, one.forget);
    if (t > 0) CHECK_CLOSE((h.k.row(t - 1) * memory.memory().S).eval(), h.v.row(t).eval(), test::forms);
  }
}

TEST_CASE("no ridge: rule 1a is the Hebbian write, eta x y summed") {
  auto h = test::some_head(falcon_1a, 20, 4, 3, 4);
  h.forget.setZero();
  auto const got = attend<double>(falcon_1a, h.all());
  mat<double> S = mat<double>::Zero(4, 3);
  for (index_t t = 1; t < 20; ++t) {
    double const E = h.k.row(t - 1).squaredNorm();
    if (E > 0) S += h.size(t, 0) / E * h.k.row(t - 1).transpose() * h.v.row(t);
  }
  CHECK_CLOSE(got.memory.S, S, test::forms);
}

TEST_CASE("falcon-3a, stationary: the weight of a pair is a moving sum of powers; without a ridge an interior pair injects eta") {
  index_t const count = 20, B = 4, j = 7;  // pair j is written by tokens j … j+B−1, counted from 0, same-step
  for (double lambda : {0.0, 0.5}) {
    test::head<double> h = test::some_head(falcon_3a, count, 1, 1, 5);
    h.k.setOnes();
    h.q.setOnes();
    h.v.setZero();
    h.v(j, 0) = 1;
    h.size.setConstant(0.75);
    h.forget.setConstant(lambda);
    options o = windowed(B);
    o.pairing = pairing::same_step;
    auto const got = attend<double>(falcon_3a, h.all(), o);
    double const eta = 0.75 / (1 + lambda), gamma = 1 - eta * lambda;
    for (index_t t = 0; t < count; ++t) {
      double want = 0;
      for (index_t u = std::max<index_t>(0, t - j - B + 1); u <= t - j; ++u) want += eta / B * std::pow(gamma, static_cast<double>(u));
      CHECK(got.o(t, 0) == doctest::Approx(want).epsilon(1e-14));
    }
    if (lambda == 0) CHECK(got.o(count - 1, 0) == doctest::Approx(eta).epsilon(1e-14));
  }
}

TEST_CASE("permuted columns permute, rotated features change nothing, scaled values scale") {
  for (rule const& r : falcon_rules) {
    auto const h = test::some_head(r, 23, 4, 3, 6);
    memory<double> entry;
    entry.S = test::dice(8).matrix(4, 3);
    options const o = windowed(r.windowed ? 3 : 1);
    auto const want = attend<double>(r, h.all(), o, entry);

    Eigen::PermutationMatrix<Eigen::Dynamic> order(3);
    order.indices() << 2, 0, 1;
    auto permuted = h;
    permuted.v = h.v * order;
    if (r.per_column) permuted.size = h.size * order;
    memory<double> from = entry;
    from.S = entry.S * order;
    CHECK_CLOSE(attend<double>(r, permuted.all(), o, from).o, (want.o * order).eval(), test::forms);

    mat<double> const R = Eigen::HouseholderQR<mat<double>>(test::dice(10).matrix(4, 4)).householderQ() * mat<double>::Identity(4, 4);
    auto rotated = h;
    rotated.q = h.q * R;
    rotated.k = h.k * R;
    from.S = R.transpose() * entry.S;
    CHECK_CLOSE(attend<double>(r, rotated.all(), o, from).o, want.o, test::forms);

    auto scaled = h;
    scaled.v *= 8;
    from.S = 8 * entry.S;
    CHECK(test::identical(attend<double>(r, scaled.all(), o, from).o, (8 * want.o).eval()));
  }
}

}  // namespace
}  // namespace fwa
