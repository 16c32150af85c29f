// SPDX-License-Identifier: Apache-2.0
// device/error.cuh — what a CUDA call answers, as an exception.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace fwa::device {

/// A CUDA call that failed; what() names the call and says why.
struct cuda_error : std::runtime_error {
  cuda_error(char const* call, cudaError_t why)
      : std::runtime_error(std::string(call) + ": " + cudaGetErrorString(why) + " (" + cudaGetErrorName(why) + ")"), code(why) {}
  cudaError_t code;
};

/// Throws unless the call succeeded.
inline void succeed(cudaError_t answer, char const* call) {
  if (answer != cudaSuccess) throw cuda_error(call, answer);
}

/// After a launch.   @param kernel its name
inline void launched(char const* kernel) { succeed(cudaGetLastError(), kernel); }

}  // namespace fwa::device
