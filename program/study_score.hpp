// SPDX-License-Identifier: Apache-2.0
// study_score.hpp — how good online predictions are, and what a plain baseline or the exact ridge solution would have predicted.
//
//   prediction row t is made from tokens ≤ t and is scored against v_{t+1}, for t in [first, last)
//
//   text     accuracy: argmax o_t is the character;   mrr: mean of 1/rank;   bits: mean of −log₂ p,
//            p_j = (1−δ) max(o_j, 0) / Σ max(o_i, 0) + δ/A,  δ = 0.05, A characters; uniform where Σ = 0      none depends on o's scale
//   signal   nmse = Σ‖v_{t+1} − a o_t‖² / Σ‖v_{t+1} − v̄‖², v̄ the mean of the scored values, a one number fitted on the prefix
#pragma once

#include <fwa/matrix.hpp>
#include <fwa/reference/ridge.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace fwa::study {

struct text_score {
  double bits = 0, accuracy = 0, mrr = 0;
};

/// −log₂ of the probability that row o gives to column j.
[[nodiscard]] inline double bits_of(Eigen::Ref<row<double> const> const& o, index_t j) {
  constexpr double delta = 0.05;
  double const A = double(o.size()), sum = o.cwiseMax(0).sum();
  return -std::log2(sum > 0 ? (1 - delta) * std::max(o(j), 0.0) / sum + delta / A : 1 / A);
}

/// 1 + columns that score higher; half of the ties count.
[[nodiscard]] inline double rank_of(Eigen::Ref<row<double> const> const& o, index_t j) {
  double rank = 1;
  for (index_t i = 0; i < o.size(); ++i)
    if (i != j) rank += o(i) > o(j) ? 1 : o(i) == o(j) ? 0.5 : 0;
  return rank;
}

/// @param o predictions (T, A)   @param symbol (T)
[[nodiscard]] inline text_score score_text(mat<double> const& o, std::vector<index_t> const& symbol, index_t first, index_t last) {
  text_score s;
  for (index_t t = first; t < last; ++t) {
    index_t const next = symbol[static_cast<std::size_t>(t + 1)];
    double const rank = rank_of(o.row(t), next);
    s.bits += bits_of(o.row(t), next);
    s.mrr += 1 / rank;
    s.accuracy += rank < 1.5;
  }
  double const n = double(last - first);
  return {s.bits / n, s.accuracy / n, s.mrr / n};
}

/// a = Σ⟨v_{t+1}, o_t⟩ / Σ‖o_t‖²; 0 where all o are.
[[nodiscard]] inline double fitted_scale(mat<double> const& o, mat<double> const& v, index_t first, index_t last) {
  double const ov = o.middleRows(first, last - first).cwiseProduct(v.middleRows(first + 1, last - first)).sum();
  double const oo = o.middleRows(first, last - first).squaredNorm();
  return oo > 0 ? ov / oo : 0;
}

/// Infinite where a prediction is not finite.
[[nodiscard]] inline double nmse(mat<double> const& o, mat<double> const& v, double scale, index_t first, index_t last) {
  mat<double> const want = v.middleRows(first + 1, last - first);
  mat<double> const error = want - scale * o.middleRows(first, last - first);
  row<double> const mean = want.colwise().mean();
  double const ratio = error.squaredNorm() / (want.rowwise() - mean).squaredNorm();
  return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
}

[[nodiscard]] inline double decibel(double ratio) { return 10 * std::log10(ratio); }

/// Bigram counts: row t counts which characters have followed c_t before. Causal.
[[nodiscard]] inline mat<double> bigram_predictions(std::vector<index_t> const& symbol, index_t A) {
  mat<double> count = mat<double>::Zero(A, A), o(static_cast<index_t>(symbol.size()), A);
  for (std::size_t t = 0; t < symbol.size(); ++t) {
    if (t > 0) count(symbol[t - 1], symbol[t]) += 1;
    o.row(static_cast<index_t>(t)) = count.row(symbol[t]);
  }
  return o;
}

/// The exact ridge solution of the pairs (k_{t−1}, v_t) so far, read with k_t.
[[nodiscard]] inline mat<double> ridge_predictions(mat<double> const& k, mat<double> const& v, double lambda) {
  reference::recursive_ridge<double> memory(lambda, mat<double>::Zero(k.cols(), v.cols()));
  mat<double> o(k.rows(), v.cols());
  for (index_t t = 0; t < k.rows(); ++t) {
    if (t > 0) memory.write(k.row(t - 1), v.row(t));
    o.row(t).noalias() = k.row(t) * memory.S();
  }
  return o;
}

}  // namespace fwa::study
