// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

namespace fwa::program {

verify::certificate certified(verify::shape const& s, index_t C, int points, std::uint64_t seed) {
  return verify::certify(s, C, points, seed);
}

}  // namespace fwa::program
