// SPDX-License-Identifier: Apache-2.0
// number/digits.hpp — 50 and 100 decimal digits, the rulers that float and double are measured with.
//
// Boost's own NumTraits<…>::lowest() is the smallest positive number; here it is −max.
#pragma once

#include "eigen.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>

#include <limits>

namespace fwa {

using digits_50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
using digits_100 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;

namespace detail {

template <class S>
struct digit_traits : scalar_traits<S> {
  using Literal = double;
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
