// SPDX-License-Identifier: Apache-2.0
// work.hpp — multiplications and additions of a form, as executed: 2mnk for a product (m, k)·(k, n), n²m for a triangular solve of
// n unknowns in m columns. Decays, masks and residuals, which are O(c) a value, are not counted, so a flop rate from this count is
// a lower bound.
#pragma once

#include <fwa/fwa.hpp>

#include <algorithm>

namespace fwa {

/// One block of masked_block: c tokens, n unknowns.
inline double masked_work(bool solves, double c, double n, double dx, double dv) {
  double const read = 2 * c * n * dx + 2 * c * dx * dv + 2 * c * n * dv;   // Q Xᵀ, Q S, (Q Xᵀ ∘ M) R
  double const exit = 2 * n * dx * dv;                                     // Xᵀ R
  double const residuals = 2 * n * n * dx + 2 * n * dx * dv + n * n * dv;  // X Xᵀ, X S, (I + A)⁻¹
  return read + exit + (solves ? residuals : 0);
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
inline double work(rule const& r, options const& o, index_t T, index_t dx, index_t dv) {
  bool const solves = r.rho != residual::zero;
  double const B = static_cast<double>(o.window), d = static_cast<double>(dx), v = static_cast<double>(dv);
  if (o.form == form::recurrent) return static_cast<double>(T) * recurrent_work(solves, B, d, v);
  double const c = static_cast<double>(o.form == form::masked ? T : std::min(o.chunk, T)), blocks = static_cast<double>(T) / c;
  if (o.form != form::masked && (r.per_column || (solves && o.window > 1))) return blocks * span_work(solves, c, B, d, v);
  return blocks * masked_work(solves, c, solves ? c * B : c + B - 1, d, v);
}

}  // namespace fwa
