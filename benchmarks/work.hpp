// SPDX-License-Identifier: Apache-2.0
// work.hpp — multiplications and additions of a form: 2mnk for a product (m, k)·(k, n), n²m for a triangular solve of n unknowns in
// m columns. Decays, masks and residuals, which are O(c) a value, are not counted, so a flop rate from this count is a lower bound.
#pragma once

#include <fwa/fwa.hpp>

#include <algorithm>

namespace fwa {

struct flops {
  double form;      ///< as its formula is written: products dense, whatever a mask then hides
  double executed;  ///< by the code, which leaves out most of what a mask hides
};

/// Entries that groups of rows_together compute of a masked (rows, n) matrix, where a row sees `step` columns more than the one above.
inline double shown(double rows, double n, double step) {
  double const group = rows_together;
  double entries = 0;
  for (double first = 0; first < rows; first += group) {
    double const end = std::min(first + group, rows);
    entries += (end - first) * (n - (rows - end) * step);
  }
  return entries;
}

/// One block of masked_block: c tokens, n unknowns, B of them a token where it solves.
inline flops masked_work(bool solves, double c, double n, double dx, double dv) {
  double const whole = 2 * c * dx * dv + 2 * n * dx * dv + (solves ? 2 * n * dx * dv + n * n * dv : 0);  // Q S, Xᵀ R; X S, (I + A)⁻¹
  double const read = 2 * dx + 2 * dv, gram = solves ? 2 * dx : 0;                                       // Q Xᵀ, (Q Xᵀ ∘ M) R; X Xᵀ
  return {whole + c * n * read + n * n * gram, whole + shown(c, n, solves ? n / c : 1) * read + shown(n, n, 1) * gram};
}

/// One block of span_block: c tokens that see n = c + B − 1 pairs.
inline double span_work(bool solves, double c, double B, double dx, double dv) {
  double const n = c + B - 1;
  double const products = 2 * (n + c) * n * dx + 2 * (n + c) * dx * dv + 2 * n * dx * dv;  // Gram, [X; Q] S, Xᵀ W
  double const sweep = (solves ? 2 * c * c + 2 * c * B * B : c * c) + c * c / 2;           // a value column; last: the decay of W
  return products + sweep * dv;
}

/// One token of the recurrence: Sᵀx for each of B pairs, the decay, B rank-one writes, Sᵀq.
inline double recurrent_work(bool solves, double B, double dx, double dv) { return ((solves ? 2 * B : 0) + 1 + 2 * B + 2) * dx * dv; }

/// A read of T tokens, T a multiple of the chunk.
inline flops work(rule const& r, options const& o, index_t T, index_t dx, index_t dv) {
  bool const solves = r.rho != residual::zero;
  double const B = static_cast<double>(o.window), d = static_cast<double>(dx), v = static_cast<double>(dv);
  double const c = static_cast<double>(o.form == form::masked ? T : std::min(o.chunk, T)), blocks = static_cast<double>(T) / c;
  if (o.form != form::recurrent && (o.form == form::masked || !(r.per_column || (solves && o.window > 1)))) {
    flops const block = masked_work(solves, c, solves ? c * B : c + B - 1, d, v);
    return {blocks * block.form, blocks * block.executed};
  }
  double const both =
      o.form == form::recurrent ? static_cast<double>(T) * recurrent_work(solves, B, d, v) : blocks * span_work(solves, c, B, d, v);
  return {both, both};
}

}  // namespace fwa
