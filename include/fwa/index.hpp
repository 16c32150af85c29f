// SPDX-License-Identifier: Apache-2.0
// index.hpp — what counts tokens, rows and columns.
#pragma once

#include <cstddef>

namespace fwa {

using index_t = std::ptrdiff_t;

}  // namespace fwa
