// SPDX-License-Identifier: Apache-2.0
// verify.hpp — certificates as text and as JSON.
#pragma once

#include <fwa/verify/certificate.hpp>

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>

namespace fwa::program {

/// What one rule's certificate says.   @param name of the rule
void print(std::ostream& out, std::string const& name, verify::certificate const& c);

[[nodiscard]] nlohmann::ordered_json as_json(std::string const& name, verify::certificate const& c);

/// "falcon-1: chunk is not the recurrence at …": all that draws the case again.
[[nodiscard]] std::string sentence(std::string const& name, verify::disagreement const& d);

}  // namespace fwa::program
