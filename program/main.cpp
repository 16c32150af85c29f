// SPDX-License-Identifier: Apache-2.0
// The program fwa.   Exit status: 0 done; 1 a certificate does not hold; 2 bad arguments or input. 1 and 2 with one line on standard error
// that says what, where and which value.
#include "commands.hpp"

#include <nlohmann/json.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

int fail(int status, std::string message, bool for_machines) {
  std::ranges::replace_if(
      message, [](unsigned char c) { return c < ' '; }, ' ');
  std::cerr << "fwa: " << message << '\n';
  if (for_machines) {
    nlohmann::ordered_json const summary = {{"status", "error"}, {"message", message}};
    std::cout << summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
  return status;
}

}  // namespace

int main(int count, char** words) {
  Eigen::setNbThreads(1);  // tasks and heads run side by side: a product that starts threads of its own would wait for theirs
  CLI::App app("Fast weight attention", "fwa");
  app.require_subcommand(1);
  fwa::program::add_apply(app);
  fwa::program::add_study(app);
  fwa::program::add_verify(app);
  bool const for_machines = std::any_of(words, words + count, [](char const* word) { return std::string_view(word) == "--json"; });
  try {
    app.parse(count, words);
    if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
    return 0;
  } catch (CLI::Success const& e) {  // --help
    return app.exit(e);
  } catch (std::bad_alloc const&) {
    return fail(2, "not enough memory for arrays of these shapes", for_machines);
  } catch (fwa::program::does_not_hold const& e) {
    return fail(1, e.what(), false);  // the command has printed what machines want to know
  } catch (std::exception const& e) {
    return fail(2, e.what(), for_machines);
  }
}
