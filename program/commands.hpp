// SPDX-License-Identifier: Apache-2.0
// commands.hpp — what the program can do, one function a command.
//
// A command runs while its arguments are parsed. It throws whatever stops it; main turns that into one line and an exit status.
#pragma once

#include <fwa/matrix.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <stdexcept>
#include <string>
#include <system_error>

namespace fwa::program {

void add_apply(CLI::App& app);
void add_study(CLI::App& app);
void add_verify(CLI::App& app);

/// What was to be shown does not hold: exit status 1.
struct does_not_hold : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// CLI11 alone would take 99999999999999999999 for the largest index.
inline std::string whole_number(std::string const& text) {
  index_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  bool const whole = error == std::errc{} && end == text.data() + text.size() && n >= 1;
  return whole ? "" : "must be a whole number >= 1, but is " + text;
}

}  // namespace fwa::program
