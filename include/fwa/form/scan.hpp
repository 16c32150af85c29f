// SPDX-License-Identifier: Apache-2.0
// form/scan.hpp — the second phase of the chunk form as an associative scan over affine chunk maps.             Appendix H.1
//
//   a chunk is S ↦ M S + b        (M₂, b₂) ∘ (M₁, b₁) = (M₂ M₁, M₂ b₁ + b₂)
//   inner product: M = P(C,0) I, kept as one factor a column, S ↦ S Diag(g) + b
//
// A chunk's map is what its block does to S_0 = I with Y = 0 (M) and to S_0 = 0 with Y (b). Per-column regression has a dense map
// a value column and is scanned column by column: dv dense maps, for sizes where that is sane.
// Laws: forms_agree, scan_is_associative.
#pragma once

#include "../contract.hpp"
#include "chunked.hpp"

#include <vector>

namespace fwa {

/// S ↦ M S + b.   M (dx, dx), b (dx, dv)
template <ring T>
struct dense_map {
  mat<T> M, b;
  [[nodiscard]] mat<T> operator()(mat<T> const& S) const { return M * S + b; }
  /// this ∘ earlier
  [[nodiscard]] dense_map after(dense_map const& earlier) const { return {M * earlier.M, M * earlier.b + b}; }
};

/// S ↦ S Diag(g) + b.   g (1, 1) or (1, dv), b (dx, dv)
template <ring T>
struct diagonal_map {
  mat<T> g, b;
  [[nodiscard]] mat<T> operator()(mat<T> const& S) const {
    mat<T> out = S;
    scale_columns(out, g, 0);
    return out + b;
  }
  [[nodiscard]] diagonal_map after(diagonal_map const& earlier) const { return {g.cwiseProduct(earlier.g), (*this)(earlier.b)}; }
};

/// Replaces maps[i] by maps[i] ∘ … ∘ maps[0] in ⌈log₂ n⌉ rounds of independent compositions.
template <class Map>
void inclusive_scan(std::vector<Map>& maps) {
  for (std::size_t reach = 1; reach < maps.size(); reach *= 2)
    for (std::size_t i = maps.size(); i-- > reach;) maps[i] = maps[i].after(maps[i - reach]);  // last first: each still takes an old one
}

template <ring T, class Block>
[[nodiscard]] dense_map<T> regression_map(view<T> q, pairs<T> const& p, pairs<T> const& silent, schedule<T> const& plan, index_t first) {
  index_t const dx = q.cols();
  mat<T> M = mat<T>::Identity(dx, dx), b = mat<T>::Constant(dx, p.y.cols(), T(0)), unread(q.rows(), std::max(dx, p.y.cols()));
  Block block;
  block.load(q, silent, plan, first, timing::read_after_write);
  block.pass(M, unread.leftCols(dx));
  block.load(q, p, plan, first, timing::read_after_write);
  block.pass(b, unread.leftCols(p.y.cols()));
  return {std::move(M), std::move(b)};
}

template <ring T, class Block>
[[nodiscard]] diagonal_map<T> product_map(view<T> q, pairs<T> const& p, schedule<T> const& plan, index_t first) {
  mat<T> b = mat<T>::Constant(q.cols(), p.y.cols(), T(0)), unread(q.rows(), p.y.cols()), g = plan.gamma.row(first);
  for (index_t t = 1; t < q.rows(); ++t) g = g.cwiseProduct(plan.gamma.row(first + t)).eval();
  Block block;
  block.load(q, p, plan, first, timing::read_after_write);
  block.pass(b, unread);
  return {std::move(g), std::move(b)};
}

/// Entry states from scanned maps, then each chunk by itself.
template <class Block, ring T, class Map>
[[nodiscard]] reading<T> scan_chunks(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, index_t C, mat<T> S,
                                     Map map_of_chunk) {
  std::vector<decltype(map_of_chunk(index_t(0), index_t(0)))> maps;
  for (index_t first = 0; first < q.rows(); first += C) maps.push_back(map_of_chunk(first, std::min(C, q.rows() - first)));
  inclusive_scan(maps);
  mat<T> o(q.rows(), S.cols());
  Block block;
  for (index_t first = 0, k = 0; first < q.rows(); first += C, ++k) {
    index_t const c = std::min(C, q.rows() - first);
    mat<T> entry = k == 0 ? S : maps[static_cast<std::size_t>(k - 1)](S);
    block.load(q.middleRows(first, c), p, plan, first, when);
    block.pass(entry, o.middleRows(first, c));
  }
  return {std::move(o), maps.back()(S)};
}

template <class Block, ring T>
[[nodiscard]] reading<T> scan_blocks(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, index_t C, mat<T> S) {
  if (plan.rho == residual::zero)
    return scan_chunks<Block>(q, p, plan, when, C, std::move(S),
                              [&](index_t first, index_t c) { return product_map<T, Block>(q.middleRows(first, c), p, plan, first); });
  pairs<T> silent = p;
  silent.y = mat<T>::Constant(p.y.rows(), q.cols(), T(0));
  return scan_chunks<Block>(q, p, plan, when, C, std::move(S), [&](index_t first, index_t c) {
    return regression_map<T, Block>(q.middleRows(first, c), p, silent, plan, first);
  });
}

/// As chunked(), with the boundary states from an associative scan.
template <ring T>
[[nodiscard]] reading<T> chunked_by_scan(view<T> q, pairs<T> const& p, schedule<T> const& plan, timing when, index_t C, mat<T> S) {
  require(C >= 1, "chunked_by_scan", "chunk must be at least 1, but is ", C);
  if (q.rows() == 0) return {mat<T>(0, S.cols()), std::move(S)};  // and p.y has no storage to point a column into
  if (has_one_system(plan)) return scan_blocks<masked_block<T>>(q, p, plan, when, C, std::move(S));
  if (!plan.per_column() || plan.rho == residual::zero) return scan_blocks<span_block<T>>(q, p, plan, when, C, std::move(S));
  mat<T> o(q.rows(), S.cols());
  for (index_t j = 0; j < S.cols(); ++j) {
    pairs<T> const column{p.x, p.y.col(j), p.before, p.sentinel};
    schedule<T> const own{plan.weight.col(j), plan.gamma.col(j), plan.window, plan.rho};
    reading<T> one = chunked_by_scan<T>(q, column, own, when, C, S.col(j));
    o.col(j) = one.o;
    S.col(j) = one.S;
  }
  return {std::move(o), std::move(S)};
}

}  // namespace fwa
