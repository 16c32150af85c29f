// SPDX-License-Identifier: Apache-2.0
// report_sections.hpp — the six questions of the report: for each an answer in words, a plot and a table.
#pragma once

#include "report_parts.hpp"

namespace fwa::study {

// Does next-latent pairing predict better?
[[nodiscard]] std::string cells_answer(view_of_data const& v);
/// What bits hide: against guessing uniformly, by accuracy, and which rules are one.
[[nodiscard]] std::string text_answer(view_of_data const& v);
[[nodiscard]] dot_plot cells_plot(view_of_data const& v);
[[nodiscard]] std::string cells_caption(view_of_data const& v);
[[nodiscard]] std::string cells_tables(view_of_data const& v);

// How far from the exact ridge solution, and from a plain baseline?
[[nodiscard]] std::string references_answer(view_of_data const& v);
[[nodiscard]] line_plot curve_plot(view_of_data const& v);
[[nodiscard]] std::string references_table(view_of_data const& v);

/// The setting that drift, agreement and speed use.   @param rows of any of these, one a rule
[[nodiscard]] std::string plain_words(json const& rows);

// How do f32 and bf16 drift from 50 digits?
[[nodiscard]] std::string drift_answer(view_of_data const& v);
[[nodiscard]] line_plot drift_plot(view_of_data const& v, std::string const& rule);
[[nodiscard]] std::string drift_table(view_of_data const& v);

// How far do the forms disagree?
[[nodiscard]] std::string forms_answer(std::vector<view_of_data> const& all);
[[nodiscard]] dot_plot forms_plot(view_of_data const& v);

// How often does the clamp act?
[[nodiscard]] std::string clamp_answer(std::vector<view_of_data> const& all);
[[nodiscard]] line_plot clamp_plot(view_of_data const& v);

// How fast is each form?
[[nodiscard]] std::string speed_answer(json const& results);
[[nodiscard]] dot_plot speed_plot(json const& results, char const* number);
[[nodiscard]] std::string speed_table(json const& results);

// The numbers of a plot.
[[nodiscard]] std::string dots_table(dot_plot const& p);
[[nodiscard]] std::string lines_table(line_plot const& p);

}  // namespace fwa::study
