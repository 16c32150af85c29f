// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"
#include "readers.hpp"

FWA_READERS(, float)

namespace fwa::program {
template results apply<float>(problem const&);
}  // namespace fwa::program
