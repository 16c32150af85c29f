// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"
#include "readers.hpp"

FWA_READERS(, Eigen::bfloat16)

namespace fwa::program {
template results apply<Eigen::bfloat16>(problem const&);
}  // namespace fwa::program
