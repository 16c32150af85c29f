// SPDX-License-Identifier: Apache-2.0
// The judge is judged by hand: numbers worked out on paper, and identities that need no second program.
#include <fwa/reference/naive.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>

#include <algorithm>
#include <initializer_list>

namespace fwa {
namespace {

test::head<double> numbers(std::initializer_list<double> k, std::initializer_list<double> v, double beta, double lambda) {
  index_t const count = static_cast<index_t>(k.size());
  test::head<double> h = test::some_head(falcon_1, count, 1, 1, 1);
  h.q.setOnes();
  std::copy(k.begin(), k.end(), h.k.data());
  std::copy(v.begin(), v.end(), h.v.data());
  h.size.setConstant(beta);
  h.forget.setConstant(lambda);
  return h;
}

TEST_CASE("falcon-1, shifted: three tokens by hand") {
  // sentinel; x = 1, y = 4: D = 2, η = 1/2, γ = 1/2, S = 2;  x = 2, y = 6: D = 5, η = 1/5, γ = 4/5, S = 1.6 + 0.4·(6 − 4)
  auto const got = test::naively(falcon_1, numbers({1, 2, 7}, {9, 4, 6}, 1, 1), {});
  CHECK_CLOSE(got.o, (mat<double>(3, 1) << 0, 2, 2.4).finished(), test::forms);
  CHECK_CLOSE(got.eta, (mat<double>(3, 1) << 0, 0.5, 0.2).finished(), test::forms);
  CHECK_CLOSE(got.gamma, (mat<double>(3, 1) << 1, 0.5, 0.8).finished(), test::forms);
  CHECK((*got.memory.last_feature)(0) == 7);
  CHECK(got.memory.tail_x.rows() == 0);
}

TEST_CASE("falcon-3a, same-step, B = 2: three tokens by hand") {
  // E = 1, 5/2, 13/2; η = 1, 2/5, 2/13;  S = 4;  + 0.2·(4 + 12) = 7.2;  + (12 − 3)/13
  options o;
  o.window = 2;
  o.pairing = pairing::same_step;
  auto const got = test::naively(falcon_3a, numbers({1, 2, 3}, {4, 6, -1}, 1, 0), o);
  CHECK_CLOSE(got.o, (mat<double>(3, 1) << 4, 7.2, 7.2 + 9.0 / 13).finished(), test::forms);
  CHECK(got.memory.tail_x == (mat<double>(1, 1) << 3).finished());
  CHECK(got.memory.tail_y == (mat<double>(1, 1) << -1).finished());
}

TEST_CASE("falcon-3, same-step, B = 2: both residuals at the state before") {
  // S = 4; E = 5/2, η = 2/5, w = 1/5: 4 + 0.2·(1·(4 − 4) + 2·(6 − 8)) = 3.2
  options o;
  o.window = 2;
  o.pairing = pairing::same_step;
  CHECK_CLOSE(test::naively(falcon_3, numbers({1, 2}, {4, 6}, 1, 0), o).o, (mat<double>(2, 1) << 4, 3.2).finished(), test::forms);
}

TEST_CASE("read before write lags by one token") {
  for (rule const& r : falcon_rules) {
    auto h = test::some_head(r, 10, 3, 2, 1);
    h.q.rowwise() = h.q.row(0).eval();
    options o;
    o.window = r.windowed ? 3 : 1;
    auto const after = test::naively(r, h, o);
    o.timing = timing::read_before_write;
    auto const before = test::naively(r, h, o);
    CHECK(test::identical(before.o.bottomRows(9).eval(), after.o.topRows(9).eval()));
    CHECK(before.o.row(0).isZero(0));
  }
}

TEST_CASE("the clamp, and the features") {
  options o;
  o.pairing = pairing::same_step;
  o.epsilon_gamma = 0.25;
  auto const got = test::naively(falcon_1, numbers({1}, {1}, 1.9, 3), o);
  CHECK(got.gamma(0, 0) == 0.25);
  CHECK(got.clamped(0, 0));
  CHECK(reference::feature_of<double>(feature::l2_norm, 0, {3, 4}) == reference::numbers<double>{0.6, 0.8});
  CHECK(reference::feature_of<double>(feature::elu_plus_one, 0, {0, 2}) == reference::numbers<double>{1, 3});
}

}  // namespace
}  // namespace fwa
