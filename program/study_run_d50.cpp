// SPDX-License-Identifier: Apache-2.0
#include "readers.hpp"
#include "study_run.hpp"

#include <fwa/number/digits.hpp>

FWA_READERS(extern, fwa::digits_50)

namespace fwa::study {
run run_d50(trial const& t) { return run_as<digits_50>(t); }
}  // namespace fwa::study
