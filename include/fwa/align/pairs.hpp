// SPDX-License-Identifier: Apache-2.0
// align/pairs.hpp — which feature is paired with which value.                                      Section 3, Appendix C.5
//
//   shifted     x_t = φ(k_{t−1}),  y_t = v_t         next-latent: the feature that was known when v_t was predicted
//   same-step   x_t = φ(k_t),      y_t = v_t
//
// Boundary: a fresh shifted sequence has no pair at its first token. x_1 = 0 in feature space (φ(0) need not be 0), and the
// step sets η_1 = 0, γ_1 = 1, because the ridge would otherwise decay a given S_0 although nothing is written.
// Laws: continuation, causality, packing.
#pragma once

#include "../matrix.hpp"
#include "../options.hpp"

#include <algorithm>
#include <optional>

namespace fwa {

/// What continues a sequence at its left edge.                                              Appendix C.7
template <class T>
struct boundary {
  std::optional<row<T>> last_feature;  ///< (dx) φ of the last key, not yet written; absent: the sequence is fresh
  mat<T> tail_x, tail_y;               ///< (n, dx), (n, dv), n < B: the pairs still in the window, oldest first
};

/// Rows of pairs, oldest first: `before` rows that earlier tokens wrote and that a window may still hold, then one row a token.
template <class T>
struct pairs {
  mat<T> x;  ///< (before + T, dx)
  mat<T> y;  ///< (before + T, dv)
  index_t before = 0;
  bool sentinel = false;  ///< the first token has no pair: its row of x is zero

  [[nodiscard]] index_t tokens() const { return x.rows() - before; }
};

/// @param features φ(k) (T, dx)   @param v (T, dv)   @param entry what this sequence continues
/// @param normaliser add a value column of ones: its state is the z of a normalised read                   Eq. (2.3)
/// @param p the pairs, in room that is kept
template <class T>
void align(view<T> features, view<T> v, pairing how, boundary<T> const& entry, bool normaliser, pairs<T>& p) {
  index_t const count = features.rows(), dv = v.cols();
  p.before = entry.tail_x.rows();
  p.sentinel = how == pairing::shifted && count > 0 && !entry.last_feature;
  p.x.resize(p.before + count, features.cols());
  p.y.resize(p.before + count, dv + normaliser);
  if (p.before > 0) {
    p.x.topRows(p.before) = entry.tail_x;
    p.y.topLeftCorner(p.before, dv) = entry.tail_y;
  }
  p.y.bottomLeftCorner(count, dv) = v;
  if (normaliser) p.y.col(dv).setConstant(T(1));
  if (how == pairing::same_step) {
    p.x.bottomRows(count) = features;
  } else if (count > 0) {
    if (p.sentinel)
      p.x.row(p.before).setConstant(T(0));
    else
      p.x.row(p.before) = *entry.last_feature;
    p.x.bottomRows(count - 1) = features.topRows(count - 1);
  }
}

/// The same by value.
template <class T>
[[nodiscard]] pairs<T> align(view<T> features, view<T> v, pairing how, boundary<T> const& entry = {}, bool normaliser = false) {
  pairs<T> p;
  align<T>(features, v, how, entry, normaliser, p);
  return p;
}

/// Moves a boundary past these tokens: the last feature, and the last min(B−1, available) pairs.
/// @param features φ(k) (T, dx), T ≥ 1   @param B window   @param dv value columns of the tail: without those of a normaliser
template <class T>
void leave(boundary<T>& edge, pairs<T> const& p, view<T> features, index_t B, index_t dv) {
  index_t const kept = std::min(B - 1, p.x.rows() - (p.sentinel ? 1 : 0));
  edge.last_feature = features.row(features.rows() - 1);
  edge.tail_x = p.x.bottomRows(kept);
  edge.tail_y = p.y.bottomRows(kept).leftCols(dv);
}

}  // namespace fwa
