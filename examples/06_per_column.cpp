// SPDX-License-Identifier: Apache-2.0
// A gain for each value column: one column is noise around a fixed map, the other a map that drifts.
//
// The first wants small steps that average, the second large ones that follow. One gain for both is a compromise; falcon-2 needs none.
#include <fwa/fwa.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

int main() {
  using fwa::mat;
  fwa::index_t const T = 4000, d = 6;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  mat<double> const k = mat<double>::NullaryExpr(T, d, [&] { return normal(generator); });
  mat<double> A = mat<double>::Constant(d, 2, 1.0), v = mat<double>::Constant(T, 2, 0.0);
  for (fwa::index_t t = 1; t < T; ++t) {
    for (fwa::index_t i = 0; i < d; ++i) A(i, 1) += 0.2 * normal(generator);
    v.row(t) = k.row(t - 1) * A;
    v(t, 0) += 2 * normal(generator);
  }
  mat<double> const lambda = mat<double>::Constant(T, 1, 0.0);
  auto errors = [&](fwa::rule const& rule, mat<double> const& beta) -> fwa::row<double> {  // one a column
    auto const out = fwa::attend(rule, fwa::tokens<double>{k, k, v, fwa::gains<double>(beta, lambda)});
    return (out.o.topRows(T - 1) - v.bottomRows(T - 1)).colwise().squaredNorm() / double(T - 1);
  };

  double best_shared = 1e300;
  std::printf("  rule       beta          fixed + noise   drifting    sum\n");
  for (double const b : {0.05, 0.2, 0.5, 0.8, 1.0}) {
    fwa::row<double> const e = errors(fwa::falcon_1, mat<double>::Constant(T, 1, b));
    std::printf("  falcon-1   %4.2f          %13.2f %10.2f %6.2f\n", b, e(0), e(1), e.sum());
    best_shared = std::min(best_shared, e.sum());
  }
  mat<double> beta(T, 2);
  beta.col(0).setConstant(0.05);
  beta.col(1).setConstant(1.0);
  fwa::row<double> const e = errors(fwa::falcon_2, beta);
  std::printf("  falcon-2   0.05, 1.00    %13.2f %10.2f %6.2f\n", e(0), e(1), e.sum());
  return e.sum() < best_shared ? 0 : 1;
}
