// SPDX-License-Identifier: Apache-2.0
#define FWA_EXACT_INSTANCE template
#include "support/exact.hpp"
