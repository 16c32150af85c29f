// SPDX-License-Identifier: Apache-2.0
// folder.hpp — results to disk: all files of a run or none.
#pragma once

#include <xtensor/xarray.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fwa::program {

enum class dtype { f8, f4 };

/// Puts NAME.npy for each array into `folder`, made where it is missing, and takes away those of `others` that an earlier run left.
/// @throws std::exception with the folder as it was before
void publish(std::filesystem::path const& folder, std::vector<std::pair<std::string, xt::xarray<double>>> const& arrays, dtype as,
             std::vector<std::string> const& others);

}  // namespace fwa::program
