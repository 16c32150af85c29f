// SPDX-License-Identifier: Apache-2.0
// matrix.hpp — time-major matrices: row t belongs to token t.
//
//   Q, K (T, d)   X (T, dx)   V, Y, R (T, dv)   S (dx, dv)          all row-major
#pragma once

#include "index.hpp"

#include <Eigen/Core>

#include <type_traits>

namespace fwa {

static_assert(std::is_same_v<index_t, Eigen::Index>);

template <class S>
using mat = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class S>
using row = Eigen::Matrix<S, 1, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix to read: any row-major matrix, block or map of it, rows any distance apart; anything else is copied once.
template <class S>
using view = Eigen::Ref<mat<S> const, 0, Eigen::OuterStride<>>;
/// A matrix to write.
template <class S>
using target = Eigen::Ref<mat<S>, 0, Eigen::OuterStride<>>;

/// Columns that a loop carries together: two wide registers of them, of a large scalar two, since Eigen has no row-major array that
/// is at most one column wide.
template <class S>
inline constexpr int lanes = sizeof(S) < 64 ? 128 / static_cast<int>(sizeof(S)) : 2;

/// A few columns of one row, and of several; N columns, or at most lanes<S> where N is Dynamic.
template <class S, int N>
using lane = Eigen::Array<S, 1, N, Eigen::RowMajor, 1, N == Eigen::Dynamic ? lanes<S> : N>;
template <class S, int N>
using lane_rows = Eigen::Array<S, Eigen::Dynamic, N, Eigen::RowMajor, Eigen::Dynamic, N == Eigen::Dynamic ? lanes<S> : N>;

/// Calls f.template operator()<N>(j, width) for groups [j, j + width) of `columns` columns.
template <class S, class F>
void for_lanes(index_t columns, F&& f) {
  index_t j = 0;
  for (; j + lanes<S> <= columns; j += lanes<S>) f.template operator()<lanes<S>>(j, index_t(lanes<S>));
  if (j < columns) f.template operator()<Eigen::Dynamic>(j, columns - j);
}

}  // namespace fwa
