// SPDX-License-Identifier: Apache-2.0
#include <fwa/form/triangular.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <cmath>
#include <limits>

namespace fwa {
namespace {

/// |r − (I + A) b̂| ≤ (n − 1) u |I + A| |b̂|: the residual bound of substitution, whatever the condition.
TEST_CASE_TEMPLATE("the residual stays in its bound, at every size around a block", S, float, double) {
  double const u = static_cast<double>(std::numeric_limits<S>::epsilon()) / 2;
  for (index_t n : {0, 1, 2, 15, 16, 17, 33, 64, 65})
    for (index_t m : {1, 2, 7, 40}) {
      test::dice roll(static_cast<std::uint64_t>(n * 100 + m));
      mat<S> const A = roll.matrix<S>(n, n);  // the upper triangle must not be read
      mat<S> const rhs = roll.matrix<S>(n, m);
      mat<S> got = rhs;
      solve_unit_lower(A, got);
      mat<long double> L = A.template cast<long double>().template triangularView<Eigen::StrictlyLower>();
      L.diagonal().setOnes();
      mat<long double> const b = got.template cast<long double>(), left = rhs.template cast<long double>() - L * b;
      mat<long double> const bound = L.cwiseAbs() * b.cwiseAbs();
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < m; ++j)
          CHECK(std::abs(static_cast<double>(left(i, j))) <= static_cast<double>(n) * u * static_cast<double>(bound(i, j)));
    }
}

TEST_CASE("what stands on and above the diagonal does not matter, not even NaN") {
  test::dice roll(1);
  mat<double> A = roll.matrix(40, 40), want = roll.matrix(40, 5), got = want;
  solve_unit_lower(A, want);
  A.triangularView<Eigen::Upper>().setConstant(std::numeric_limits<double>::quiet_NaN());
  solve_unit_lower(A, got);
  CHECK(test::identical(got, want));
}

/// Identical keys and β near 2: powers of A reach 1e17 at 64 tokens, the inverse stays below 2.
TEST_CASE("substitution does not grow where powers explode") {
  index_t const n = 64;
  mat<double> A = mat<double>::Zero(n, n), inverse = mat<double>::Identity(n, n);
  A.triangularView<Eigen::StrictlyLower>().setConstant(1.999);
  solve_unit_lower(A, inverse);
  CHECK(inverse.cwiseAbs().maxCoeff() < 2);
  CHECK(inverse.allFinite());
  mat<double> power = A;
  for (int i = 0; i < 4; ++i) power = power * power;
  CHECK(power.cwiseAbs().maxCoeff() > 1e15);
}

}  // namespace
}  // namespace fwa
