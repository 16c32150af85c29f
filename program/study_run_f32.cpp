// SPDX-License-Identifier: Apache-2.0
#include "readers.hpp"
#include "study_run.hpp"

FWA_READERS(extern, float)

namespace fwa::study {
run run_f32(trial const& t) { return run_as<float>(t); }
double speed_f32(trial const& t, int repeats) { return speed_as<float>(t, repeats); }
}  // namespace fwa::study
