// SPDX-License-Identifier: Apache-2.0
#include "report_sections.hpp"

#include <utility>

namespace fwa::study {
namespace {

std::string shown_loss(double x) { return std::isfinite(x) ? shown(x, 4) : "diverges"; }

std::vector<double> drift_of(json const& row, char const* number, char const* form) { return numbers(row.at(number).at(form).at("error")); }

double last_finite(std::vector<double> const& values) {
  for (auto it = values.rbegin(); it != values.rend(); ++it)
    if (std::isfinite(*it)) return *it;
  return nan;
}

double speed(json const& row, char const* number, char const* form) { return number_in(row.at(number), form); }

}  // namespace

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
    for (std::size_t c = 0; c < 4; ++c) row.push_back(shown_loss(v.loss(r, c)));
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
    strings row = {name, shown_loss(number_in(j, "loss")), shown(number_in(j, "loss") - v.reference_loss(0)),
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

}  // namespace fwa::study
