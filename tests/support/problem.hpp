// SPDX-License-Identifier: Apache-2.0
// support/problem.hpp — problems of verify/problem.hpp under the tests' own namespace.
#pragma once

#include <fwa/verify/problem.hpp>

namespace fwa::test {

using namespace fwa::verify;

}  // namespace fwa::test
