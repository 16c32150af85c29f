// SPDX-License-Identifier: Apache-2.0
#include <fwa/number/digits.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>

namespace fwa {
namespace {

TEST_CASE_TEMPLATE("lowest() is the most negative number, not the smallest positive one", S, digits_50, digits_100) {
  CHECK(Eigen::NumTraits<S>::lowest() == -Eigen::NumTraits<S>::highest());
  CHECK(Eigen::NumTraits<S>::lowest() < S(-1));
  mat<S> const m = mat<S>::Constant(2, 2, S(-3));
  CHECK(m.maxCoeff() == S(-3));
}

TEST_CASE("50 and 100 digits are that many") {
  CHECK(std::numeric_limits<digits_50>::digits10 >= 50);
  CHECK(std::numeric_limits<digits_100>::digits10 >= 100);
  CHECK(Eigen::NumTraits<digits_50>::epsilon() == std::numeric_limits<digits_50>::epsilon());
  digits_50 const third = digits_50(1) / 3;
  CHECK(abs(digits_50(third * 3 - 1)) < digits_50("1e-49"));
}

/// The forms disagree by rounding, not by algebra: the difference shrinks with the unit.
TEST_CASE("over 50 digits every form is the plain loops to 45 digits") {
  for (rule const& r : {falcon_1, falcon_2a, falcon_23, falcon_3a}) {
    auto const h = test::some_head<digits_50>(r, 12, 3, 2, 1);
    options o;
    o.window = r.windowed ? 3 : 1;
    o.chunk = 5;
    o.feature = feature::rms_norm;
    auto const want = test::naively(r, h, o);
    for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
      o.form = f;
      auto const got = attend<digits_50>(r, h.all(), o);
      CHECK_CLOSE(got.o, want.o, 1e-45);
      CHECK_CLOSE(got.memory.S, want.memory.S, 1e-45);
      CHECK_CLOSE(got.eta, want.eta, 1e-45);
      CHECK_CLOSE(got.gamma, want.gamma, 1e-45);
    }
  }
}

}  // namespace
}  // namespace fwa
