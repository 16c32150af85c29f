// SPDX-License-Identifier: Apache-2.0
// number/digits.hpp — 50 and 100 decimal digits, the rulers that float and double are measured with.
//
// Boost's own NumTraits<…>::lowest() is the smallest positive number; here it is −max.
#pragma once

#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>

#include <limits>

namespace fwa {

using digits_50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
using digits_100 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;

namespace detail {

template <class S>
struct digit_traits : Eigen::GenericNumTraits<S> {
  using Real = S;
  using NonInteger = S;
  using Nested = S;
  using Literal = double;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = 1, AddCost = 4, MulCost = 8 };
  static S epsilon() { return std::numeric_limits<S>::epsilon(); }
  static S dummy_precision() { return 1000 * epsilon(); }
  static S highest() { return (std::numeric_limits<S>::max)(); }
  static S lowest() { return -(std::numeric_limits<S>::max)(); }
  static int digits10() { return std::numeric_limits<S>::digits10; }
};

}  // namespace detail
}  // namespace fwa

template <>
struct Eigen::NumTraits<fwa::digits_50> : fwa::detail::digit_traits<fwa::digits_50> {};
template <>
struct Eigen::NumTraits<fwa::digits_100> : fwa::detail::digit_traits<fwa::digits_100> {};
