// SPDX-License-Identifier: Apache-2.0
// matrix.hpp — time-major matrices: row t belongs to token t.
//
//   Q, K (T, d)   X (T, dx)   V, Y, R (T, dv)   S (dx, dv)          all row-major
#pragma once

#include <Eigen/Core>

namespace fwa {

using index_t = Eigen::Index;

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

}  // namespace fwa
