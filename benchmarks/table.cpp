// SPDX-License-Identifier: Apache-2.0
// table RESULTS.json PAGE.md — writes the ratios against their limits, and all that was measured, between the page's markers.
// Ends with status 1 where a limit does not hold.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using counters = std::map<std::string, double>;

struct limit {
  char const *what, *benchmark, *counter, *relation;
  double value;
};

constexpr limit limits[] = {
    {"Falcon-1, f32: fraction of the product's flop rate", "chunk/falcon-1/f32", "gemm_fraction", "≥", 0.80},
    {"Falcon-1, f64", "chunk/falcon-1/f64", "gemm_fraction", "≥", 0.90},
    {"Falcon-1A, f32", "chunk/falcon-1a/f32", "gemm_fraction", "≥", 0.80},
    {"Falcon-1A, f64", "chunk/falcon-1a/f64", "gemm_fraction", "≥", 0.90},
    {"Falcon-2 over Falcon-1, time a token, f32", "chunk/falcon-2/f32", "times_beside", "≤", 3},
    {"Falcon-2 over Falcon-1, f64", "chunk/falcon-2/f64", "times_beside", "≤", 3},
    {"Falcon-3, B = 4, over Falcon-1, f32", "chunk/falcon-3/B=4/f32", "times_beside", "≤", 2.5},
    {"Falcon-3, B = 4, over Falcon-1, f64", "chunk/falcon-3/B=4/f64", "times_beside", "≤", 2.5},
    {"Falcon-3, B = 2 … 16, worst distance from a straight line, f32", "window_line/falcon-3/f32", "worst_deviation", "≤", 0.10},
    {"Falcon-3, B = 2 … 16, f64", "window_line/falcon-3/f64", "worst_deviation", "≤", 0.10},
    {"T = 262,144 over T = 1,024, time a token, f32", "length/falcon-1/T=262144/f32", "times_beside", "≤", 1.10},
    {"T = 262,144 over T = 1,024, f64", "length/falcon-1/T=262144/f64", "times_beside", "≤", 1.10},
    {"Falcon-1 streaming, allocations of all tokens", "stream/falcon-1/f32", "allocations", "≤", 0},
    {"Falcon-2 streaming, allocations", "stream/falcon-2/f32", "allocations", "≤", 0},
    {"Falcon-3 streaming, allocations", "stream/falcon-3/f32", "allocations", "≤", 0},
    {"Falcon-3 streaming, growth of the peak resident set, kB", "stream/falcon-3/f32", "peak_rss_growth_kb", "≤", 0},
};

std::string number(double x, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

/// "name/iterations:21/manual_time" → "name"
std::string plain(std::string const& name) {
  std::size_t end = name.size();
  for (char const* suffix : {"/iterations:", "/manual_time", "/real_time"}) end = std::min(end, name.find(suffix));
  return name.substr(0, end);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: table RESULTS.json PAGE.md\n";
    return 2;
  }
  nlohmann::json const results = nlohmann::json::parse(std::ifstream(argv[1]));
  std::map<std::string, counters> measured;
  std::ostringstream table;
  auto const& context = results.at("context");
  table << "Measured on " << context.at("date").get<std::string>().substr(0, 10) << ", " << processor() << ", " << context.at("num_cpus")
        << " cores, " << context.at("compiler").get<std::string>() << ", `-O3 -march=native`.\n\n";

  std::ostringstream all;
  all << "| benchmark | µs a token | fraction of the product | of it executed | times the head beside it |\n| --- | --: | --: | --: | --: "
         "|\n";
  for (auto const& one : results.at("benchmarks")) {
    std::string const name = plain(one.at("name"));
    if (one.value("error_occurred", false)) throw std::runtime_error(name + ": " + one.at("error_message").get<std::string>());
    for (auto const& [key, value] : one.items())
      if (value.is_number()) measured[name][key] = value;
    counters const& m = measured[name];
    auto cell = [&m](char const* key) { return m.contains(key) ? number(m.at(key)) : std::string(); };
    if (m.contains("us_per_token"))
      all << "| `" << name << "` | " << cell("us_per_token") << " | " << cell("gemm_fraction") << " | " << cell("gemm_executed") << " | "
          << cell("times_beside") << " |\n";
  }

  bool all_hold = true;
  table << "| what | measured | limit | holds |\n| --- | --: | --: | --- |\n";
  for (limit const& l : limits) {
    double const value = measured.at(l.benchmark).at(l.counter);
    bool const holds = std::isfinite(value) && (l.relation == std::string_view("≥") ? value >= l.value : value <= l.value);
    all_hold = all_hold && holds;
    table << "| " << l.what << " | " << number(value) << " | " << l.relation << ' ' << number(l.value) << " | "
          << (holds ? "yes" : "**no**") << " |\n";
  }
  table << "\n| B | 2 | 4 | 6 | 8 | 10 | 12 | 14 | 16 |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  for (char const* scalar : {"f32", "f64"}) {
    table << "| Falcon-3, µs a token, " << scalar;
    for (int B = 2; B <= 16; B += 2)
      table << " | " << number(measured.at(std::string("window_line/falcon-3/") + scalar).at("us_per_token_B" + std::to_string(B)));
    table << " |\n";
  }
  table << '\n' << all.str();

  std::string const begin = "<!-- begin measured -->\n", end = "<!-- end measured -->";
  std::stringstream page;
  page << std::ifstream(argv[2]).rdbuf();
  std::string text = page.str();
  std::size_t const from = text.find(begin), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos) throw std::runtime_error(std::string(argv[2]) + " has no markers");
  text.replace(from + begin.size(), to - from - begin.size(), table.str());
  std::ofstream(argv[2]) << text;
  std::cout << table.str();
  return all_hold ? 0 : 1;
}
