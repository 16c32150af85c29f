// SPDX-License-Identifier: Apache-2.0
#include <fwa/attend.hpp>
#include <fwa/rule/falcon.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <limits>
#include <type_traits>

namespace fwa {
namespace {

static_assert(std::is_same_v<accumulator_t<float>, float>);
static_assert(std::is_same_v<accumulator_t<double>, double>);
static_assert(std::is_same_v<accumulator_t<long double>, long double>);
static_assert(std::is_same_v<accumulator_t<Eigen::half>, float>);
static_assert(std::is_same_v<accumulator_t<Eigen::bfloat16>, float>);

/// What attend<T> of tokens stored as T must give: those tokens in float, and the outputs rounded once.
TEST_CASE_TEMPLATE("16-bit tokens are read in float and rounded once", T, Eigen::half, Eigen::bfloat16) {
  for (rule const& r : {falcon_1, falcon_3a, falcon_23}) {
    auto const h = test::some_head<T>(r, 40, 4, 3, 1);
    test::head<float> const wide{
        h.q.template cast<float>(), h.k.template cast<float>(), h.v.template cast<float>(), h.size, h.forget, h.law};
    options o;
    o.window = r.windowed ? 3 : 1;
    o.feature = feature::rms_norm;
    for (form f : {form::recurrent, form::chunk}) {
      o.form = f;
      auto const got = attend<T>(r, h.all(), o);
      auto const want = attend<float>(r, wide.all(), o);
      CHECK(test::identical(got.o, want.o.cast<T>().eval()));
      CHECK(test::identical(got.memory, want.memory));
      CHECK(test::identical(got.eta, want.eta));
      CHECK(test::identical(got.gamma, want.gamma));
    }
  }
}

/// A state of 256 and writes of 2^-7: each is lost where the state is kept in bfloat16 (8 bits) or half (11 bits).
TEST_CASE_TEMPLATE("a large state keeps a thousand small writes", T, Eigen::half, Eigen::bfloat16) {
  index_t const count = 1024;
  test::head<T> h{mat<T>::Constant(count, 1, T(1)),     mat<T>::Constant(count, 1, T(1)),     mat<T>::Constant(count, 1, T(0.0078125f)),
                  mat<float>::Constant(count, 1, 1.0f), mat<float>::Constant(count, 1, 0.0f), step_law::normalised};
  options o;
  o.pairing = pairing::same_step;
  memory<float> entry;
  entry.S = mat<float>::Constant(1, 1, 256);
  for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
    o.form = f;
    auto const got = attend<T>(falcon_1a, h.all(), o, entry);
    CHECK(got.memory.S(0, 0) == 264.0f);
    CHECK(static_cast<float>(got.o(count - 1, 0)) == 264.0f);
  }
}

TEST_CASE("long double carries more than double") {
  auto const h = test::some_head(falcon_1, 60, 4, 3, 2);
  test::head<long double> const wide{h.q.cast<long double>(),    h.k.cast<long double>(),      h.v.cast<long double>(),
                                     h.size.cast<long double>(), h.forget.cast<long double>(), h.law};
  options o;
  auto const want = test::naively(falcon_1, wide, o);
  double const unit = static_cast<double>(std::numeric_limits<long double>::epsilon());
  for (form f : {form::recurrent, form::masked, form::chunk}) {
    o.form = f;
    CHECK_CLOSE(attend<long double>(falcon_1, wide.all(), o).o, want.o, 1000 * unit);
  }
}

}  // namespace
}  // namespace fwa
