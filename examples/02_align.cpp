// SPDX-License-Identifier: Apache-2.0
// Which key a value is written under, and when the memory is read: two choices, four cells.
//
// Here a value follows from the key before it, v_t = Aᵀk_{t−1}, and the reader asks with k_t for the value that comes next. Only
// shifted pairs teach the memory that map; reading after the write lets it use one pair more.
#include <fwa/fwa.hpp>

#include <cstdio>
#include <random>

int main() {
  fwa::index_t const T = 400, d = 8, dv = 4;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  auto random = [&](fwa::index_t rows, fwa::index_t cols) -> fwa::mat<double> {
    return fwa::mat<double>::NullaryExpr(rows, cols, [&] { return normal(generator); });
  };
  fwa::mat<double> const A = random(d, dv), k = random(T, d);
  fwa::mat<double> v = random(T, dv);
  v.bottomRows(T - 1) = k.topRows(T - 1) * A;
  fwa::mat<double> const beta = fwa::mat<double>::Constant(T, 1, 0.8), lambda = fwa::mat<double>::Constant(T, 1, 0.0);

  auto error = [&](fwa::pairing pairing, fwa::timing timing) {
    fwa::options o;
    o.pairing = pairing;
    o.timing = timing;
    auto const out = fwa::attend(fwa::falcon_1, fwa::tokens<double>{k, k, v, fwa::gains<double>(beta, lambda)}, o);
    fwa::mat<double> const miss = out.o.topRows(T - 1) - v.bottomRows(T - 1);  // o_t against v_{t+1}
    return miss.squaredNorm() / v.bottomRows(T - 1).squaredNorm();
  };
  using enum fwa::pairing;
  using enum fwa::timing;
  double const shifted_raw = error(shifted, read_after_write), shifted_rbw = error(shifted, read_before_write);
  double const same_raw = error(same_step, read_after_write), same_rbw = error(same_step, read_before_write);

  std::printf("squared error of the next value, relative to its size\n");
  std::printf("                 read after write   read before write\n");
  std::printf("  shifted        %16.3f   %17.3f\n", shifted_raw, shifted_rbw);
  std::printf("  same-step      %16.3f   %17.3f\n", same_raw, same_rbw);
  bool const next_latent_is_best = shifted_raw < shifted_rbw && shifted_rbw < same_rbw && shifted_rbw < same_raw;
  return next_latent_is_best ? 0 : 1;
}
