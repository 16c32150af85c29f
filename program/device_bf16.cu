// SPDX-License-Identifier: Apache-2.0
#include "device_instances.cuh"

FWA_DEVICE_INSTANCES(__nv_bfloat16)
