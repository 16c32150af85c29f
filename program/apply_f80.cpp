// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"
#include "readers.hpp"

FWA_READERS(, long double)

namespace fwa::program {
template results apply<long double>(problem const&);
}  // namespace fwa::program
