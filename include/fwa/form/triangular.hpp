// SPDX-License-Identifier: Apache-2.0
// form/triangular.hpp — (I + A) R = F for strictly lower A by forward substitution, with + − × only.
//
// Substitution, not an inverse by powers or doubling: with weights w ≥ 0 and β < 2 the entries of (I + A)⁻¹, symmetrically
// scaled, stay below √(β_i β_j) < 2, while powers of A explode for repeated keys.
#pragma once

#include "../matrix.hpp"
#include "../scalar.hpp"

#include <algorithm>

namespace fwa {

/// Rows [i, i + rows) of R ← (I + A)⁻¹ R, columns [j, j + width), where the rows `first` ≤ f < i are solved and still to be used.
template <int rows, int N, ring S>
void substitute(mat<S> const& A, mat<S>& R, index_t first, index_t i, index_t j, index_t width) {
  lane<S, N> r[rows];
  for (index_t e = 0; e < rows; ++e) r[e] = R.row(i + e).array().template segment<N>(j, width);
  for (index_t f = first; f < i; ++f) {
    lane<S, N> const known = R.row(f).array().template segment<N>(j, width);
    for (index_t e = 0; e < rows; ++e) r[e] -= A(i + e, f) * known;
  }
  for (index_t e = 0; e < rows; ++e) {
    for (index_t f = 0; f < e; ++f) r[e] -= A(i + e, i + f) * r[f];
    R.row(i + e).template segment<N>(j, width) = r[e].matrix();
  }
}

/// R ← (I + A)⁻¹ R.   @param A (n, n), read strictly below the diagonal   @param R (n, m)
template <ring S>
void solve_unit_lower(mat<S> const& A, mat<S>& R) {
  constexpr index_t block = 64;  // rows that are substituted; what the rows above them take away is a matrix product
  constexpr int together = 8;    // rows that stay in registers
  index_t const n = A.rows();
  for (index_t first = 0; first < n; first += block) {
    index_t const end = std::min(first + block, n);
    if (first > 0) R.middleRows(first, end - first).noalias() -= A.block(first, 0, end - first, first) * R.topRows(first);
    for_lanes<S>(R.cols(), [&]<int N>(index_t j, index_t width) {
      index_t i = first;
      for (; i + together <= end; i += together) substitute<together, N>(A, R, first, i, j, width);
      for (; i < end; ++i) substitute<1, N>(A, R, first, i, j, width);
    });
  }
}

}  // namespace fwa
