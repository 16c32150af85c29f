// SPDX-License-Identifier: Apache-2.0
// A window of B pairs: each token takes one gradient step on the mean loss of the last B pairs.
//
// With noisy values one pair at a time must choose: a large gain learns soon and stays noisy, a small one the reverse. A window
// averages the noise of B pairs in one step, and λ_max of their Gram matrix says how large that step may be.
#include <fwa/fwa.hpp>

#include <cstdio>
#include <random>

int main() {
  using fwa::mat;
  fwa::index_t const T = 2000, d = 8, dv = 2, early = 100;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  auto random = [&](fwa::index_t rows, fwa::index_t cols) -> mat<double> {
    return mat<double>::NullaryExpr(rows, cols, [&] { return normal(generator); });
  };
  mat<double> const k = random(T, d), clean = k * random(d, dv);  // row t: what k_t says about v_{t+1}
  mat<double> v = random(T, dv);
  v.bottomRows(T - 1) += clean.topRows(T - 1);
  mat<double> const lambda = mat<double>::Constant(T, 1, 0.0);

  struct errors {
    double learning, settled;
  };
  auto run = [&](double gain, fwa::index_t B) -> errors {
    mat<double> const beta = mat<double>::Constant(T, 1, gain);
    fwa::options o;
    o.window = B;
    mat<double> const miss = fwa::attend(fwa::falcon_3, fwa::tokens<double>{k, k, v, fwa::gains<double>(beta, lambda)}, o).o - clean;
    errors const e{miss.topRows(early).squaredNorm() / double(early), miss.bottomRows(T / 2).squaredNorm() / double(T / 2)};
    std::printf("%6.2f %5td %18.2f %17.2f\n", gain, B, e.learning, e.settled);
    return e;
  };
  std::printf("  beta     B   error, first %td   error, last %td\n", early, T / 2);
  errors const small = run(0.3, 1);
  errors last = run(0.9, 1);
  bool falls = true;
  for (fwa::index_t B : {2, 4, 8, 16, 32}) {
    errors const e = run(0.9, B);
    falls = falls && e.settled < last.settled;
    last = e;
  }
  return falls && last.learning < small.learning ? 0 : 1;
}
