// SPDX-License-Identifier: Apache-2.0
#include "readers.hpp"
#include "study_run.hpp"

FWA_READERS(extern, Eigen::bfloat16)

namespace fwa::study {
run run_bf16(trial const& t) { return run_as<Eigen::bfloat16>(t); }
}  // namespace fwa::study
