// SPDX-License-Identifier: Apache-2.0
// apply.hpp — a problem in, results out, over one scalar; each scalar is compiled in a file of its own, apply_*.cpp.
#pragma once

#include "case.hpp"

#include <fwa/number/digits.hpp>

#include <Eigen/Core>

#include <string>
#include <utility>
#include <vector>

namespace fwa::program {

/// Arrays as they go to disk: [T, ·] for one head, [batch, T, head, ·] for a batch; rounded once to double.
struct results {
  std::vector<std::pair<std::string, xt::xarray<double>>> arrays;  ///< by file name
  std::size_t clamped = 0;                                         ///< steps whose decay was at its floor
};

template <class T>
[[nodiscard]] results apply(problem const& p);

/// The same on a CUDA device.   @throws contract_error; std::exception with the name of a call of CUDA that failed
template <class T>
[[nodiscard]] results apply_on_device(problem const& p);

/// Puts the arrays as NAME.npy into a folder, from which all that an earlier run left goes; all of it or nothing.
/// @param narrow float32 instead of float64   @throws std::exception where nothing can be written
void write(results const& found, std::string const& folder, bool narrow);

extern template results apply<double>(problem const&);
extern template results apply<float>(problem const&);
extern template results apply<long double>(problem const&);
extern template results apply<Eigen::half>(problem const&);
extern template results apply<Eigen::bfloat16>(problem const&);
extern template results apply<digits_50>(problem const&);

}  // namespace fwa::program
