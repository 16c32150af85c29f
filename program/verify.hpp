// SPDX-License-Identifier: Apache-2.0
// verify.hpp — certificates, and what they say as text and as JSON.
#pragma once

#include <fwa/verify/certificate.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <ostream>
#include <string>

namespace fwa::program {

/// verify::certify() of the library: in a file of its own, since it compiles for long, and a test puts a wrong form there.
[[nodiscard]] verify::certificate certified(verify::shape const& s, index_t C, int points, std::uint64_t seed);

/// What one rule's certificate says.   @param name of the rule
void print(std::ostream& out, std::string const& name, verify::certificate const& c);

[[nodiscard]] nlohmann::ordered_json as_json(std::string const& name, verify::certificate const& c);

/// "falcon-1: chunk is not the recurrence at …": all that draws the case again.
[[nodiscard]] std::string sentence(std::string const& name, verify::disagreement const& d);

}  // namespace fwa::program
