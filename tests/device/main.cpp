// SPDX-License-Identifier: Apache-2.0
// Tests of the device: without one they are skipped, and say so.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <iostream>

int main(int count, char** words) {
  int devices = 0;
  if (cudaError_t const answer = cudaGetDeviceCount(&devices); answer != cudaSuccess || devices == 0) {
    std::cout << "skipped: no CUDA device (" << (answer != cudaSuccess ? cudaGetErrorString(answer) : "none found") << ")\n";
    return 77;
  }
  return doctest::Context(count, words).run();
}
