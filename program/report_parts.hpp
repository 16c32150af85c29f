// SPDX-License-Identifier: Apache-2.0
// report_parts.hpp — what every section of the report is made of: results.json by rule, paragraphs, tables, figures.
#pragma once

#include "report_plot.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace fwa::study {

using json = nlohmann::ordered_json;
using strings = std::vector<std::string>;

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr char const* cell_names[] = {"shifted, read after write", "shifted, read before write", "same-step, read after write",
                                             "same-step, read before write"};
inline constexpr char const* form_names[] = {"recurrent", "masked", "chunk", "chunk scan"};

[[nodiscard]] inline double number_in(json const& j, char const* key) {
  auto const at = j.find(key);
  return at == j.end() || at->is_null() ? nan : at->get<double>();
}

[[nodiscard]] inline std::vector<double> numbers(json const& array) {
  std::vector<double> out;
  for (json const& x : array) out.push_back(x.is_null() ? nan : x.get<double>());
  return out;
}

[[nodiscard]] inline double median(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return nan;
  std::ranges::sort(values);
  std::size_t const n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// The chosen setting of a row; a star marks an end of its grid.
[[nodiscard]] inline std::string words_of(json const& row) {
  std::string out;
  json const& ends = row.at("grid_ends");
  for (auto const& [key, value] : row.at("setting").items())
    out += (out.empty() ? "" : ", ") + key + "\u00a0" + (value.is_number() ? shown(value.get<double>()) : value.get<std::string>()) +
           (std::ranges::find(ends, json(key)) == ends.end() ? "" : "*");
  return out.empty() ? "nothing to choose" : out;
}

inline constexpr char const* note_on_ends =
    "* the end of its grid: a larger grid may do better. A ridge or decay of 0 is not marked: nothing lies below it.";

/// A table; the first columns are text, the rest numbers.
[[nodiscard]] inline std::string table(std::string const& caption, strings const& head, std::vector<strings> const& rows,
                                       std::size_t texts = 1) {
  std::ostringstream out;
  auto write = [&](strings const& cells, bool of_head) {
    out << "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string const tag = of_head || i == 0 ? "th" : "td";
      out << '<' << tag
          << (of_head  ? " scope=\"col\""
              : i == 0 ? " scope=\"row\""
                       : "")
          << (0 < i && i < texts ? " class=\"text\">" : ">") << escaped(cells[i]) << "</" << tag << '>';
    }
    out << "</tr>";
  };
  out << "<div class=\"scroll\"><table>";
  if (!caption.empty()) out << "<caption>" << escaped(caption) << "</caption>";
  out << "<thead>";
  write(head, true);
  out << "</thead><tbody>";
  for (strings const& r : rows) write(r, false);
  out << "</tbody></table></div>";
  return out.str();
}

[[nodiscard]] inline std::string paragraph(std::string const& text, char const* kind = "") {
  return std::string("<p class=\"") + kind + "\">" + escaped(text) + "</p>";
}

[[nodiscard]] inline std::string figure(std::string const& plot, std::string const& caption) {
  return "<figure>" + plot + "<figcaption>" + escaped(caption) + "</figcaption></figure>";
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
  [[nodiscard]] double accuracy(std::size_t rule, std::size_t c) const { return number_in(cell(rule, c), "accuracy"); }  // of a text
  [[nodiscard]] double uniform() const { return number_in(d_, "uniform"); }  // of a text: log2 A
  [[nodiscard]] std::string uniform_name() const { return "uniform, log2 " + shown(number_in(d_, "dv")); }
  [[nodiscard]] json const& reference(std::size_t i) const { return d_.at("references")[i]; }  // exact ridge, plain baseline
  [[nodiscard]] double reference_loss(std::size_t i) const { return number_in(reference(i), "loss"); }
  [[nodiscard]] std::string reference_name(std::size_t i) const { return reference(i).at("name"); }

 private:
  json const& d_;
  strings rules_;
};

}  // namespace fwa::study
