// SPDX-License-Identifier: Apache-2.0
#include "study_run.hpp"

#include <fwa/number/digits.hpp>

namespace fwa::study {
run run_d50(trial const& t) { return run_as<digits_50>(t); }
}  // namespace fwa::study
