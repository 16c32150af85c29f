// SPDX-License-Identifier: Apache-2.0
// device_instances.cuh — the device over one storage format, compiled once, in device_*.cu.
#pragma once

#include <fwa/device/attend.cuh>

#define FWA_DEVICE_INSTANCES(T)                                                                              \
  namespace fwa::device {                                                                                    \
  template std::size_t workspace_bytes<T>(rule const&, options const&, sizes const&, kernels);               \
  template void attend<T>(rule const&, options const&, sizes const&, call<T> const&, cudaStream_t, kernels); \
  }
