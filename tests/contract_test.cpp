// SPDX-License-Identifier: Apache-2.0
#include <fwa/contract.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace fwa {
namespace {

template <class F>
std::string said(F f) {
  try {
    f();
  } catch (contract_error const& e) {
    return e.what();
  }
  return "nothing";
}

TEST_CASE("a refusal names function, rule, place and value") {
  mat<double> m = mat<double>::Zero(4, 3);
  m(3, 0) = 2.5;
  auto below_two = [](double b) { return b < 2; };
  CHECK(said([&] { require_each("attend", "beta", m, "be in [0, 2)", below_two); }) == "attend: beta[3, 0] must be in [0, 2), but is 2.5");
  CHECK(said([&] { require_shape("read", "v", m, 4, 2); }) == "read: v must be 4 x 2, but is 4 x 3");
  CHECK(said([&] { require(false, "f", "C must be ", 1); }) == "f: C must be 1");
}

TEST_CASE("values are printed with all their digits") {
  mat<double> const m = mat<double>::Constant(1, 1, 0.1);
  CHECK(said([&] { require_each("f", "x", m, "be 0", [](double v) { return v == 0; }); }).find("0.10000000000000001") != std::string::npos);
}

TEST_CASE("what holds passes") {
  mat<double> const m = mat<double>::Zero(4, 3);
  CHECK(said([&] {
          require_shape("f", "m", m, 4, 3);
          require_each("f", "m", m, "be 0", [](double v) { return v == 0; });
          require_finite("f", "m", m);
          require_finite("f", "empty", mat<double>(0, 3));
          require(true, "f", "never said");
        }) == "nothing");
}

TEST_CASE_TEMPLATE("NaN and infinities are found wherever they stand", S, float, double, long double, Eigen::half, Eigen::bfloat16) {
  for (float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
    for (index_t rows : {1, 2, 5})
      for (index_t cols : {1, 3, 16, 17})
        for (index_t at = 0; at < rows * cols; ++at) {
          mat<S> m = mat<S>::Constant(rows, cols, S(1));
          m(at / cols, at % cols) = S(bad);
          std::string const where = "m[" + std::to_string(at / cols) + ", " + std::to_string(at % cols) + "] must be finite";
          CHECK(said([&] { require_finite("f", "m", m); }).find(where) != std::string::npos);
        }
}

TEST_CASE("the largest finite numbers are finite, also where their sum is not") {
  mat<double> const m = mat<double>::Constant(3, 9, std::numeric_limits<double>::max());
  CHECK(said([&] { require_finite("f", "m", m); }) == "nothing");
}

TEST_CASE_TEMPLATE("the largest magnitude is told, wherever it stands", S, float, double, long double) {
  for (index_t cols : {1, 31, 64, 65, 130})
    for (index_t rows : {1, 2})
      for (index_t at = 0; at < rows * cols; ++at) {
        mat<S> m = mat<S>::Constant(rows, cols, S(-1));
        m(at / cols, at % cols) = S(at % 2 == 0 ? 3 : -3);
        CHECK(require_finite("f", "m", m) == S(3));
      }
}

TEST_CASE("of other floats no magnitude is told") {
  CHECK(require_finite("f", "m", mat<Eigen::half>::Constant(2, 3, Eigen::half(5))) == Eigen::half(0));
}

}  // namespace
}  // namespace fwa
