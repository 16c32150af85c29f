// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"
#include "readers.hpp"

FWA_READERS(, Eigen::half)

namespace fwa::program {
template results apply<Eigen::half>(problem const&);
}  // namespace fwa::program
