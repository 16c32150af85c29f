// SPDX-License-Identifier: Apache-2.0
#define FWA_FIELDS_INSTANCE template
#include "support/fields.hpp"
