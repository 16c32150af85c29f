// SPDX-License-Identifier: Apache-2.0
// contract.hpp — what is said when input breaks a rule: function, rule, where, actual value.
#pragma once

#include "matrix.hpp"
#include "refusal.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace fwa {

/// The shape (rows, cols) of `what`, or a refusal that names both shapes.
template <class M>
void require_shape(std::string_view function, std::string_view what, M const& m, index_t rows, index_t cols) {
  if (m.rows() != rows || m.cols() != cols) refuse(function, what, " must be ", rows, " x ", cols, ", but is ", m.rows(), " x ", m.cols());
}

/// Every entry of m satisfies `holds`, or a refusal that names the first entry that does not.
/// @param first the row of `what` that m begins with
template <class M, class Predicate>
void require_each(std::string_view function, std::string_view what, M const& m, std::string_view rule, Predicate holds, index_t first = 0) {
  for (index_t i = 0; i < m.rows(); ++i)
    for (index_t j = 0; j < m.cols(); ++j)
      if (!holds(m(i, j))) refuse(function, what, '[', first + i, ", ", j, "] must ", rule, ", but is ", m(i, j));
}

/// Refuses NaN and infinities. Zero times anything finite is zero, so one vectorised sum tells; only then is the place looked for.
/// @param first the row of `what` that m begins with   @return the largest magnitude, of a standard float; else 0
template <class M>
typename M::Scalar require_finite(std::string_view function, std::string_view what, M const& m, index_t first = 0,
                                  std::string_view rule = "be finite") {
  using S = typename M::Scalar;
  if constexpr (std::is_floating_point_v<S>) {
    using sums = Eigen::Array<S, 1, 256 / static_cast<int>(sizeof(S))>;  // independent, so that no addition waits for the one before
    index_t const wide = m.cols() - m.cols() % sums::SizeAtCompileTime;
    sums zero = sums::Zero(), most = sums::Zero();
    for (index_t i = 0; i < m.rows(); ++i)
      for (index_t j = 0; j < wide; j += sums::SizeAtCompileTime) {
        sums const part = m.row(i).array().template segment<sums::SizeAtCompileTime>(j);
        zero += part * S(0);
        most = most.max(part.abs());
      }
    auto const rest = m.rightCols(m.cols() - wide).array();
    if (zero.sum() + (rest * S(0)).sum() == S(0))
      return rest.size() > 0 ? std::max<S>(most.maxCoeff(), rest.abs().maxCoeff()) : most.maxCoeff();
  }
  require_each(function, what, m, rule, finite<S>, first);
  return S(0);
}

}  // namespace fwa
