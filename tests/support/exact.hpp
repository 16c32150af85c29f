// SPDX-License-Identifier: Apache-2.0
// support/exact.hpp — the forms over fractions, compiled once for all properties (in exact.cpp).
#pragma once

#include "support/problem.hpp"

#include <fwa/number/rational.hpp>

#ifndef FWA_EXACT_INSTANCE
#define FWA_EXACT_INSTANCE extern template
#endif

namespace fwa::verify {

FWA_EXACT_INSTANCE reading<rational> solve<rational>(problem<rational> const&, path, index_t);

}  // namespace fwa::verify
