// SPDX-License-Identifier: Apache-2.0
// report.hpp — results.json as one page: an answer in words, a plot and a table for each question.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace fwa::study {

/// Everything in one file: no scripts, nothing fetched.
[[nodiscard]] std::string report_html(nlohmann::ordered_json const& results);

/// The plots as files of their own: name and content.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> report_plots(nlohmann::ordered_json const& results);

}  // namespace fwa::study
