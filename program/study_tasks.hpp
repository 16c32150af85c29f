// SPDX-License-Identifier: Apache-2.0
// study_tasks.hpp — the experiments, as tasks that each yield rows of results.json.
//
//   tasks(data) ──run, several at a time──▶ rows ──place()──▶ results.json ──report──▶ report.html
#pragma once

#include "study_rules.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fwa::study {

using json = nlohmann::ordered_json;

struct task {
  std::string section;  ///< array of results.json that the result is appended to
  int data = -1;        ///< of which data set, or of none
  double cost = 1;      ///< expected seconds on one core
  double tokens = 0;    ///< that are read
  bool alone = false;   ///< measures time
  std::function<json()> work;
};

/// Sections of a data set: cells, reindexed, references, curves, drift, clamp. Of none: speed.
[[nodiscard]] std::vector<task> tasks(std::vector<dataset> const& data, bool quick);

/// A data set without results.
[[nodiscard]] json describe(dataset const&);

[[nodiscard]] inline char const* name_of(pairing p) { return p == pairing::shifted ? "shifted" : "same-step"; }
[[nodiscard]] inline char const* name_of(timing t) { return t == timing::read_after_write ? "read-after-write" : "read-before-write"; }

}  // namespace fwa::study
