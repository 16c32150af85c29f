// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"
#include "readers.hpp"

FWA_READERS(, double)

namespace fwa::program {
template results apply<double>(problem const&);
}  // namespace fwa::program
