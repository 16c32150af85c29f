// SPDX-License-Identifier: Apache-2.0
// refusal.hpp — how a call says no.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string_view>

namespace fwa {

/// Thrown before anything is changed. what() reads "attend: beta[3, 0] must be in [0, 2), but is 2.5".
struct contract_error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Throws contract_error{"function: parts…"}; numbers with 17 digits.
template <class... Parts>
[[noreturn]] void refuse(std::string_view function, Parts const&... parts) {
  std::ostringstream message;
  message.precision(17);
  message << function << ": ";
  (message << ... << parts);
  throw contract_error(message.str());
}

/// Refuses unless `holds`.
template <class... Parts>
void require(bool holds, std::string_view function, Parts const&... parts) {
  if (!holds) refuse(function, parts...);
}

/// Neither NaN nor infinite, by the operators of any scalar.
template <class S>
[[nodiscard]] bool finite(S const& s) {
  return S(s - s) == S(0);
}

}  // namespace fwa
