// SPDX-License-Identifier: Apache-2.0
#include <fwa/align/feature.hpp>

#include "support/approx.hpp"

#include <fwa/number/digits.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

namespace fwa {
namespace {

template <class S>
row<S> mapped(feature phi, double epsilon, row<S> u) {
  apply_feature<S>(phi, S(epsilon), u);
  return u;
}

/// φ written out over 100 digits.
row<digits_100> exact(feature phi, double epsilon, row<double> const& u) {
  row<digits_100> out = u.cast<digits_100>();
  digits_100 square = 0;
  for (index_t i = 0; i < u.size(); ++i) square += out(i) * out(i);
  if (phi == feature::rms_norm) square /= static_cast<int>(u.size());
  for (index_t i = 0; i < u.size(); ++i) switch (phi) {
      case feature::identity:
        break;
      case feature::rms_norm:
      case feature::l2_norm:
        if (square != 0) out(i) /= sqrt(square + digits_100(epsilon));
        break;
      case feature::elu_plus_one:
        out(i) = out(i) > 0 ? digits_100(out(i) + 1) : exp(out(i));
        break;
      case feature::relu:
        if (out(i) < 0) out(i) = 0;
    }
  return out;
}

/// Largest relative error of an entry; absolute below the smallest normal number.
template <class S>
double worst(feature phi, double epsilon, row<double> const& u) {
  row<S> const got = mapped<S>(phi, epsilon, u.cast<S>().eval());
  row<digits_100> const want = exact(phi, epsilon, got.size() ? u.cast<S>().template cast<double>().eval() : u);
  double most = 0;
  for (index_t i = 0; i < u.size(); ++i) {
    REQUIRE(std::isfinite(static_cast<double>(got(i))));
    digits_100 const error = abs(digits_100(got(i)) - want(i));
    digits_100 const floor = digits_100(std::numeric_limits<S>::min());
    most = std::max(most, static_cast<double>(digits_100(error / std::max<digits_100>(abs(want(i)), floor))));
  }
  return most / std::numeric_limits<S>::epsilon();
}

row<double> numbers(std::initializer_list<double> values) {
  row<double> out(static_cast<index_t>(values.size()));
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

TEST_CASE_TEMPLATE("each map to a few units in the last place, also for tiny and huge numbers", S, float, double) {
  double const big = static_cast<double>(std::numeric_limits<S>::max()) / 4, small = static_cast<double>(std::numeric_limits<S>::min()) * 4;
  std::vector<row<double>> const rows = {numbers({1, -2, 0.5}),          numbers({3, 4}),         numbers({-7}),
                                         numbers({1e-3, 1e3, -1, 0, 2}), numbers({big, -big, 1}), numbers({small, -small}),
                                         numbers({small, big}),          numbers({0, 0, 1e-30}),  numbers({-80, -1, 40})};
  for (auto const& u : rows)
    for (double epsilon : {0.0, 1e-6, 1.0}) {
      CAPTURE(u);
      CAPTURE(epsilon);
      for (feature phi : {feature::identity, feature::relu}) CHECK(worst<S>(phi, epsilon, u) == 0);
      for (feature phi : {feature::rms_norm, feature::l2_norm}) CHECK(worst<S>(phi, epsilon, u) <= 6);
      CHECK(worst<S>(feature::elu_plus_one, epsilon, u) <= 2);
    }
}

TEST_CASE("by hand") {
  CHECK(mapped<double>(feature::l2_norm, 0, numbers({3, 4})) == numbers({0.6, 0.8}));
  CHECK_CLOSE(mapped<double>(feature::rms_norm, 0, numbers({3, -3, 3, -3})), numbers({1, -1, 1, -1}), test::forms);
  CHECK_CLOSE(mapped<double>(feature::rms_norm, 7, numbers({3, -3})), numbers({0.75, -0.75}), test::forms);
  CHECK(mapped<double>(feature::relu, 0, numbers({-1, 0, 2})) == numbers({0, 0, 2}));
  CHECK(mapped<double>(feature::elu_plus_one, 0, numbers({0, 2})) == numbers({1, 3}));
}

TEST_CASE("zero rows are mapped without a division by zero") {
  for (double epsilon : {0.0, 1e-6})
    for (feature phi : {feature::identity, feature::rms_norm, feature::l2_norm, feature::relu})
      CHECK(mapped<double>(phi, epsilon, numbers({0, 0, 0})) == numbers({0, 0, 0}));
  CHECK(mapped<double>(feature::elu_plus_one, 0, numbers({0, 0})) == numbers({1, 1}));  // φ(0) need not be 0
}

TEST_CASE("non-negative maps are the ones that are said to be") {
  for (feature phi : {feature::identity, feature::rms_norm, feature::l2_norm, feature::elu_plus_one, feature::relu}) {
    row<double> const image = mapped<double>(phi, 1e-6, numbers({-3, -0.1, 0, 2, -700}));
    CHECK(is_nonnegative(phi) == (image.array() >= 0).all());
  }
}

TEST_CASE("squares of RMS features sum to at most d, whatever the scale") {
  for (double scale : {1e-300, 1e-8, 1.0, 1e8, 1e300})
    CHECK(mapped<double>(feature::rms_norm, 1e-6, numbers({scale, -2 * scale, 0.5 * scale})).squaredNorm() <= 3 * (1 + 1e-15));
}

}  // namespace
}  // namespace fwa
