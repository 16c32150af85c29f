// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "report_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

namespace fwa::study {
namespace {

using json = nlohmann::ordered_json;
using strings = std::vector<std::string>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
char const* const cell_names[] = {"shifted, read after write", "shifted, read before write", "same-step, read after write",
                                  "same-step, read before write"};
char const* const form_names[] = {"recurrent", "masked", "chunk", "chunk scan"};

double number_in(json const& j, char const* key) {
  auto const at = j.find(key);
  return at == j.end() || at->is_null() ? nan : at->get<double>();
}

std::vector<double> numbers(json const& array) {
  std::vector<double> out;
  for (json const& x : array) out.push_back(x.is_null() ? nan : x.get<double>());
  return out;
}

double median(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return nan;
  std::ranges::sort(values);
  std::size_t const n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::string words_of(json const& setting) {
  std::string out;
  for (auto const& [key, value] : setting.items())
    out += (out.empty() ? "" : ", ") + key + ' ' + (value.is_number() ? shown(value.get<double>()) : value.get<std::string>());
  return out.empty() ? "nothing to choose" : out;
}

/// A table; the first column is text, the rest numbers.
std::string table(strings const& head, std::vector<strings> const& rows) {
  std::ostringstream out;
  out << "<div class=\"scroll\"><table><thead><tr>";
  for (std::string const& h : head) out << "<th>" << escaped(h) << "</th>";
  out << "</tr></thead><tbody>";
  for (strings const& r : rows) {
    out << "<tr>";
    for (std::size_t i = 0; i < r.size(); ++i)
      out << (i == 0 ? "<th scope=\"row\">" : "<td>") << escaped(r[i]) << (i == 0 ? "</th>" : "</td>");
    out << "</tr>";
  }
  out << "</tbody></table></div>";
  return out.str();
}

std::string paragraph(std::string const& text, char const* kind = "") {
  return std::string("<p class=\"") + kind + "\">" + escaped(text) + "</p>";
}

std::string figure(std::string const& plot, std::string const& caption, std::string const& numbers_table) {
  return "<figure>" + plot + "<figcaption>" + escaped(caption) + "</figcaption>" + numbers_table + "</figure>";
}

/// One data set of results.json, by rule.
class view_of_data {
 public:
  explicit view_of_data(json const& d) : d_(d) {
    for (json const& c : d.at("cells")) {
      std::string const rule = c.at("rule");
      if (std::ranges::find(rules_, rule) == rules_.end()) rules_.push_back(rule);
    }
  }

  [[nodiscard]] json const& raw() const { return d_; }
  [[nodiscard]] bool text() const { return d_.at("kind") == "text"; }
  [[nodiscard]] std::string name() const { return d_.at("name"); }
  [[nodiscard]] std::string unit() const { return text() ? "bits per character" : "dB"; }
  [[nodiscard]] strings const& rules() const { return rules_; }
  [[nodiscard]] json const& cell(std::size_t rule, std::size_t cell) const { return d_.at("cells")[rule * 4 + cell]; }
  [[nodiscard]] double loss(std::size_t rule, std::size_t c) const { return number_in(cell(rule, c), "loss"); }
  [[nodiscard]] json const& reference(std::size_t i) const { return d_.at("references")[i]; }  // exact ridge, plain baseline
  [[nodiscard]] double reference_loss(std::size_t i) const { return number_in(reference(i), "loss"); }
  [[nodiscard]] std::string reference_name(std::size_t i) const { return reference(i).at("name"); }

 private:
  json const& d_;
  strings rules_;
};

// 1. The four cells.

std::string cells_answer(view_of_data const& v) {
  std::size_t better = 0, best_is_shifted = 0, n = v.rules().size();
  std::vector<double> gap, late;
  for (std::size_t r = 0; r < n; ++r) {
    better += v.loss(r, 0) < v.loss(r, 2);
    gap.push_back(v.loss(r, 2) - v.loss(r, 0));
    late.push_back(v.loss(r, 1) - v.loss(r, 0));
    std::size_t best = 0;
    for (std::size_t c = 1; c < 4; ++c)
      if (v.loss(r, c) < v.loss(r, best)) best = c;
    best_is_shifted += best == 0;
  }
  double const m = median(gap), l = median(late);
  return "On " + v.name() + ", next-latent pairs read after the write predict better than same-step pairs read after the write for " +
         std::to_string(better) + " of " + std::to_string(n) + " rules; the median rule is " + shown(std::abs(m)) + ' ' + v.unit() +
         (m > 0 ? " better" : " worse") + " with them. They are the best of all four cells for " + std::to_string(best_is_shifted) +
         " of the rules. Reading a memory that lacks the newest write (shifted, read before write) " + (l > 0 ? "costs " : "gains ") +
         shown(std::abs(l)) + ' ' + v.unit() + " in the median.";
}

dot_plot cells_plot(view_of_data const& v) {
  dot_plot p{"Online prediction, " + v.name(),
             {v.text() ? "bits per character (less is better)" : "normalised squared error, dB (less is better)", false},
             v.rules(),
             {},
             {},
             1e300};
  for (std::size_t c = 0; c < 4; ++c) {
    p.dots.push_back({cell_names[c], {}, {}});
    for (std::size_t r = 0; r < v.rules().size(); ++r) p.dots.back().x.push_back(v.loss(r, c));
  }
  for (std::size_t i = 0; i < 2; ++i) p.lines.push_back({v.reference_name(i), {v.reference_loss(i)}, {}});
  if (!v.text()) p.most = 3;
  return p;
}

std::string cells_table(view_of_data const& v) {
  std::vector<strings> rows;
  for (std::size_t r = 0; r < v.rules().size(); ++r) {
    strings row = {v.rules()[r]};
    for (std::size_t c = 0; c < 4; ++c) row.push_back(shown(v.loss(r, c), 4));
    row.push_back(words_of(v.cell(r, 0).at("setting")));
    rows.push_back(row);
  }
  return table({"rule, " + v.unit(), "shifted, RAW", "shifted, RBW", "same-step, RAW", "same-step, RBW", "chosen for shifted, RAW"}, rows);
}

// 2. The exact solution and a plain baseline.

std::string references_answer(view_of_data const& v) {
  std::size_t best = 0, beat_plain = 0, beat_ridge = 0;
  for (std::size_t r = 0; r < v.rules().size(); ++r) {
    if (v.loss(r, 0) < v.loss(best, 0)) best = r;
    beat_plain += v.loss(r, 0) < v.reference_loss(1);
    beat_ridge += v.loss(r, 0) < v.reference_loss(0);
  }
  double const gap = v.loss(best, 0) - v.reference_loss(0);
  std::string const n = std::to_string(v.rules().size());
  std::string accuracy;
  if (v.text()) {
    auto percent = [](json const& j) { return shown(100 * number_in(j, "accuracy")) + " %"; };
    accuracy = " Counted by the share of characters that are guessed right, which needs no rule for probabilities, " + v.rules()[best] +
               " reaches " + percent(v.cell(best, 0)) + ", the exact ridge solution " + percent(v.reference(0)) + " and the baseline " +
               percent(v.reference(1)) + ".";
  }
  return "On " + v.name() + ", of the shifted, read-after-write memories " + v.rules()[best] + " predicts best (" +
         shown(v.loss(best, 0), 4) + ' ' + v.unit() + "), " + shown(std::abs(gap)) + ' ' + v.unit() + (gap > 0 ? " behind" : " ahead of") +
         " the exact ridge solution (" + shown(v.reference_loss(0), 4) + "), which solves for all pairs so far at every token; " +
         std::to_string(beat_ridge) + " of " + n + " rules do better than it. " + std::to_string(beat_plain) + " of " + n +
         " do better than the plain baseline, " + v.reference_name(1) + " (" + shown(v.reference_loss(1), 4) + ")." + accuracy;
}

line_plot curve_plot(view_of_data const& v) {
  line_plot p{"Loss along the sequence, " + v.name(),
              {"token", false},
              {v.text() ? "bits per character" : "normalised squared error, dB", false},
              {}};
  std::vector<double> const t = numbers(v.raw().at("curve_t"));
  for (std::size_t r = 0; r < v.rules().size(); ++r)
    if (strings const some = {"falcon-1", "falcon-3", "falcon-1a", "gated-delta-net"}; std::ranges::find(some, v.rules()[r]) != some.end())
      p.lines.push_back({v.rules()[r], t, numbers(v.cell(r, 0).at("curve"))});
  for (std::size_t i = 0; i < 2; ++i) p.lines.push_back({v.reference_name(i), t, numbers(v.reference(i).at("curve"))});
  return p;
}

std::string references_table(view_of_data const& v) {
  std::vector<strings> rows;
  auto add = [&](std::string const& name, json const& j) {
    strings row = {name, shown(number_in(j, "loss"), 4), shown(number_in(j, "loss") - v.reference_loss(0)),
                   shown(number_in(j, "loss") - v.reference_loss(1))};
    if (v.text()) {
      row.push_back(shown(100 * number_in(j, "accuracy")));
      row.push_back(shown(number_in(j, "mrr")));
    } else {
      row.push_back(shown(number_in(j, "nmse")));
    }
    row.push_back(j.contains("read_back") ? shown(number_in(j.at("read_back"), "loss"), 4) : "");
    rows.push_back(row);
  };
  for (std::size_t i = 0; i < 2; ++i) add(v.reference_name(i), v.reference(i));
  for (std::size_t r = 0; r < v.rules().size(); ++r) add(v.rules()[r], v.cell(r, 0));
  strings head = {"shifted, read after write", v.unit(), "to exact ridge", "to " + v.reference_name(1)};
  if (v.text())
    head.insert(head.end(), {"accuracy, %", "mean 1/rank"});
  else
    head.push_back("error / variance");
  head.push_back("read back (not prediction)");
  return table(head, rows);
}

// 3. Drift.

std::vector<double> drift_of(json const& row, char const* number, char const* form) { return numbers(row.at(number).at(form).at("error")); }

double last_finite(std::vector<double> const& values) {
  for (auto it = values.rbegin(); it != values.rend(); ++it)
    if (std::isfinite(*it)) return *it;
  return nan;
}

std::string drift_answer(view_of_data const& v) {
  std::string out =
      "On " + v.name() + ", over " + shown(number_in(v.raw().at("drift")[0], "tokens"), 5) + " tokens of the recurrent form: ";
  for (auto const& [number, text] : {std::pair("f32", "binary32"), std::pair("bf16", "bfloat16 tokens with a binary32 memory")}) {
    std::vector<double> final, growth;
    for (json const& row : v.raw().at("drift")) {
      std::vector<double> const e = drift_of(row, number, "recurrent");
      final.push_back(last_finite(e));
      growth.push_back(last_finite(e) / e.front());
    }
    double const most = *std::ranges::max_element(final, {}, [](double x) { return std::isfinite(x) ? x : -1; });
    out += std::string(text) + " ends with a relative error of " + shown(median(final), 2) + " in the median rule and " + shown(most, 2) +
           " in the worst, " + shown(median(growth), 2) + " times that of the first sixteenth (median)" +
           (number == std::string("f32") ? "; " : ". ");
  }
  return out +
         "The 50-digit recurrence with the numbers as double precision holds them is the truth; rounding the tokens to the format counts "
         "as error.";
}

line_plot drift_plot(view_of_data const& v, std::string const& rule) {
  line_plot p{"Error against 50 digits, " + rule + ", " + v.name(), {"token", false}, {"relative error of o", true}, {}};
  for (json const& row : v.raw().at("drift"))
    if (row.at("rule") == rule)
      for (char const* number : {"f32", "bf16"})
        for (char const* form : form_names) {
          std::vector<double> const y = drift_of(row, number, form), t = numbers(row.at("t"));
          p.lines.push_back({std::string(number) + ' ' + form, {t.begin(), t.begin() + static_cast<std::ptrdiff_t>(y.size())}, y});
        }
  return p;
}

std::string drift_table(view_of_data const& v) {
  std::vector<strings> rows;
  for (json const& row : v.raw().at("drift")) {
    strings r = {row.at("rule")};
    for (char const* number : {"f32", "bf16"})
      for (char const* form : form_names) r.push_back(shown(last_finite(drift_of(row, number, form)), 2));
    rows.push_back(r);
  }
  strings head = {"relative error at the end"};
  for (char const* number : {"f32 ", "bf16 "})
    for (char const* form : form_names) head.push_back(std::string(number) + form);
  return table(head, rows);
}

// 4. Agreement of the forms.

std::string forms_answer(std::vector<view_of_data> const& all) {
  std::string out = "They are one map, so only rounding can tell them apart. ";
  for (auto const& [number, text] : {std::pair("f64", "double precision (u = 2^-53)"), std::pair("f32", "binary32 (u = 2^-24)")}) {
    double most = 0;
    std::string where;
    for (view_of_data const& v : all)
      for (json const& row : v.raw().at("drift"))
        for (char const* form : form_names)
          if (double const x = number_in(row.at(number).at(form), "apart"); x > most) {
            most = x;
            where = row.at("rule").get<std::string>() + ", " + form + ", " + v.name();
          }
    out += std::string("In ") + text + " the largest difference from the recurrent form is " + shown(most) + " u of the largest output (" +
           where + "). ";
  }
  return out;
}

dot_plot forms_plot(view_of_data const& v) {
  dot_plot p{"Forms against the recurrent form, " + v.name(), {"largest difference, units of u · max|o|", true}, v.rules(), {}, {}, 1e300};
  for (char const* number : {"f64", "f32"})
    for (char const* form : {"masked", "chunk", "chunk scan"}) {
      p.dots.push_back({std::string(number) + ' ' + form, {}, {}});
      for (json const& row : v.raw().at("drift")) p.dots.back().x.push_back(number_in(row.at(number).at(form), "apart"));
    }
  return p;
}

std::string dots_table(dot_plot const& p, std::string const& head) {
  strings names = {head};
  for (series const& s : p.dots) names.push_back(s.name);
  std::vector<strings> rows;
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    rows.push_back({p.rows[r]});
    for (series const& s : p.dots) rows.back().push_back(shown(s.x[r]));
  }
  return table(names, rows);
}

// 5. The clamp.

std::string clamp_answer(std::vector<view_of_data> const& all) {
  double most = 0;
  std::string where = "none";
  for (view_of_data const& v : all)
    for (json const& c : v.raw().at("cells"))
      if (double const x = number_in(c, "clamped"); x > most) {
        most = x;
        where = c.at("rule").get<std::string>() + " on " + v.name();
      }
  return (most == 0 ? std::string("With the settings chosen above, never.")
                    : "With the settings chosen above, on at most " + shown(100 * most) + " % of the steps (" + where + ").") +
         " It cannot act while 1 − β is above the decay floor, whatever the ridge, because 1 − ηλ ≥ 1 − β. For β above 1 it acts once the "
         "ridge passes about E/(β − 1): the plots let an absolute ridge grow past "
         "the mean energy of the keys. Keys of one length are clamped all at once, keys of many lengths one by one.";
}

line_plot clamp_plot(view_of_data const& v) {
  line_plot p{"Steps that the clamp changes, Falcon-1, " + v.name(),
              {"ridge λ over mean energy of the keys", true},
              {"fraction of the steps", false},
              {}};
  for (json const& c : v.raw().at("clamp"))
    p.lines.push_back({"β = " + shown(number_in(c, "beta")), numbers(c.at("ratio")), numbers(c.at("fraction"))});
  return p;
}

std::string lines_table(line_plot const& p) {
  strings head = {p.x.label};
  for (series const& s : p.lines) head.push_back(s.name);
  std::vector<strings> rows;
  for (std::size_t i = 0; i < p.lines.front().x.size(); ++i) {
    rows.push_back({shown(p.lines.front().x[i])});
    for (series const& s : p.lines) rows.back().push_back(i < s.y.size() ? shown(s.y[i]) : "");
  }
  return table(head, rows);
}

// 6. Speed.

double speed(json const& row, char const* number, char const* form) { return number_in(row.at(number), form); }

std::string speed_answer(json const& results) {
  std::string out = "Against the recurrent form of the same rule and number, in the median rule: ";
  for (char const* number : {"f64", "f32"})
    for (char const* form : {"masked", "chunk", "chunk scan"}) {
      std::vector<double> ratios;
      for (json const& row : results.at("speed")) ratios.push_back(speed(row, number, form) / speed(row, number, "recurrent"));
      out += std::string(number) + ' ' + form + ' ' + shown(median(ratios), 2) +
             (number == std::string("f32") && form == std::string("chunk scan") ? ". " : ", ");
    }
  json const& row = results.at("speed")[0];
  return out + "One core of " + results.at("machine").at("processor").get<std::string>() + ", " +
         results.at("machine").at("vectors").get<std::string>() + ", keys of " + shown(number_in(row, "dx")) + " and values of " +
         shown(number_in(row, "dv")) + " numbers, medians of " + shown(number_in(row, "repeats")) +
         " reads of 1,024 tokens (masked: 512, its cost grows with the length). A dense map a value column makes the scan of per-column "
         "regression pointless here; it is left out.";
}

dot_plot speed_plot(json const& results, char const* number) {
  dot_plot p{std::string("Tokens per second over the recurrent form's, ") + number, {"ratio (more is faster)", true}, {}, {}, {}, 1e300};
  for (json const& row : results.at("speed")) p.rows.push_back(row.at("rule"));
  for (char const* form : {"masked", "chunk", "chunk scan"}) {
    p.dots.push_back({form, {}, {}});
    for (json const& row : results.at("speed")) p.dots.back().x.push_back(speed(row, number, form) / speed(row, number, "recurrent"));
  }
  p.lines.push_back({"recurrent", {1}, {}});
  return p;
}

std::string speed_table(json const& results, char const* number) {
  std::vector<strings> rows;
  for (json const& row : results.at("speed")) {
    rows.push_back({row.at("rule")});
    for (char const* form : form_names) rows.back().push_back(shown(speed(row, number, form), 3));
  }
  return table({"tokens per second", "recurrent", "masked", "chunk", "chunk scan"}, rows);
}

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
      "change of the key. Linear attention has nothing to choose, with its denominator (linear-attention/z) elu+1 or relu features.",
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
    "figcaption{font-size:.85rem;margin:4px 0 8px}.scroll{overflow-x:auto;border:1px solid "
    "var(--faint);border-radius:6px}table{border-collapse:collapse;font-size:.8rem;width:100%}"
    "th,td{padding:3px 9px;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}tr>:first-child{text-align:left}thead "
    "th{border-bottom:1px solid var(--ink);text-align:right}"
    "tbody tr:nth-child(even){background:var(--faint)}tbody th{font-weight:500}.small{font-size:.85rem}";

}  // namespace

std::vector<std::pair<std::string, std::string>> report_plots(json const& results) {
  std::vector<std::pair<std::string, std::string>> out;
  for (view_of_data const& v : views(results)) {
    std::string name = v.name();
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == ' ' || c == '.'; }, '-');
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
             "forms, and how fast? Every number below is also in results.json.");
  std::vector<strings> sources;
  for (view_of_data const& v : all)
    sources.push_back({v.name(), v.raw().at("source"), shown(number_in(v.raw(), "tokens"), 6), shown(number_in(v.raw(), "dx")),
                       shown(number_in(v.raw(), "dv")), shown(number_in(v.raw(), "prefix"), 6)});
  out << table({"data", "source", "tokens", "dx", "dv", "prefix"}, sources);

  auto per_data = [&](auto&& plot, auto&& numbers_table, std::string const& caption) {
    out << "<div class=\"pair\">";
    for (view_of_data const& v : all) out << figure(svg(plot(v)), caption, numbers_table(v));
    out << "</div>";
  };
  out << "<h2>Does next-latent pairing predict better than same-step pairing?</h2>";
  for (view_of_data const& v : all) out << paragraph(cells_answer(v), "answer");
  per_data(cells_plot, cells_table,
           "Loss on the tokens after the prefix, each rule and cell with settings of its own. Upright lines: the exact ridge solution and "
           "the plain baseline. Losses of a signal above 3 dB stand at the right edge.");
  out << "<h2>How far from the exact ridge solution, and from a plain baseline?</h2>";
  for (view_of_data const& v : all) out << paragraph(references_answer(v), "answer");
  per_data(curve_plot, references_table,
           "Loss in 24 equal parts of the sequence, shifted pairs, read after write; of a signal, over the variance within the part. Read "
           "back is recall of what was just written, shown to be recognised and not counted.");
  out << "<h2>How do f32 and bf16 drift from 50 digits?</h2>";
  for (view_of_data const& v : all) out << paragraph(drift_answer(v), "answer");
  for (char const* rule : {"falcon-1", "falcon-3a"})
    per_data([rule](view_of_data const& v) { return drift_plot(v, rule); },
             [rule](view_of_data const& v) { return rule == std::string("falcon-1") ? drift_table(v) : lines_table(drift_plot(v, rule)); },
             "Root mean square error over root mean square of o, in 16 parts. A text is read with its eight most frequent characters as "
             "value columns, which changes no column; masked and chunk scan read at most 1,024 tokens.");
  out << "<h2>How far do the forms disagree?</h2>" << paragraph(forms_answer(all), "answer");
  per_data(
      forms_plot, [](view_of_data const& v) { return dots_table(forms_plot(v), "units of u"); },
      "Largest difference of any output, over the largest output, in units of the format's rounding u. A form that agrees in every bit has "
      "no dot.");
  out << "<h2>How often does the clamp act?</h2>" << paragraph(clamp_answer(all), "answer");
  per_data(
      clamp_plot, [](view_of_data const& v) { return lines_table(clamp_plot(v)); }, "Falcon-1 with an absolute ridge; decay floor 1e-6.");
  out << "<h2>How fast is each form?</h2>" << paragraph(speed_answer(results), "answer") << "<div class=\"pair\">";
  for (char const* number : {"f64", "f32"})
    out << figure(svg(speed_plot(results, number)), "One head, one core, alignment and step included.", speed_table(results, number));
  out << "</div><h2>How it was done</h2>" << method(all)
      << paragraph(
             "Compiler " + results.at("machine").at("compiler").get<std::string>() + ", " + shown(number_in(results, "seconds")) + " s.",
             "small")
      << "</body></html>\n";
  return out.str();
}

}  // namespace fwa::study
