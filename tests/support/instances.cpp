// SPDX-License-Identifier: Apache-2.0
#define FWA_TEST_INSTANCE template
#include "support/instances.hpp"
