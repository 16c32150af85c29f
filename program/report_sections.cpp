// SPDX-License-Identifier: Apache-2.0
#include "report_sections.hpp"

#include <utility>

namespace fwa::study {
namespace {

std::string shown_loss(double x) { return std::isfinite(x) ? shown(x, 4) : "diverges"; }

std::vector<double> drift_of(json const& row, char const* number, char const* form) { return numbers(row.at(number).at(form).at("error")); }

double speed(json const& row, char const* number, char const* form) { return number_in(row.at(number), form); }

std::string percent(double part) { return shown(100 * part) + " %"; }

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

std::string text_answer(view_of_data const& v) {
  std::size_t const n = v.rules().size();
  std::size_t worse = 0, better = 0;
  std::vector<double> shifted, same_step;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c : {2, 3}) worse += !(v.loss(r, c) <= v.uniform());
    better += v.accuracy(r, 0) > v.accuracy(r, 2);
    shifted.push_back(v.accuracy(r, 0));
    same_step.push_back(v.accuracy(r, 2));
  }
  std::string const A = shown(number_in(v.raw(), "dv"));
  return "Guessing uniformly costs log2 " + A + " = " + shown(v.uniform(), 4) + " bits; " + std::to_string(worse) + " of " +
         std::to_string(2 * n) + " same-step cells cost more" +
         (worse > 0
              ? ", so the gap in bits depends on the probability rule, which leaves 0.05/" + A + " to a character that a memory excludes"
              : "") +
         ". By accuracy, which needs no such rule, next-latent pairs read after the write are better for " + std::to_string(better) +
         " of " + std::to_string(n) + " rules, " + percent(median(shifted)) + " against " + percent(median(same_step)) +
         " in the medians; always guessing the most frequent character of the prefix reaches " +
         percent(number_in(v.raw(), "most_frequent")) +
         ". All keys of a text have length 1, so DeltaNet is Falcon-1 without a ridge there, and so is gated DeltaNet where it chose no "
         "gate: with the same step their numbers are equal.";
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
  if (v.text())
    p.lines.push_back({v.uniform_name(), {v.uniform()}, {}});
  else
    p.most = 3;
  return p;
}

std::string cells_caption(view_of_data const& v) {
  return std::string("Loss on the tokens after the prefix, each rule and cell with settings of its own. Upright lines: ") +
         (v.text() ? "the exact ridge solution, the plain baseline and guessing uniformly."
                   : "the exact ridge solution and the plain baseline. Losses above 3 dB are drawn on the right edge with their value.") +
         " A rule that diverges has no dot.";
}

std::string cells_tables(view_of_data const& v) {
  auto of_cells = [&](std::string const& what, auto&& entry, std::size_t texts = 1) {
    std::vector<strings> rows;
    for (std::size_t r = 0; r < v.rules().size(); ++r) {
      rows.push_back({v.rules()[r]});
      for (std::size_t c = 0; c < 4; ++c) rows.back().push_back(entry(r, c));
    }
    strings head = {"rule"};
    head.insert(head.end(), std::begin(cell_names), std::end(cell_names));
    return table(v.name() + ", " + what, head, rows, texts);
  };
  return of_cells(v.unit(), [&](std::size_t r, std::size_t c) { return shown_loss(v.loss(r, c)); }) +
         (v.text() ? of_cells("accuracy, %", [&](std::size_t r, std::size_t c) { return shown(100 * v.accuracy(r, c)); }) : "") +
         of_cells(
             "chosen settings", [&](std::size_t r, std::size_t c) { return words_of(v.cell(r, c)); }, 5) +
         paragraph(note_on_ends, "small");
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
    auto accuracy_of = [](json const& j) { return percent(number_in(j, "accuracy")); };
    accuracy = " Counted by the share of characters that are guessed right, which needs no rule for probabilities, " + v.rules()[best] +
               " reaches " + accuracy_of(v.cell(best, 0)) + ", the exact ridge solution " + accuracy_of(v.reference(0)) +
               " and the baseline " + accuracy_of(v.reference(1)) + ".";
  }
  return "On " + v.name() + ", of the shifted, read-after-write memories " + v.rules()[best] + " predicts best (" +
         shown(v.loss(best, 0), 4) + ' ' + v.unit() + "), " + shown(std::abs(gap)) + ' ' + v.unit() + (gap > 0 ? " behind" : " ahead of") +
         " the exact ridge solution (" + words_of(v.reference(0)) + ": " + shown(v.reference_loss(0), 4) +
         "), which solves for all pairs so far at every token; " + std::to_string(beat_ridge) + " of " + n + " rules do better than it. " +
         std::to_string(beat_plain) + " of " + n + " do better than the plain baseline, " + v.reference_name(1) + " (" +
         shown(v.reference_loss(1), 4) + ")." + accuracy;
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
    row.push_back(j.contains("read_back") ? shown(number_in(j.at("read_back"), "loss"), 4) : "–");
    rows.push_back(row);
  };
  add(v.reference_name(0) + ", " + words_of(v.reference(0)), v.reference(0));
  add(v.reference_name(1), v.reference(1));
  for (std::size_t r = 0; r < v.rules().size(); ++r) add(v.rules()[r], v.cell(r, 0));
  strings head = {"rule", v.unit(), "to exact ridge", "to " + v.reference_name(1)};
  if (v.text())
    head.insert(head.end(), {"accuracy, %", "mean 1/rank"});
  else
    head.push_back("error / variance");
  head.push_back("read back (not prediction)");
  return table(v.name() + ", shifted, read after write", head, rows) +
         (v.reference(0).at("grid_ends").empty() ? "" : paragraph(note_on_ends, "small"));
}

