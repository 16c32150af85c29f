// SPDX-License-Identifier: Apache-2.0
// commands.hpp — what the program can do, one function a command.
//
// A command runs while its arguments are parsed. It throws whatever stops it; main turns that into one line and exit status 2.
#pragma once

#include <CLI/CLI.hpp>

namespace fwa::program {

void add_apply(CLI::App& app);
void add_study(CLI::App& app);

}  // namespace fwa::program
