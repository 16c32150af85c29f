// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "report_sections.hpp"

#include <algorithm>
#include <sstream>

namespace fwa::study {
namespace {

// How it was done.

std::string method(std::vector<view_of_data> const& all) {
  double reindexed = 0;
  for (view_of_data const& v : all)
    for (json const& row : v.raw().at("reindexed")) reindexed = std::max(reindexed, number_in(row, "difference"));
  strings const text = {
      "A token is a character of a text or a sample of a signal. Once token t is known, the key k_t is a function of tokens up to t: of a "
      "text, blocks of fixed random signs for the last 1, 2, 3 and 4 "
      "characters; of a signal, a constant and the last samples, centred and scaled by the mean and deviation of the prefix. The value v_t "
      "is the token itself: one-hot, or the sample. Queries are the keys.",
      "Every cell answers the same question with the same query: o_t, read with k_t, predicts v_(t+1). What differs is the memory. "
      "Shifted, read after write: S_t holds the pairs (k_0, v_1) … (k_(t−1), v_t). "
      "Shifted, read before write: S_(t−1), the same without the newest pair. Same-step, read after write: S_t holds (k_1, v_1) … (k_t, "
      "v_t), each value under a key that already contains it, so it learns to repeat. "
      "Same-step, read before write: the same without the newest. All four use tokens up to t only.",
      "Reading before the write with the key of the prefix, S_(t−1) with k_(t−1), is the shifted, read-after-write cell with its tokens "
      "renumbered and not a fifth cell: over the rules, the largest difference between the two is " +
          shown(reindexed) + ".",
      "What must not count: S_t read with k_(t−1) and compared with v_t. The memory has just written v_t under that very feature, so the "
      "reading is recall. The column \"read back\" shows how good that looks; no prediction here is made so.",
      "Settings are chosen for each rule and each cell by itself, from the same small grids, by the loss on the prefix (a quarter of the "
      "tokens, at most 4,096); losses are of the tokens after it, while the memory goes on learning. "
      "Grids: Falcon β in 0.03, 0.1, 0.3, 1 and scale-coupled λ in 0, 0.001, 0.01, 0.1; then windows 2, 8 beside 4; then per-column gains "
      "β_j ∝ (mean of v_j² on the prefix)^tilt, tilt in −0.25, 0, 0.25. "
      "DeltaNet's step is a number from 0.03 to 1 over the largest ‖k‖² of the prefix, so on a signal it is LMS where Falcon-1 is NLMS; "
      "its gate, and the decays of RetNet and Mamba-2, come from grids from 0.0003 to 0.1; Mamba-2's Δ_t is the "
      "change of the key. The exact ridge solution's λ is a power of ten from 0.0001 to 10,000. Linear attention has nothing to choose, "
      "with its denominator (linear-attention/z) elu+1 or relu features.",
      "Text: p_j = 0.95 max(o_j, 0)/Σ max(o_i, 0) + 0.05/A over A characters, the loss is the mean of −log2 p; bigram counts go through "
      "the same rule. Signal: squared error over the variance of the scored values, "
      "after one factor a for a whole run, fitted on the prefix, because inner-product rules leave the scale of o open. All predictions "
      "were computed in double precision.",
      "A signal with one column has one value column, so rules 2 and 23 are rules 1 and 3 there.",
      "Nothing here is trained: queries and keys are the same fixed features. A trained model chooses its own projections, and may do "
      "better or worse in any cell."};
  std::string out;
  for (std::string const& t : text) out += paragraph(t);
  return out;
}

std::vector<view_of_data> views(json const& results) {
  std::vector<view_of_data> out;
  for (json const& d : results.at("data")) out.emplace_back(d);
  return out;
}

char const* const page_style =
    "body{margin:0 auto;max-width:1180px;padding:16px;background:var(--paper);color:var(--ink);font:16px/1.5 "
    "system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
    "h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2.2em;border-top:1px solid "
    "var(--faint);padding-top:1em}p{max-width:75ch}.answer{font-weight:500}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:24px}figure{margin:0;min-width:0}.plot{"
    "width:100%;height:auto;display:block}"
    "figcaption{font-size:.85rem;margin:4px 0 8px}"
    // A shadow at each side that can still be scrolled to: the covers move with the table, the shadows stay.
    ".scroll{overflow-x:auto;border:1px solid var(--faint);border-radius:6px;margin:12px 0;"
    "background:linear-gradient(to right,var(--paper) 40%,transparent) left/40px 100% no-repeat local,"
    "linear-gradient(to left,var(--paper) 40%,transparent) right/40px 100% no-repeat local,"
    "linear-gradient(to right,var(--shadow),transparent) left/16px 100% no-repeat scroll,"
    "linear-gradient(to left,var(--shadow),transparent) right/16px 100% no-repeat scroll}"
    "table{border-collapse:collapse;font-size:.8rem;width:100%}caption{text-align:left;font-weight:600;padding:5px 9px}"
    "th,td{padding:3px 9px;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}tr>:first-child{text-align:left}"
    ".text{text-align:left;white-space:normal;min-width:9em}thead th{border-bottom:1px solid "
    "var(--ink);white-space:normal;vertical-align:bottom}"
    "tbody tr:nth-child(even){background:var(--stripe)}tbody th{font-weight:500}.small{font-size:.85rem}"
    ":root{--stripe:rgb(120 135 150/.14);--shadow:rgb(40 60 90/.5)}"
    "@media(prefers-color-scheme:dark){:root{--shadow:rgb(150 180 220/.5)}}";

}  // namespace

std::vector<std::pair<std::string, std::string>> report_plots(json const& results) {
  std::vector<std::pair<std::string, std::string>> out;
  for (view_of_data const& v : views(results)) {
    std::string name = v.name();
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == ' ' || c == '.'; }, '-');
    if (std::ranges::any_of(out, [&](auto const& plot) { return plot.first == "cells-" + name + ".svg"; }))
      name += '-' + std::to_string(out.size() / 3 + 1);  // of two data sets with one name
    out.emplace_back("cells-" + name + ".svg", standalone(svg(cells_plot(v))));
    out.emplace_back("curve-" + name + ".svg", standalone(svg(curve_plot(v))));
    out.emplace_back("drift-" + name + ".svg", standalone(svg(drift_plot(v, "falcon-1"))));
  }
  return out;
}

