// SPDX-License-Identifier: Apache-2.0
// A sequence cut anywhere and continued from its memory is the sequence: one call, two calls, or one token at a time.
//
// The memory is the state, the feature of the last key (its value is yet to come), and the pairs still in the window.
#include <fwa/fwa.hpp>

#include <cstdio>
#include <random>

int main() {
  using fwa::mat;
  fwa::index_t const T = 120, d = 8, dv = 4, cut = 50;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  auto random = [&](fwa::index_t rows, fwa::index_t cols) -> mat<double> {
    return mat<double>::NullaryExpr(rows, cols, [&] { return normal(generator); });
  };
  mat<double> const q = random(T, d), k = random(T, d), v = random(T, dv);
  mat<double> const beta = mat<double>::NullaryExpr(T, 1, [&] { return uniform(generator); }), lambda = beta;
  auto part = [&](fwa::index_t first, fwa::index_t n) -> fwa::tokens<double> {
    return {q.middleRows(first, n), k.middleRows(first, n), v.middleRows(first, n),
            fwa::gains<double>(beta.middleRows(first, n), lambda.middleRows(first, n))};
  };
  fwa::options o;
  o.window = 4;
  o.form = fwa::form::recurrent;
  mat<double> const whole = fwa::attend(fwa::falcon_3, part(0, T), o).o;

  auto const head = fwa::attend(fwa::falcon_3, part(0, cut), o);
  std::printf("the memory after token %td: S %td x %td, last feature %td, tail %td pairs\n", cut, head.memory.S.rows(),
              head.memory.S.cols(), head.memory.last_feature->size(), head.memory.tail_x.rows());
  auto continued_from = [&](fwa::memory<double> const& m) {
    return (fwa::attend(fwa::falcon_3, part(cut, T - cut), o, m).o - whole.bottomRows(T - cut)).norm();
  };
  fwa::memory<double> no_tail = head.memory, state_only;
  no_tail.tail_x.resize(0, d);
  no_tail.tail_y.resize(0, dv);
  state_only.S = head.memory.S;

  fwa::reader<double> reader(fwa::falcon_3, d, dv, o);
  double streamed = 0;
  for (fwa::index_t t = 0; t < T; ++t)
    streamed += (reader.step(q.row(t), k.row(t), v.row(t), beta(t, 0), lambda(t, 0)) - whole.row(t)).norm();

  fwa::memory<double> const saved = reader.memory();  // enough to go on elsewhere
  fwa::reader<double> other(fwa::falcon_3, d, dv, o, saved);
  bool const goes_on = other.step(q.row(0), k.row(0), v.row(0), 1, 0) == reader.step(q.row(0), k.row(0), v.row(0), 1, 0);

  double const exact = continued_from(head.memory), tailless = continued_from(no_tail), bare = continued_from(state_only);
  std::printf("difference from one call: streamed %g, cut and continued %g, without the tail %.2g, from S alone %.2g\n", streamed, exact,
              tailless, bare);
  return goes_on && streamed == 0 && exact == 0 && tailless > 1e-3 && bare > 1e-3 ? 0 : 1;
}
