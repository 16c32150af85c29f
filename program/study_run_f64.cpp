// SPDX-License-Identifier: Apache-2.0
#include "readers.hpp"
#include "study_run.hpp"

FWA_READERS(extern, double)

namespace fwa::study {
run run_f64(trial const& t) { return run_as<double>(t); }
double speed_f64(trial const& t, int repeats) { return speed_as<double>(t, repeats); }
}  // namespace fwa::study
