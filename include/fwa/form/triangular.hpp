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

/// R ← (I + A)⁻¹ R.   @param A (n, n), read strictly below the diagonal   @param R (n, m)
template <ring S>
void solve_unit_lower(mat<S> const& A, mat<S>& R) {
  constexpr index_t block = 16;  // rows that are substituted together, a few columns at a time; the rest is a matrix product
  index_t const n = A.rows();
  for (index_t i = 0; i < n; i += block) {
    index_t const rows = std::min(block, n - i);
    if (i > 0) R.middleRows(i, rows).noalias() -= A.block(i, 0, rows, i) * R.topRows(i);
    for_lanes<S>(R.cols(), [&]<int N>(index_t j, index_t width) {
      lane<S, N> r[block];
      for (index_t e = 0; e < rows; ++e) {
        r[e] = R.row(i + e).array().template segment<N>(j, width);
        for (index_t f = 0; f < e; ++f) r[e] -= A(i + e, i + f) * r[f];
        R.row(i + e).template segment<N>(j, width) = r[e].matrix();
      }
    });
  }
}

}  // namespace fwa
