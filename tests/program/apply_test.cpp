// SPDX-License-Identifier: Apache-2.0
// fwa apply on good input: the golden cases through the program, every scalar, batches, neighbours, what it leaves on disk.
#include "program/support.hpp"
#include "support/approx.hpp"

#include <cmath>
#include <set>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

fs::path const vectors = FWA_SOURCE_DIR "/tests/vectors";
std::vector<std::string> const names = {"o", "s", "eta", "gamma", "carry_x", "tail_x", "tail_v", "z"};

/// Empty where shapes agree and |got − want| ≤ tolerance · max(1, max |want|).
std::string difference(xt::xarray<double> const& got, xt::xarray<double> const& want, double tolerance) {
  if (!(got.shape() == want.shape())) return "shapes differ";
  auto row = [](xt::xarray<double> const& a) {
    return mat<double>(Eigen::Map<mat<double> const>(a.data(), 1, static_cast<index_t>(a.size())));
  };
  return mismatch(row(got), row(want), tolerance);
}

}  // namespace

TEST_CASE("apply: golden cases in every form") {
  scratch const room;
  std::size_t cases = 0;
  for (auto const& folder : fs::directory_iterator(vectors)) {
    if (!folder.is_directory()) continue;
    ++cases;
    bool const packed = fs::exists(folder.path() / "offsets.npy");
    for (char const* const form :
         {"--form recurrent", "--form masked", "--form chunked", "--form chunked --chunk 3", "--form chunked --chunk 3 --scan"}) {
      std::string const where = folder.path().filename().string() + " " + form;
      INFO(where);
      fs::path const out = room.path / "out";
      ran const r = run(room.path, "apply " + quoted(folder.path()) + " " + form + " --out " + quoted(out));
      REQUIRE_EQ(r.err, "");
      REQUIRE(r.status == 0);
      CHECK(r.out.empty());
      for (std::string const& name : names) {
        fs::path const want = folder.path() / ("want_" + name + ".npy"), got = out / (name + ".npy");
        if (packed && (name == "eta" || name == "gamma")) continue;
        CHECK_EQ(fs::exists(got), fs::exists(want));
        if (fs::exists(want)) CHECK_EQ(difference(read_npy<double>(got), read_npy<double>(want), golden), "");
      }
    }
  }
  CHECK(cases >= 100);
}

TEST_CASE("apply: scalars, and the dtype that each writes") {
  scratch const room;
  fs::path const out = room.path / "out";
  for (char const* const name : {"case-026-falcon-3-continued", "case-105-falcon-3a-normalised"}) {
    fs::path const folder = vectors / name;
    for (auto const& [scalar, tolerance] :
         std::map<std::string, double>{{"f64", golden}, {"f80", 1e-15}, {"d50", 0}, {"f32", 1e-4}, {"f16", 0.2}, {"bf16", 0.5}}) {
      std::string const where = std::string(name) + ' ' + scalar;
      INFO(where);
      REQUIRE(run(room.path, "apply " + quoted(folder) + " --scalar " + scalar + " --out " + quoted(out)).status == 0);
      bool const narrow = scalar == "f32" || scalar == "f16" || scalar == "bf16";
      for (std::string const& result : names) {
        if (!fs::exists(folder / ("want_" + result + ".npy"))) continue;
        CHECK(contents(out / (result + ".npy")).find(narrow ? "'<f4'" : "'<f8'") != std::string::npos);
        CHECK_EQ(difference(read_npy<double>(out / (result + ".npy")), read_npy<double>(folder / ("want_" + result + ".npy")), tolerance),
                 "");
      }
    }
  }
}