// 3 to 6: one setting.

std::string plain_words(json const& rows) {
  json all;  // no two rules differ in a value that both have
  for (json const& row : rows) all.update(row.at("setting"));
  auto of = [&all](char const* key) { return shown(number_in(all, key)); };
  return "One plain setting for all, not chosen: β = " + of("beta") + ", scale-coupled λ = " + of("lambda_scale") + ", windows of " +
         of("window") + " tokens, tilt " + of("tilt") + "; RetNet, Mamba-2 and gated DeltaNet forget " + of("forget") +
         " a token (Mamba-2 times Δ_t), DeltaNet and gated DeltaNet step " + of("size") +
         " over the largest ‖k‖² of the prefix; linear attention's denominator has " + all.at("feature").get<std::string>() + " features.";
}

// 3. Drift.

std::string drift_answer(view_of_data const& v) {
  std::string out =
      "On " + v.name() + ", over " + shown(number_in(v.raw().at("drift")[0], "tokens"), 5) + " tokens of the recurrent form: ";
  for (auto const& [number, text] : {std::pair("f32", "binary32"), std::pair("bf16", "bfloat16 tokens with a binary32 memory")}) {
    std::vector<double> final, growth;
    double most = nan;
    std::size_t lost = 0;
    for (json const& row : v.raw().at("drift")) {
      std::vector<double> const e = drift_of(row, number, "recurrent");
      final.push_back(e.back());
      growth.push_back(e.back() / e.front());
      most = std::fmax(most, e.back());
      lost += !std::isfinite(e.back());
    }
    out += std::string(text) + " ends with a relative error of " + shown(median(final), 2) + " in the median rule and " + shown(most, 2) +
           " in the worst, " + shown(median(growth), 2) + " times that of the first sixteenth (median)" +
           (lost > 0 ? ", " + std::to_string(lost) + " rules not finite and left out" : "") + (number == std::string("f32") ? "; " : ". ");
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
  json const& first = v.raw().at("drift")[0];
  std::size_t parts = first.at("t").size();  // that every form reads
  for (char const* form : form_names) parts = std::min(parts, drift_of(first, "f32", form).size());
  std::vector<strings> rows;
  for (json const& row : v.raw().at("drift")) {
    strings r = {row.at("rule")};
    for (char const* number : {"f32", "bf16"})
      for (char const* form : form_names) r.push_back(shown(drift_of(row, number, form)[parts - 1], 2));
    rows.push_back(r);
  }
  strings head = {"rule"};
  for (char const* number : {"f32 ", "bf16 "})
    for (char const* form : form_names) head.push_back(std::string(number) + form);
  double const part = number_in(first, "tokens") / double(first.at("t").size());
  return table(v.name() + ", relative error of tokens " + shown(part * double(parts - 1) + 1) + " to " + shown(part * double(parts)), head,
               rows);
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

std::string dots_table(dot_plot const& p) {
  strings names = {"rule"};
  for (series const& s : p.dots) names.push_back(s.name);
  std::vector<strings> rows;
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    rows.push_back({p.rows[r]});
    for (series const& s : p.dots) rows.back().push_back(shown(s.x[r]));
  }
  return table(p.title, names, rows);
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
    for (series const& s : p.lines) rows.back().push_back(i < s.y.size() ? shown(s.y[i]) : "–");
  }
  return table(p.title, head, rows);
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
         "regression pointless here; it is left out (–).";
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

std::string speed_table(json const& results) {
  strings head = {"rule"};
  std::vector<strings> rows;
  for (json const& row : results.at("speed")) rows.push_back({row.at("rule")});
  for (char const* number : {"f64", "f32"})
    for (char const* form : form_names) {
      head.push_back(std::string(number) + ' ' + form);
      for (std::size_t r = 0; r < rows.size(); ++r) rows[r].push_back(shown(speed(results.at("speed")[r], number, form), 3));
    }
  return table("tokens per second", head, rows);
}

}  // namespace fwa::study
