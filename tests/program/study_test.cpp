// SPDX-License-Identifier: Apache-2.0
// `fwa study`: its scores and references by hand, its cells against each other, and the program from end to end.
#include "../../program/study_score.hpp"

#include <fwa/attend.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace fs = std::filesystem;
using namespace fwa;
using namespace fwa::study;

namespace {

std::string read_all(fs::path const& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A number of four digits, as the report writes it.
std::string four_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

struct scratch {
  fs::path path = fs::temp_directory_path() / ("fwa-study-" + std::to_string(std::rand()) + "-" + std::to_string(::getpid()));
  scratch() { fs::create_directories(path); }
  ~scratch() { fs::remove_all(path); }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  [[nodiscard]] fs::path write(std::string const& name, std::string const& content) const {
    std::ofstream(path / name) << content;
    return path / name;
  }
  /// Exit status; standard error in `errors`.
  [[nodiscard]] int study(std::string const& words, std::string& errors) const {
    std::string const command = std::string(FWA_BINARY_DIR) + "/program/fwa study " + words + " >" + (path / "stdout").string() + " 2>" +
                                (path / "stderr").string();
    int const status = std::system(command.c_str());
    errors = read_all(path / "stderr");
    return WEXITSTATUS(status);
  }
};

}  // namespace

TEST_CASE("a probability is the positive part of a reading, mixed with one part in twenty of uniform") {
  row<double> o(4);
  o << 3, -1, 1, 0;
  CHECK(bits_of(o, 0) == doctest::Approx(-std::log2(0.95 * 0.75 + 0.0125)));
  CHECK(bits_of(o, 1) == doctest::Approx(-std::log2(0.0125)));
  CHECK(bits_of(7 * o, 2) == doctest::Approx(bits_of(o, 2)));
  CHECK(bits_of(row<double>::Zero(4), 3) == doctest::Approx(2));
  CHECK(rank_of(o, 0) == 1);
  CHECK(rank_of(o, 1) == 4);
  CHECK(rank_of(row<double>::Zero(4), 2) == 2.5);
}

TEST_CASE("a prediction is scored against the token after it") {
  mat<double> o(3, 2);
  o << 1, 0, 0, 1, 0, 0;
  text_score const s = score_text(o, {1, 0, 0}, 0, 2);  // right, wrong
  CHECK(s.accuracy == 0.5);
  CHECK(s.mrr == 0.75);
  mat<double> v(4, 1), guess(4, 1);
  v << 5, 1, 2, 3;
  guess << 1, 1, 1, 9;
  CHECK(nmse(guess, v, 2, 0, 3) == doctest::Approx((1.0 + 0 + 1) / 2));
  CHECK(fitted_scale(guess, v, 0, 3) == doctest::Approx(2));
  guess(1, 0) = NAN;
  CHECK(std::isinf(nmse(guess, v, 1, 0, 3)));
}

TEST_CASE("bigram counts know only what has been read") {
  mat<double> const o = bigram_predictions({0, 1, 0, 1, 0}, 2);
  mat<double> want(5, 2);
  want << 0, 0, 0, 0, 0, 1, 1, 0, 0, 2;
  CHECK(o == want);
}

TEST_CASE("the ridge reference predicts with the normal equations of the pairs so far") {
  std::srand(3);
  mat<double> const k = mat<double>::Random(12, 3), v = mat<double>::Random(12, 2), o = ridge_predictions(k, v, 0.5);
  CHECK(o.row(0).isZero(0));
  for (index_t t = 1; t < 12; ++t) {
    mat<double> const X = k.topRows(t), Y = v.middleRows(1, t);
    row<double> const want = k.row(t) * reference::ridge_solution<double>(X, Y, 0.5, mat<double>::Zero(3, 2));
    CHECK((o.row(t) - want).norm() < 1e-12);
  }
}

TEST_CASE("reading before the write with the key of the prefix is reading after the write, one token later") {
  std::srand(4);
  mat<double> const k = mat<double>::Random(20, 3), v = mat<double>::Random(20, 2), beta = mat<double>::Constant(20, 1, 0.7),
                    lambda = mat<double>::Constant(20, 1, 0.1);
  mat<double> earlier = k;
  earlier.bottomRows(19) = k.topRows(19);
  options o;
  o.form = form::recurrent;
  mat<double> const after = attend<double>(falcon_1, {k, k, v, gains<double>(beta, lambda)}, o).o;
  o.timing = timing::read_before_write;
  mat<double> const before = attend<double>(falcon_1, {earlier, k, v, gains<double>(beta, lambda)}, o).o;
  CHECK(before.bottomRows(19) == after.topRows(19));
}

TEST_CASE("signals that say nothing, or too much") {
  scratch const dir;
  std::string wave, errors;
  for (int t = 0; t < 200; ++t) wave += std::to_string(std::sin(0.3 * t)) + "\n";
  auto refused = [&](std::string const& content, char const* word) {
    CHECK(dir.study("--quick --data " + dir.write("bad.csv", content).string() + " --out " + (dir.path / "out").string(), errors) == 2);
    CHECK_MESSAGE(errors.find(word) != std::string::npos, errors);
    CHECK(errors.find("bad.csv") != std::string::npos);
    CHECK(!fs::exists(dir.path / "out"));
  };
  std::string same;
  for (int t = 0; t < 200; ++t) same += "5\n";
  refused(same, "no column changes");
  refused(wave + "1e39\n", "deviations from the mean");
  refused("1x,2\n" + wave, "line 1");
  fs::path const good = dir.write("good.csv", "\xEF\xBB\xBF" + wave + "1e-400\n"), out = dir.path / "good";
  REQUIRE_MESSAGE(dir.study("--quick --data " + good.string() + " --out " + out.string(), errors) == 0, errors);
  CHECK(nlohmann::json::parse(read_all(out / "results.json")).at("data").at(0).at("tokens") == 201);
}

TEST_CASE("the program writes one page and all its numbers") {
  scratch const dir;
  std::string csv = "level\n", errors;
  for (int t = 0; t < 240; ++t) csv += std::to_string(std::sin(0.3 * t) + 0.1 * std::cos(2.0 * t)) + "\n";
  fs::path const data = dir.write("wave.csv", csv), out = dir.path / "out";
  REQUIRE_MESSAGE(dir.study("--quick --data " + data.string() + " --out " + out.string(), errors) == 0, errors);
  CHECK(read_all(dir.path / "stdout") == (out / "report.html").string() + "\n");
  auto const results = nlohmann::json::parse(read_all(out / "results.json"));
  auto const& d = results.at("data").at(0);
  CHECK(d.at("tokens") == 240);
  std::size_t const contestants = std::size(falcon_rules) + std::size(neighbour_rules) + 1;  // one with and without its denominator
  CHECK(d.at("cells").size() == contestants * 4);
  CHECK(d.at("drift").size() == contestants);
  CHECK(results.at("speed").size() == contestants);
  for (auto const& c : d.at("cells")) CHECK(c.at("loss").is_number());
  for (auto const& r : d.at("reindexed")) CHECK(r.at("difference") == 0.0);
  for (auto const& r : d.at("drift"))
    for (char const* f : {"recurrent", "masked", "chunk", "chunk scan"}) {
      auto error = [&](char const* number) {
        return r.at(number).at(f).at("error").front().get<double>();
      };  // throws where it is not finite
      CHECK(error("f64") < 1e-12);
      CHECK(error("f32") < 1e-3);
      CHECK(error("bf16") > error("f32"));
    }
  std::string const page = read_all(out / "report.html");
  CHECK(page.find("</html>") != std::string::npos);
  for (char const* outside : {"<script", "src=", "href=", "url(", "@import"}) CHECK(page.find(outside) == std::string::npos);
  for (auto const& entry : fs::directory_iterator(out)) CHECK(entry.path().filename().string().front() != '.');
}

TEST_CASE("a loss beyond the edge of its plot stands there with its value") {
  scratch const dir;
  std::string csv, errors;
  for (int t = 0; t < 400; ++t) csv += std::to_string(std::sin(0.3 * t)) + "\n";  // a memory that only adds outgrows the prefix's scale
  fs::path const out = dir.path / "out";
  REQUIRE_MESSAGE(dir.study("--quick --data " + dir.write("wave.csv", csv).string() + " --out " + out.string(), errors) == 0, errors);
  std::string const page = read_all(out / "report.html"), plot = read_all(out / "cells-wave-csv.svg");
  int beyond = 0;
  auto const results = nlohmann::json::parse(read_all(out / "results.json"));
  for (auto const& c : results.at("data").at(0).at("cells"))
    if (c.at("loss").is_number())
      if (double const loss = c.at("loss"); loss > 3) {
        ++beyond;
        for (std::string const& text : {page, plot}) CHECK(text.find('>' + four_digits(loss) + " →<") != std::string::npos);
      }
  CHECK(beyond > 0);
  CHECK(page.find("Losses above 3 dB are drawn on the right edge with their value.") != std::string::npos);
}

TEST_CASE("a text is held against guessing uniformly, and the ends of grids are marked") {
  scratch const dir;
  std::string words, errors;
  for (int t = 0; t < 200; ++t) words += t % 3 == 0 ? "now " : t % 7 == 0 ? "and then " : "so on, ";
  double const A = double(std::set<char>(words.begin(), words.end()).size());
  fs::path const out = dir.path / "out";
  REQUIRE_MESSAGE(dir.study("--quick --data " + dir.write("words", words).string() + " --out " + out.string(), errors) == 0, errors);
  auto const results = nlohmann::json::parse(read_all(out / "results.json"));
  std::string const page = read_all(out / "report.html");
  auto const& d = results.at("data").at(0);
  CHECK(d.at("uniform").get<double>() == doctest::Approx(std::log2(A)));
  CHECK(page.find("uniform, log2 " + four_digits(A)) != std::string::npos);

  int cells = 0, worse = 0, ends = 0;
  for (auto const& c : d.at("cells")) {
    auto const& chosen = c.at("setting");
    bool const same_step = c.at("pairing") == "same-step";
    cells += same_step;
    worse += same_step && c.at("loss").get<double>() > std::log2(A);
    std::string const rule = c.at("rule");
    CHECK(chosen.contains("forget") == (rule == "retnet" || rule == "mamba-2" || rule == "gated-delta-net"));
    std::set<std::string> const marked = c.at("grid_ends");
    auto check = [&](char const* name, double least, double most) {
      if (!chosen.contains(name)) return;
      bool const end = chosen.at(name) == least || chosen.at(name) == most;
      CHECK_MESSAGE(marked.contains(name) == end, (rule + ' ' + name));
      CHECK((page.find(name + ("\u00a0" + four_digits(chosen.at(name))) + '*') != std::string::npos || !end));
      ends += end;
    };
    check("beta", 0.03, 1);
    check("lambda_scale", 0.1, 0.1);
    check("size", 0.03, 1);
    check("window", 2, 8);
    check("tilt", -0.25, 0.25);
    if (rule == "gated-delta-net") check("forget", 0.03, 0.03);
    if (rule == "retnet" || rule == "mamba-2") check("forget", 0.0003, 0.1);
  }
  CHECK(ends > 0);
  CHECK(page.find(std::to_string(worse) + " of " + std::to_string(cells) + " same-step cells cost more") != std::string::npos);

  auto const& ridge = d.at("references").at(0);
  double const lambda = ridge.at("setting").at("lambda");
  bool const end = lambda == 1e-4 || lambda == 1e4;
  CHECK(ridge.at("grid_ends").size() == (end ? 1 : 0));
  CHECK(page.find("exact ridge, lambda\u00a0" + four_digits(lambda) + (end ? "*<" : "<")) != std::string::npos);
}

TEST_CASE("bad data is refused in one line, and nothing is written") {
  scratch const dir;
  std::string good;
  for (int t = 0; t < 80; ++t) good += std::to_string(t) + "\n";
  std::pair<std::string, std::string> const files[] = {
      {"nan.csv", good + "nan\n"},        {"inf.csv", good + "1e999\n"}, {"word.csv", good + "x\n"},
      {"ragged.csv", good + "1,2\n"},     {"short.csv", "1\n2\n"},       {"empty.csv", ""},
      {"not.npy", "no array of numbers"}, {"short.txt", "few"}};
  fs::path const out = dir.path / "out";
  std::string errors;
  for (auto const& file : files) {
    std::string const& name = file.first;
    CHECK_MESSAGE(dir.study("--data " + dir.write(name, file.second).string() + " --out " + out.string(), errors) == 2, name);
    CHECK_MESSAGE(errors.find(name) != std::string::npos, errors);
    CHECK_MESSAGE(std::count(errors.begin(), errors.end(), '\n') == 1, errors);
    CHECK(!fs::exists(out));
  }
  CHECK(dir.study("--data " + (dir.path / "missing").string() + " --out " + out.string(), errors) == 2);
  fs::path const wave = dir.write("good.csv", good), plain = dir.write("plain", "");
  CHECK(dir.study("--quick --data " + wave.string() + " --out " + (plain / "below").string(), errors) == 2);
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
}
