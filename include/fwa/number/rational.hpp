// SPDX-License-Identifier: Apache-2.0
// number/rational.hpp — exact fractions: two forms that compute the same thing give equal results, with ==.
#pragma once

#include "eigen.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/multiprecision/eigen.hpp>

namespace fwa {

using rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend, boost::multiprecision::et_off>;

}  // namespace fwa

template <>
struct Eigen::NumTraits<fwa::rational> : fwa::detail::scalar_traits<fwa::rational> {};
