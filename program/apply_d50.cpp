// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"
#include "readers.hpp"

FWA_READERS(, fwa::digits_50)

namespace fwa::program {
template results apply<digits_50>(problem const&);
}  // namespace fwa::program
