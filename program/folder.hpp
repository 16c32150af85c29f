// SPDX-License-Identifier: Apache-2.0
// folder.hpp — results to disk: all files of a run or none.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fwa::program {

/// Gathers files beside their places; publish() moves them there all at once. Without it, and where it throws, the folder is as it was,
/// and gone again if it was made for this.
class results_folder {
 public:
  /// @throws std::exception where nothing can be written
  explicit results_folder(std::filesystem::path folder);
  results_folder(results_folder const&) = delete;
  results_folder& operator=(results_folder const&) = delete;
  ~results_folder();

  /// @param write called with the path of a new file   @throws std::exception for a name that was added before
  void add(std::string const& name, std::function<void(std::filesystem::path const&)> const& write);
  void add_text(std::string const& name, std::string const& content);

  /// @param others files of an earlier run to take away
  void publish(std::vector<std::string> const& others = {});

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace fwa::program
