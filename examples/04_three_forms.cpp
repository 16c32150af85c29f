// SPDX-License-Identifier: Apache-2.0
// One map, computed token by token, as one masked system, chunk by chunk, and with an associative scan over chunks.
//
// The schedule is made once; a form sees pairs, schedule and entry state. What differs is rounding.
#include <fwa/fwa.hpp>
#include <fwa/number/rational.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

int main() {
  using fwa::mat;
  fwa::index_t const T = 200, d = 16, dv = 8;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  auto random = [&](fwa::index_t rows, fwa::index_t cols) -> mat<double> {
    return mat<double>::NullaryExpr(rows, cols, [&] { return normal(generator); });
  };
  mat<double> const q = random(T, d), k = random(T, d), v = random(T, dv), S = random(d, dv);
  mat<double> const lambda = mat<double>::NullaryExpr(T, 1, [&] { return 5 * uniform(generator); });

  auto const raw = fwa::timing::read_after_write;
  double most = 0;
  std::printf("max |form - recurrent|      masked   C = 1   C = 7   C = 64  C = T   scan, C = 32\n");
  for (fwa::rule const& rule : fwa::falcon_rules) {
    mat<double> const beta = mat<double>::NullaryExpr(T, rule.per_column ? dv : 1, [&] { return 2 * uniform(generator); });
    fwa::options o;
    o.window = rule.windowed ? 4 : 1;
    fwa::pairs<double> const p = fwa::align<double>(k, v, rule.pairing);
    fwa::plan<double> const plan = fwa::make_plan<double>(rule.rho, p, fwa::gains<double>(beta, lambda), o);
    fwa::reading<double> const expected = fwa::recurrent<double>(q, p, plan.schedule, raw, S);
    auto show = [&](fwa::reading<double> const& got) {
      double const off = std::max((got.o - expected.o).cwiseAbs().maxCoeff(), (got.S - expected.S).cwiseAbs().maxCoeff());
      std::printf("  %6.0e", off);
      most = got.o.allFinite() && got.S.allFinite() ? std::max(most, off) : 1;
    };
    std::printf("  %-22.*s", static_cast<int>(rule.name.size()), rule.name.data());
    show(fwa::masked<double>(q, p, plan.schedule, raw, S));
    for (fwa::index_t C : {fwa::index_t(1), fwa::index_t(7), fwa::index_t(64), T})
      show(fwa::chunked<double>(q, p, plan.schedule, raw, C, S));
    show(fwa::chunked_by_scan<double>(q, p, plan.schedule, raw, 32, S));
    std::printf("\n");
  }

  using fwa::rational;
  mat<double> const few_k = k.topRows(9), few_v = v.topRows(9), gain = mat<double>::Constant(9, 1, 0.5), ridge = lambda.topRows(9);
  fwa::schedule<rational> const plan =  // made in double, since an energy may need a root
      fwa::make_plan<double>(fwa::falcon_1.rho, fwa::align<double>(few_k, few_v, fwa::falcon_1.pairing), fwa::gains<double>(gain, ridge),
                             {})
          .schedule.cast<rational>();
  mat<rational> const exact_q = q.topRows(9).cast<rational>(), exact_k = few_k.cast<rational>(), exact_v = few_v.cast<rational>();
  fwa::pairs<rational> const p = fwa::align<rational>(exact_k, exact_v, fwa::falcon_1.pairing);
  bool const same = fwa::recurrent<rational>(exact_q, p, plan, raw, S.cast<rational>()).o ==
                    fwa::chunked<rational>(exact_q, p, plan, raw, 4, S.cast<rational>()).o;
  std::printf("over fractions: recurrent %s chunk\n", same ? "==" : "!=");
  return most < 1e-11 && same ? 0 : 1;
}