std::string report_html(json const& results) {
  std::vector<view_of_data> const all = views(results);
  std::ostringstream out;
  out << "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>Fast weight attention on real data</title><style>"
      << plot_style() << page_style << "</style></head><body><h1>Fast weight attention on real data</h1>"
      << paragraph(
             "Memories that learn while they read: after each token, which update rule predicts the next one best, how exact are its "
             "forms, and how fast? Every measured number below is also in results.json; medians and counts are taken from them.");
  std::vector<strings> sources;
  for (view_of_data const& v : all)
    sources.push_back({v.name(), v.raw().at("source"), shown(number_in(v.raw(), "tokens"), 6), shown(number_in(v.raw(), "dx")),
                       shown(number_in(v.raw(), "dv")), shown(number_in(v.raw(), "prefix"), 6)});
  out << table("", {"data", "source", "tokens", "dx", "dv", "prefix"}, sources, 2);

  auto per_data = [&](auto&& plot, auto&& caption, auto&& tables) {
    out << "<div class=\"pair\">";
    for (view_of_data const& v : all) out << figure(svg(plot(v)), caption(v));
    out << "</div>";
    for (view_of_data const& v : all) out << tables(v);
  };
  auto always = [](char const* caption) { return [caption](view_of_data const&) { return caption; }; };
  std::string const plain = paragraph(plain_words(results.at("speed")));
  out << "<h2>Does next-latent pairing predict better than same-step pairing?</h2>";
  for (view_of_data const& v : all) out << paragraph(cells_answer(v), "answer") << (v.text() ? paragraph(text_answer(v), "answer") : "");
  per_data(cells_plot, cells_caption, cells_tables);
  out << "<h2>How far from the exact ridge solution, and from a plain baseline?</h2>";
  for (view_of_data const& v : all) out << paragraph(references_answer(v), "answer");
  per_data(
      curve_plot,
      always("Loss in 24 equal parts of the sequence, shifted pairs, read after write; of a signal, over the variance within the part. "
             "Read back is recall of what was just written, shown to be recognised and not counted."),
      references_table);
  out << "<h2>How do f32 and bf16 drift from 50 digits?</h2>";
  for (view_of_data const& v : all) out << paragraph(drift_answer(v), "answer");
  out << plain;
  for (char const* rule : {"falcon-1", "falcon-3a"})
    per_data(
        [rule](view_of_data const& v) { return drift_plot(v, rule); },
        always("Root mean square error over root mean square of o, in 16 parts. A text is read with its eight most frequent "
               "characters as value columns, which changes no column; masked and chunk scan read at most 1,024 tokens. –: not read this "
               "far, or not finite."),
        [rule](view_of_data const& v) { return rule == std::string("falcon-1") ? drift_table(v) : lines_table(drift_plot(v, rule)); });
  out << "<h2>How far do the forms disagree?</h2>" << paragraph(forms_answer(all), "answer") << plain;
  per_data(forms_plot,
           always("Largest difference of any output, over the largest output, in units of the format's rounding u. A form that agrees in "
                  "every bit has no dot. –: not finite."),
           [](view_of_data const& v) { return dots_table(forms_plot(v)); });
  out << "<h2>How often does the clamp act?</h2>" << paragraph(clamp_answer(all), "answer");
  per_data(clamp_plot, always("Share of the steps that the decay floor changes; Falcon-1, absolute ridge, decay floor 1e-6."),
           [](view_of_data const& v) { return lines_table(clamp_plot(v)); });
  out << "<h2>How fast is each form?</h2>" << paragraph(speed_answer(results), "answer") << plain << "<div class=\"pair\">";
  for (char const* number : {"f64", "f32"})
    out << figure(svg(speed_plot(results, number)), "One head, one core, alignment and step included.");
  out << "</div>" << speed_table(results) << "<h2>How it was done</h2>" << method(all)
      << paragraph("Compiler: " + results.at("machine").at("compiler").get<std::string>() + "; the study took " +
                       shown(number_in(results, "seconds")) + " s.",
                   "small")
      << "</body></html>\n";
  return out.str();
}

}  // namespace fwa::study
