// SPDX-License-Identifier: Apache-2.0
// scalar.hpp — numbers as matrices store them, and what they are summed in.
#pragma once

#include "concepts.hpp"

#include <Eigen/Core>

namespace fwa {

template <>
struct accumulator<Eigen::half> {
  using type = float;
};
template <>
struct accumulator<Eigen::bfloat16> {
  using type = float;
};

/// What tokens may be stored as.
template <class T>
concept token = rooted<accumulator_t<T>>;

}  // namespace fwa
