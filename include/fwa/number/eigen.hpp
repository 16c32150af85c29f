// SPDX-License-Identifier: Apache-2.0
// number/eigen.hpp — what Eigen wants to know of a scalar that is not a float.
#pragma once

#include <Eigen/Core>

namespace fwa::detail {

/// Costs make Eigen keep to plain loops and evaluate products once.
template <class S>
struct scalar_traits : Eigen::GenericNumTraits<S> {
  using Real = S;
  using NonInteger = S;
  using Nested = S;
  using Literal = S;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = 1, AddCost = 4, MulCost = 8 };
  static S epsilon() { return S(0); }
  static S dummy_precision() { return S(0); }
  static int digits10() { return 0; }
};

}  // namespace fwa::detail