TEST_CASE("apply: a batch is its heads") {
  scratch const room;
  for (std::string const& rule : {std::string("falcon-1"), std::string("falcon-23")}) {
    std::size_t const B = 2, H = 3, n = 2;
    made_case all = some_case(rule, rule == "falcon-23" ? 4 : 1);
    all.arrays["q"] = numbers({B, 7, H, 3}, 1, -1, 1);
    all.arrays["k"] = numbers({B, 7, H, 3}, 2, -1, 1);
    all.arrays["v"] = numbers({B, 7, H, 2}, 3, -1, 1);
    all.arrays["beta"] = numbers(rule == "falcon-23" ? shape_t{B, 7, H, 2} : shape_t{B, 7, H}, 4, 0, 2);
    all.arrays["lambda"] = numbers({B, 7, H}, 5, 0, 1);
    all.arrays["s0"] = numbers({B, H, 3, 2}, 6, -1, 1);
    all.arrays["carry_x"] = numbers({B, H, 3}, 7, -1, 1);
    if (rule == "falcon-23") {
      all.arrays["tail_x"] = numbers({B, H, n, 3}, 8, -1, 1);
      all.arrays["tail_v"] = numbers({B, H, n, 2}, 9, -1, 1);
    }
    all.write(room.path / "all");
    REQUIRE_EQ(run(room.path, "apply " + quoted(room.path / "all") + " --out " + quoted(room.path / "out")).err, "");

    std::set<std::string> const of_tokens = {"q", "k", "v", "beta", "lambda", "o", "eta", "gamma"};
    auto head_of = [&](std::string const& name, xt::xarray<double> const& a, std::size_t b, std::size_t h) {
      bool const tokens = of_tokens.contains(name);
      xt::xarray<double> part = tokens ? xt::xarray<double>(xt::view(a, b, xt::all(), h)) : xt::xarray<double>(xt::view(a, b, h));
      return part;
    };
    for (std::size_t b = 0; b < B; ++b)
      for (std::size_t h = 0; h < H; ++h) {
        made_case one{all.choices, {}, {}};
        for (auto const& [name, array] : all.arrays) one.arrays[name] = head_of(name, array, b, h);
        one.write(room.path / "one");
        REQUIRE_EQ(run(room.path, "apply " + quoted(room.path / "one") + " --out " + quoted(room.path / "single")).err, "");
        for (auto const& entry : fs::directory_iterator(room.path / "single")) {
          std::string const name = entry.path().stem().string();
          INFO(rule << ' ' << name << ' ' << b << ' ' << h);
          CHECK_EQ(
              difference(head_of(name, read_npy<double>(room.path / "out" / (name + ".npy")), b, h), read_npy<double>(entry.path()), 0),
              "");
        }
        CHECK(fs::exists(room.path / "single" / "tail_x.npy") == (rule == "falcon-23"));
      }
  }
}

TEST_CASE("apply: a neighbour takes its steps as given, ones where absent") {
  scratch const room;
  made_case c = some_case("linear-attention");
  for (char const* const key : {"epsilon", "epsilon_gamma", "clamp", "ridge"}) c.choices.erase(key);
  c.choices["pairing"] = "same-step";
  c.arrays.erase("beta");
  c.arrays.erase("lambda");
  c.write(room.path / "case");
  REQUIRE_EQ(run(room.path, "apply " + quoted(room.path / "case") + " --out " + quoted(room.path / "out")).err, "");
  xt::xarray<double> sum = xt::zeros<double>({3, 2});
  for (std::size_t t = 0; t < 7; ++t)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 2; ++j) sum(i, j) += c.arrays["k"](t, i) * c.arrays["v"](t, j);
  CHECK_EQ(difference(read_npy<double>(room.path / "out" / "s.npy"), sum, 1e-15), "");

  c.choices["rule"] = "retnet";
  c.arrays["gamma"] = xt::zeros<double>({7});
  c.write(room.path / "case");
  REQUIRE(run(room.path, "apply " + quoted(room.path / "case") + " --out " + quoted(room.path / "out")).status == 0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j) sum(i, j) = c.arrays["k"](6, i) * c.arrays["v"](6, j);
  CHECK_EQ(difference(read_npy<double>(room.path / "out" / "s.npy"), sum, 0), "");
}

