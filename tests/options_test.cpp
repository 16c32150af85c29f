// SPDX-License-Identifier: Apache-2.0
#include <fwa/options.hpp>

#include <doctest/doctest.h>

namespace fwa {
namespace {

TEST_CASE("what a caller gets who chooses nothing") {
  constexpr options o;
  static_assert(o.window == 1 && o.epsilon == 0 && o.clamp && !o.any_gain);
  static_assert(o.epsilon_gamma > 0 && o.epsilon_gamma < 1);
  static_assert(o.ridge == ridge::absolute && o.timing == timing::read_after_write && !o.pairing);
  static_assert(o.feature == feature::identity && !o.value_norm && !o.normalized_read && o.denominator == denominator::nonnegative);
  CHECK(o.chunk >= 1);
  CHECK(o.form == form::chunk);
  options const made{};
  CHECK(made.epsilon_gamma == 1e-6);
  CHECK(made.feature_epsilon == 1e-6);
}

}  // namespace
}  // namespace fwa
