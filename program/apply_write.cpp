// SPDX-License-Identifier: Apache-2.0
#include "apply.hpp"

#include "folder.hpp"

#include <fwa/batch/npy.hpp>

namespace fwa::program {

void write(results const& found, std::string const& folder, bool narrow) {
  results_folder files(folder);
  std::vector<std::string> others = {"o.npy", "s.npy", "eta.npy", "gamma.npy", "carry_x.npy", "tail_x.npy", "tail_v.npy", "z.npy"};
  for (auto const& [name, array] : found.arrays) {
    std::string const file = name + ".npy";
    files.add(file, [&, &numbers = array](std::filesystem::path const& path) {
      narrow ? write_npy<float>(path, xt::cast<float>(numbers)) : write_npy<double>(path, numbers);
    });
    std::erase(others, file);
  }
  files.publish(others);
}

}  // namespace fwa::program
