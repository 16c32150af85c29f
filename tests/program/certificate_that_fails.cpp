// SPDX-License-Identifier: Apache-2.0
// The program's `verify` over a chunk form that forgets its last, ragged chunk.
#include "../../program/commands.hpp"
#include "../../program/verify.hpp"
#include "support/fields.hpp"

namespace fwa::program {

void add_apply(CLI::App&) {}
void add_study(CLI::App&) {}

verify::certificate certified(verify::shape const& s, index_t C, int points, std::uint64_t seed) {
  return verify::certify(s, C, points, seed, []<class T>(verify::problem<T> const& a, verify::path f, index_t chunk) {
    reading<T> r = solve(a, f, chunk);
    if (f == verify::path::chunk && a.of.T > chunk && a.of.T % chunk != 0) r.S = a.S;
    return r;
  });
}

}  // namespace fwa::program
