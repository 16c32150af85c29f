// SPDX-License-Identifier: Apache-2.0
// The program's main with a `verify` that finds a wrong form.
#include "../../program/commands.hpp"

#include <iostream>

namespace fwa::program {

void add_apply(CLI::App&) {}
void add_study(CLI::App&) {}
void add_verify(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("verify", "");
  command->add_flag("--json");
  command->callback([] {
    std::cout << R"({"status":"wrong"})" << '\n';
    throw does_not_hold("chunk is not the recurrence");
  });
}

}  // namespace fwa::program