TEST_CASE("apply: the case's own chunk is used, and another on request") {
  scratch const room;
  made_case c = some_case();
  c.choices["chunk"] = 5;
  c.write(room.path / "case");
  std::string const command = "apply " + quoted(room.path / "case") + " --json --out " + quoted(room.path / "out");
  CHECK(json::parse(run(room.path, command).out)["chunk"] == 5);
  CHECK(json::parse(run(room.path, command + " --chunk 2").out)["chunk"] == 2);
}

TEST_CASE("apply: a sequence without tokens keeps its memory") {
  scratch const room;
  made_case c = some_case("falcon-3", 3);
  for (char const* const name : {"q", "k"}) c.arrays[name] = xt::zeros<double>({0, 3});
  c.arrays["v"] = xt::zeros<double>({0, 2});
  for (char const* const name : {"beta", "lambda"}) c.arrays[name] = xt::zeros<double>({0});
  c.write(room.path / "case");
  REQUIRE_EQ(run(room.path, "apply " + quoted(room.path / "case") + " --out " + quoted(room.path / "out")).err, "");
  CHECK(!fs::exists(room.path / "out" / "carry_x.npy"));
  CHECK_EQ(difference(read_npy<double>(room.path / "out" / "s.npy"), xt::zeros<double>({3, 2}), 0), "");
  c.arrays["s0"] = numbers({3, 2}, 8, -1, 1);
  c.arrays["carry_x"] = numbers({3}, 9, -1, 1);
  c.arrays["tail_x"] = numbers({2, 3}, 10, -1, 1);
  c.arrays["tail_v"] = numbers({2, 2}, 11, -1, 1);
  c.write(room.path / "case");
  REQUIRE(run(room.path, "apply " + quoted(room.path / "case") + " --out " + quoted(room.path / "out")).status == 0);
  for (char const* const name : {"carry_x", "tail_x", "tail_v"})
    CHECK(contents(room.path / "out" / (std::string(name) + ".npy")) == contents(room.path / "case" / (std::string(name) + ".npy")));
  CHECK(contents(room.path / "out" / "s.npy") == contents(room.path / "case" / "s0.npy"));
}

TEST_CASE("apply: results replace an earlier run's, and nothing else") {
  scratch const room;
  fs::path const out = room.path / "deep" / "er" / "out";
  some_case("falcon-3", 3).write(room.path / "window");
  some_case().write(room.path / "plain");
  REQUIRE(run(room.path, "apply " + quoted(room.path / "window") + " --out " + quoted(out)).status == 0);
  REQUIRE(fs::exists(out / "tail_x.npy"));
  std::ofstream(out / "notes.txt") << "mine";
  REQUIRE(run(room.path, "apply " + quoted(room.path / "plain") + " --out " + quoted(out)).status == 0);
  std::set<std::string> found;
  for (auto const& [name, bytes] : snapshot(out)) found.insert(name);
  CHECK(found == std::set<std::string>{"carry_x.npy", "eta.npy", "gamma.npy", "notes.txt", "o.npy", "s.npy"});
}

TEST_CASE("apply: a summary for machines") {
  scratch const room;
  made_case c = some_case();
  c.arrays["beta"].fill(1.9);
  c.arrays["lambda"].fill(100);
  c.write(room.path / "case");
  ran const r =
      run(room.path, "apply " + quoted(room.path / "case") + " --form masked --scalar f32 --json --out " + quoted(room.path / "out"));
  REQUIRE(r.status == 0);
  json const summary = json::parse(r.out);
  CHECK(summary["status"] == "done");
  CHECK(summary["rule"] == "falcon-1");
  CHECK(summary["form"] == "masked");
  CHECK(summary["scalar"] == "f32");
  CHECK(summary["tokens"] == 7);
  CHECK(summary["clamped"] == 6);  // all but the token without a pair
  CHECK(summary["files"] == json({"o.npy", "eta.npy", "gamma.npy", "s.npy", "carry_x.npy"}));
}
