// SPDX-License-Identifier: Apache-2.0
// host_device.hpp — marks what the device runs as well as the host.
#pragma once

#ifdef __CUDACC__
#define FWA_HOST_DEVICE __host__ __device__
#else
#define FWA_HOST_DEVICE
#endif
