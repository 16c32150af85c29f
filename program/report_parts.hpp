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

[[nodiscard]] inline std::string words_of(json const& setting) {
  std::string out;
  for (auto const& [key, value] : setting.items())
    out += (out.empty() ? "" : ", ") + key + ' ' + (value.is_number() ? shown(value.get<double>()) : value.get<std::string>());
  return out.empty() ? "nothing to choose" : out;
}

/// A table; the first column is text, the rest numbers.
[[nodiscard]] inline std::string table(strings const& head, std::vector<strings> const& rows) {
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

[[nodiscard]] inline std::string paragraph(std::string const& text, char const* kind = "") {
  return std::string("<p class=\"") + kind + "\">" + escaped(text) + "</p>";
}

[[nodiscard]] inline std::string figure(std::string const& plot, std::string const& caption, std::string const& numbers_table) {
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

}  // namespace fwa::study
