// SPDX-License-Identifier: Apache-2.0
// fwa apply on bad arguments and input: exit status 2, one line that says what, where and which value, and nothing written.
#include "program/support.hpp"

#include <functional>
#include <limits>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

double const nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// Runs the program, and checks that it refuses with a line that holds all of `words`, and leaves `out` as it was.
void check_refused(fs::path const& room, std::string const& command, std::vector<std::string> const& words) {
  fs::path const out = room / "out";
  fs::create_directories(out);
  std::ofstream(out / "o.npy") << "an earlier run's";
  std::ofstream(out / "tail_x.npy") << "an earlier run's";
  auto const before = snapshot(out);
  ran const r = run(room, command + " --out " + quoted(out));
  INFO(r.err);
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK(r.err.size() > 6);
  CHECK(r.err.find('\n') == r.err.size() - 1);
  for (std::string const& word : words) {
    INFO(word);
    CHECK(r.err.find(word) != std::string::npos);
  }
  CHECK(snapshot(out) == before);
}

struct bent {
  std::string title;
  std::function<void(made_case&)> bend;
  std::vector<std::string> words;
  std::string rule = "falcon-1";
  std::size_t window = 1;
};

std::string npy_bytes(std::string const& descr, std::string const& order, std::string const& shape, std::string const& data) {
  std::string const header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

std::string int64s(std::vector<std::int64_t> const& values) {
  return npy_bytes("<i8", "False", "(" + std::to_string(values.size()) + ",)",
                   {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(std::int64_t)});
}

/// A memory that a window of 4 continues from.
void continued(made_case& c, std::size_t n) {
  c.arrays["s0"] = numbers({3, 2}, 6, -1, 1);
  c.arrays["carry_x"] = numbers({3}, 7, -1, 1);
  c.arrays["tail_x"] = numbers({n, 3}, 8, -1, 1);
  c.arrays["tail_v"] = numbers({n, 2}, 9, -1, 1);
}

std::vector<bent> const table = {
    // case.json
    {"no json", [](made_case& c) { c.raw["case.json"] = "{\"rule\": "; }, {"case.json"}},
    {"not an object", [](made_case& c) { c.raw["case.json"] = "[1, 2]"; }, {"case.json", "must be an object"}},
    {"empty json", [](made_case& c) { c.raw["case.json"] = ""; }, {"case.json"}},
    {"key twice", [](made_case& c) { c.raw["case.json"] = "{\"window\": 1, \"window\": 2}"; }, {"\"window\"", "twice"}},
    {"unknown key", [](made_case& c) { c.choices["windw"] = 1; }, {"case.json", "unknown key", "windw"}},
    {"key with line ends", [](made_case& c) { c.choices["a\nb\nc"] = 1; }, {"unknown key"}},
    {"unknown rule", [](made_case& c) { c.choices["rule"] = "falcon-9"; }, {"rule", "falcon-9"}},
    {"rule is a number", [](made_case& c) { c.choices["rule"] = 1; }, {"rule", "must be a text"}},
    {"unknown pairing", [](made_case& c) { c.choices["pairing"] = "twisted"; }, {"pairing", "shifted, same-step", "twisted"}},
    {"unknown timing", [](made_case& c) { c.choices["timing"] = "war"; }, {"timing", "raw, rbw", "war"}},
    {"unknown ridge", [](made_case& c) { c.choices["ridge"] = "blue"; }, {"ridge", "blue"}},
    {"unknown ridge factor", [](made_case& c) { c.choices["ridge_factor"] = "dead"; }, {"ridge_factor", "dead"}},
    {"unknown feature map", [](made_case& c) { c.choices["feature_map"] = "gelu"; }, {"feature_map", "gelu"}},
    {"clamp is a number", [](made_case& c) { c.choices["clamp"] = 1; }, {"clamp", "must be true or false", "1"}},
    {"epsilon is a text", [](made_case& c) { c.choices["epsilon"] = "0"; }, {"epsilon", "must be a number"}},
    {"epsilon is null", [](made_case& c) { c.choices["epsilon"] = nullptr; }, {"epsilon", "null"}},
    {"epsilon < 0", [](made_case& c) { c.choices["epsilon"] = -0.5; }, {"epsilon", "-0.5"}},
    {"epsilon too large for a double", [](made_case& c) { c.raw["case.json"] = "{\"epsilon\": 1e999}"; }, {"1e999"}},
    {"epsilon_gamma 0", [](made_case& c) { c.choices["epsilon_gamma"] = 0; }, {"epsilon_gamma", "but is 0"}},
    {"epsilon_gamma 1", [](made_case& c) { c.choices["epsilon_gamma"] = 1; }, {"epsilon_gamma", "but is 1"}},
    {"feature_epsilon < 0", [](made_case& c) { c.choices["feature_epsilon"] = -1e-9; }, {"feature_epsilon"}},
    {"window 0", [](made_case& c) { c.choices["window"] = 0; }, {"window", "but is 0"}},
    {"window < 0", [](made_case& c) { c.choices["window"] = -1; }, {"window", "but is -1"}},
    {"window 1.5", [](made_case& c) { c.choices["window"] = 1.5; }, {"window", "but is 1.5"}},
    {"window beyond 64 bits", [](made_case& c) { c.raw["case.json"] = "{\"rule\": \"falcon-3\", \"window\": 18446744073709551615}"; },
     {"window", "18446744073709551615"}},
    {"window without windows", [](made_case& c) { c.choices["window"] = 2; }, {"falcon-1 has no window", "2"}},
    {"chunk 0", [](made_case& c) { c.choices["chunk"] = 0; }, {"chunk", "but is 0"}},
    {"normalised regression", [](made_case& c) { c.choices["normalized_read"] = 0.1; }, {"normalised read"}},
    {"normalised read of signed features", [](made_case& c) { c.choices["normalized_read"] = 0.1; }, {"non-negative"}, "falcon-1a"},
    {"normalised read by 0", [](made_case& c) { c.choices["normalized_read"] = 0; }, {"normalized_read", "but is 0"}, "falcon-1a"},
    // arrays
    {"q is not there", [](made_case& c) { c.arrays.erase("q"); }, {"q.npy"}},
    {"lambda is not there", [](made_case& c) { c.arrays.erase("lambda"); }, {"lambda.npy"}},
    {"q of rank 1", [](made_case& c) { c.arrays["q"] = numbers({7}, 1, 0, 1); }, {"q.npy", "but is [7]"}},
    {"q of rank 3", [](made_case& c) { c.arrays["q"] = numbers({7, 1, 3}, 1, 0, 1); }, {"q.npy", "[7, 1, 3]"}},
    {"k shorter", [](made_case& c) { c.arrays["k"] = numbers({6, 3}, 1, 0, 1); }, {"k.npy", "must be [7, 3], but is [6, 3]"}},
    {"k narrower", [](made_case& c) { c.arrays["k"] = numbers({7, 2}, 1, 0, 1); }, {"k.npy", "[7, 2]"}},
    {"v longer", [](made_case& c) { c.arrays["v"] = numbers({8, 2}, 1, 0, 1); }, {"v.npy", "[8, 2]"}},
    {"v of rank 0", [](made_case& c) { c.arrays["v"] = numbers({}, 1, 0, 1); }, {"v.npy", "[]"}},
    {"beta per column", [](made_case& c) { c.arrays["beta"] = numbers({7, 2}, 1, 0, 1); }, {"beta.npy", "must be [7], but is [7, 2]"}},
    {"beta not per column", [](made_case& c) { c.arrays["beta"] = numbers({7}, 1, 0, 1); }, {"beta.npy", "must be [7, 2], but is [7]"}, "falcon-2"},
    {"lambda per column", [](made_case& c) { c.arrays["lambda"] = numbers({7, 2}, 1, 0, 1); }, {"lambda.npy", "[7, 2]"}, "falcon-2"},
    {"gains where steps are given", [](made_case&) {}, {"beta.npy", "delta-net takes eta.npy and gamma.npy"}, "delta-net"},
    {"steps where gains are", [](made_case& c) { c.arrays["eta"] = c.arrays["beta"]; }, {"eta.npy", "falcon-1 takes beta.npy and lambda.npy"}},
    {"NaN in q", [](made_case& c) { c.arrays["q"](2, 1) = nan; }, {"q.npy", "[2, 1]", "nan"}},
    {"NaN in k", [](made_case& c) { c.arrays["k"](6, 0) = nan; }, {"k.npy", "[6, 0]", "nan"}},
    {"infinite v", [](made_case& c) { c.arrays["v"](3, 1) = -inf; }, {"v.npy", "[3, 1]", "-inf"}},
    {"NaN in beta", [](made_case& c) { c.arrays["beta"](3) = nan; }, {"beta.npy", "[3]", "nan"}},
    {"infinite lambda", [](made_case& c) { c.arrays["lambda"](0) = inf; }, {"lambda.npy", "[0]", "inf"}},
    {"beta 2", [](made_case& c) { c.arrays["beta"](4) = 2; }, {"beta[4, 0]", "[0, 2)", "but is 2"}},
    {"beta < 0", [](made_case& c) { c.arrays["beta"](4) = -0.25; }, {"beta[4, 0]", "but is -0.25"}},
    {"beta 2 per column", [](made_case& c) { c.arrays["beta"](4, 1) = 2; }, {"beta[4, 1]", "but is 2"}, "falcon-2"},
    {"lambda < 0", [](made_case& c) { c.arrays["lambda"](5) = -0.5; }, {"lambda[5, 0]", "but is -0.5"}},
    // files
    {"Fortran order", [](made_case& c) { c.raw["k.npy"] = npy_bytes("<f8", "True", "(7, 3)", std::string(168, '\0')); }, {"k.npy", "Fortran"}},
    {"whole numbers", [](made_case& c) { c.raw["k.npy"] = npy_bytes("<i8", "False", "(7, 3)", std::string(168, '\0')); }, {"k.npy", "<i8"}},
    {"big-endian", [](made_case& c) { c.raw["k.npy"] = npy_bytes(">f8", "False", "(7, 3)", std::string(168, '\0')); }, {"k.npy", ">f8"}},
    {"objects", [](made_case& c) { c.raw["k.npy"] = npy_bytes("|O", "False", "(7, 3)", std::string(168, '\0')); }, {"k.npy", "|O"}},
    {"truncated data", [](made_case& c) { c.raw["k.npy"] = npy_bytes("<f8", "False", "(7, 3)", std::string(167, '\0')); }, {"k.npy", "167"}},
    {"truncated header", [](made_case& c) { c.raw["k.npy"] = npy_bytes("<f8", "False", "(7, 3)", "").substr(0, 40); }, {"k.npy"}},
    {"more bytes", [](made_case& c) { c.raw["k.npy"] = npy_bytes("<f8", "False", "(7, 3)", std::string(169, '\0')); }, {"k.npy", "1 bytes after"}},
    {"an empty file", [](made_case& c) { c.raw["k.npy"] = ""; }, {"k.npy"}},
    {"no array", [](made_case& c) { c.raw["k.npy"] = "PK\3\4 a zip archive, perhaps"; }, {"k.npy", "not a .npy file"}},
    {"a header's line ends", [](made_case& c) { c.raw["k.npy"] = npy_bytes("<f8\n\n", "False", "(7, 3)", ""); }, {"k.npy"}},
    // memory
    {"s0 transposed", [](made_case& c) { c.arrays["s0"] = numbers({2, 3}, 1, 0, 1); }, {"s0.npy", "must be [3, 2], but is [2, 3]"}},
    {"NaN in s0", [](made_case& c) { (c.arrays["s0"] = numbers({3, 2}, 1, 0, 1))(1, 1) = nan; }, {"s0.npy", "[1, 1]", "nan"}},
    {"carry of another size", [](made_case& c) { c.arrays["carry_x"] = numbers({4}, 1, 0, 1); }, {"carry_x.npy", "but is [4]"}},
    {"z0 without its read", [](made_case& c) { c.arrays["z0"] = numbers({3}, 1, 0, 1); }, {"z", "not normalised"}},
    {"s0 without z0", [](made_case& c) {
       c.choices["normalized_read"] = 0.1;
       c.choices["feature_map"] = "relu";
       c.arrays["s0"] = numbers({3, 2}, 1, 0, 1);
     }, {"needs its normaliser"}, "falcon-1a"},
    {"tail without carry", [](made_case& c) { continued(c, 2), c.arrays.erase("carry_x"); }, {"tail", "last feature"}, "falcon-3", 4},
    {"tail too long", [](made_case& c) { continued(c, 4); }, {"window of 4", "at most 3", "has 4"}, "falcon-3", 4},
    {"tail without values", [](made_case& c) { continued(c, 2), c.arrays.erase("tail_v"); }, {"tail_v.npy", "missing"}, "falcon-3", 4},
    {"values without tail", [](made_case& c) { continued(c, 2), c.arrays.erase("tail_x"); }, {"tail_x.npy", "missing"}, "falcon-3", 4},
    {"tail of unequal lengths", [](made_case& c) { continued(c, 2), c.arrays["tail_v"] = numbers({1, 2}, 1, 0, 1); }, {"tail_v.npy", "[1, 2]"},
     "falcon-3", 4},
    {"tail of another width", [](made_case& c) { continued(c, 2), c.arrays["tail_x"] = numbers({2, 4}, 1, 0, 1); }, {"tail_x.npy", "[2, 4]"},
     "falcon-3", 4},
    {"tail for a rule without a window", [](made_case& c) { continued(c, 2); }, {"window of 1", "has 2"}},
    // packed
    {"offsets that decrease", [](made_case& c) { c.raw["offsets.npy"] = int64s({0, 5, 4, 7}); }, {"offsets.npy", "[2]", "at least 5", "but is 4"}},
    {"offsets that end early", [](made_case& c) { c.raw["offsets.npy"] = int64s({0, 5}); }, {"offsets.npy", "7", "but is 5"}},
    {"offsets that end late", [](made_case& c) { c.raw["offsets.npy"] = int64s({0, 5, 8}); }, {"offsets.npy", "[2]", "but is 8"}},
    {"offsets that begin late", [](made_case& c) { c.raw["offsets.npy"] = int64s({1, 7}); }, {"offsets.npy", "[0] must be 0, but is 1"}},
    {"offsets before the array", [](made_case& c) { c.raw["offsets.npy"] = int64s({0, -3, 7}); }, {"offsets.npy", "but is -3"}},
    {"no offsets in offsets", [](made_case& c) { c.raw["offsets.npy"] = int64s({}); }, {"offsets.npy"}},
    {"offsets that are not whole", [](made_case& c) { c.arrays["offsets"] = numbers({2}, 1, 0, 7); }, {"offsets.npy", "<i8", "<f8"}},
    {"offsets of rank 2", [](made_case& c) { c.raw["offsets.npy"] = npy_bytes("<i8", "False", "(1, 1)", std::string(8, '\0')); }, {"offsets.npy", "[1, 1]"}},
    {"packed from one memory", [](made_case& c) {
       c.raw["offsets.npy"] = int64s({0, 5, 7});
       c.arrays["s0"] = numbers({3, 2}, 1, 0, 1);
     }, {"offsets.npy", "memory"}},
};

}  // namespace

TEST_CASE("refusals: the case that is bent is good before") {
  scratch const room;
  some_case().write(room.path / "one");
  made_case window = some_case("falcon-3", 4);
  continued(window, 3);
  window.write(room.path / "two");
  made_case packed = some_case("falcon-2");
  packed.raw["offsets.npy"] = int64s({0, 0, 5, 7});
  packed.write(room.path / "three");
  for (char const* const name : {"one", "two", "three"})
    CHECK_EQ(run(room.path, "apply " + quoted(room.path / name) + " --out " + quoted(room.path / "out")).err, "");
}

TEST_CASE("refusals: every way to bend a case") {
  for (bent const& b : table) {
    INFO(b.title);
    scratch const room;
    made_case c = some_case(b.rule, b.window);
    b.bend(c);
    c.write(room.path / "case");
    check_refused(room.path, "apply " + quoted(room.path / "case"), b.words);
  }
}

TEST_CASE("refusals: every key that a case needs") {
  for (char const* const key :
       {"rule", "window", "epsilon", "epsilon_gamma", "clamp", "pairing", "timing", "ridge", "feature_map", "feature_epsilon"}) {
    scratch const room;
    made_case c = some_case();
    c.choices.erase(key);
    c.write(room.path / "case");
    check_refused(room.path, "apply " + quoted(room.path / "case"), {"case.json", std::string("lacks ") + key});
  }
}

TEST_CASE("refusals: case.json that is no file, or nested without end, or long") {
  scratch const room;
  some_case().write(room.path / "folder");
  fs::remove(room.path / "folder" / "case.json");
  fs::create_directory(room.path / "folder" / "case.json");
  check_refused(room.path, "apply " + quoted(room.path / "folder"), {"case.json", "is not a file"});
  made_case deep = some_case();
  deep.raw["case.json"] = "{\"rule\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  deep.write(room.path / "deep");
  check_refused(room.path, "apply " + quoted(room.path / "deep"), {"case.json", "nested too deeply"});
  made_case wordy = some_case();
  wordy.choices["rule"] = std::string(1000000, 'x');
  wordy.write(room.path / "wordy");
  check_refused(room.path, "apply " + quoted(room.path / "wordy"), {"rule is unknown", "xxxx"});
  CHECK(contents(room.path / ".stderr").size() < 1000);
}

TEST_CASE("refusals: more heads than any machine has, in files without a number") {
  scratch const room;
  made_case c = some_case();
  c.arrays.clear();
  for (char const* name : {"q", "k", "v"}) c.raw[std::string(name) + ".npy"] = npy_bytes("<f8", "False", "(1000000000, 0, 1, 1)", "");
  for (char const* name : {"beta", "lambda"}) c.raw[std::string(name) + ".npy"] = npy_bytes("<f8", "False", "(1000000000, 0, 1)", "");
  c.write(room.path / "case");
  check_refused(room.path, "apply " + quoted(room.path / "case"), {"1000000000", "heads"});
}

TEST_CASE("refusals: a link that leads nowhere stays, and so does nothing that was made on the way") {
  scratch const room;
  some_case().write(room.path / "case");
  fs::create_symlink(room.path / "nowhere" / "at all", room.path / "link");
  CHECK(run(room.path, "apply " + quoted(room.path / "case") + " --out " + quoted(room.path / "link")).status == 2);
  CHECK(fs::is_symlink(room.path / "link"));
  std::ofstream(room.path / "file") << "taken";
  CHECK(run(room.path, "apply " + quoted(room.path / "case") + " --out " + quoted(room.path / "made" / ".." / "file" / "below")).status ==
        2);
  CHECK(!fs::exists(room.path / "made"));
}

TEST_CASE("refusals: standard output that takes nothing") {
  scratch const room;
  some_case().write(room.path / "case");
  int const raw = std::system(("'" FWA_PROGRAM "' apply " + quoted(room.path / "case") + " --json --out " + quoted(room.path / "out") +
                               " >/dev/full 2>" + quoted(room.path / ".stderr"))
                                  .c_str());
  CHECK(WEXITSTATUS(raw) == 2);
  CHECK(contents(room.path / ".stderr").find("standard output") != std::string::npos);
}

TEST_CASE("refusals: a value that a narrower scalar cannot hold") {
  scratch const room;
  made_case c = some_case();
  c.arrays["k"](1, 1) = 1e6;
  c.write(room.path / "case");
  CHECK(run(room.path, "apply " + quoted(room.path / "case") + " --scalar f32 --out " + quoted(room.path / "f32")).status == 0);
  check_refused(room.path, "apply " + quoted(room.path / "case") + " --scalar f16", {"k[1, 1]", "inf"});
}

TEST_CASE("refusals: a bad head of a batch is named") {
  scratch const room;
  made_case c = some_case();
  c.arrays["q"] = c.arrays["k"] = numbers({2, 7, 3, 3}, 1, -1, 1);
  c.arrays["v"] = numbers({2, 7, 3, 2}, 3, -1, 1);
  c.arrays["beta"] = numbers({2, 7, 3}, 4, 0, 2);
  c.arrays["lambda"] = numbers({2, 7, 3}, 5, 0, 1);
  c.arrays["beta"](1, 4, 2) = 3;
  c.write(room.path / "case");
  check_refused(room.path, "apply " + quoted(room.path / "case"), {"batch 1, head 2", "beta[4, 0]", "but is 3"});
  c.arrays["beta"](1, 4, 2) = 1;
  c.arrays["s0"] = numbers({3, 2}, 1, 0, 1);
  c.write(room.path / "case");
  check_refused(room.path, "apply " + quoted(room.path / "case"), {"s0.npy", "must be [2, 3, 3, 2], but is [3, 2]"});
}

TEST_CASE("refusals: arguments") {
  scratch const room;
  some_case().write(room.path / "case");
  std::string const good = "apply " + quoted(room.path / "case");
  check_refused(room.path, "apply", {"case"});
  check_refused(room.path, "apply " + quoted(room.path / "none"), {"none", "not there"});
  check_refused(room.path, "apply " + quoted(room.path / "case" / "q.npy"), {"q.npy", "not a folder"});
  check_refused(room.path, good + " more", {"more"});
  check_refused(room.path, good + " --form fast", {"--form", "fast"});
  check_refused(room.path, good + " --scalar f8", {"--scalar", "f8"});
  check_refused(room.path, good + " --chunk 0", {"--chunk", "0"});
  check_refused(room.path, good + " --chunk -4", {"--chunk", "-4"});
  check_refused(room.path, good + " --chunk many", {"--chunk", "many"});
  check_refused(room.path, good + " --chunk 99999999999999999999", {"--chunk", "99999999999999999999"});
  check_refused(room.path, good + " --form masked --scan", {"--scan", "masked"});
  check_refused(room.path, good + " --scalar f80 --device cuda", {"--device cuda"});  // not built, or not over f80
  check_refused(room.path, good + " --device tpu", {"--device", "tpu"});
  check_refused(room.path, good + " --unknown", {"--unknown"});
  for (std::string const& words : {std::string(), std::string("fly"), good}) {
    ran const r = run(room.path, words);
    CHECK(r.status == 2);
    CHECK(r.err.find('\n') == r.err.size() - 1);
  }
}

TEST_CASE("refusals: places that cannot be written") {
  scratch const room;
  some_case().write(room.path / "case");
  std::string const good = "apply " + quoted(room.path / "case") + " --out ";
  auto refused = [&](fs::path const& out) {
    auto const before = snapshot(room.path / "case");
    ran const r = run(room.path, good + quoted(out));
    INFO(r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find('\n') == r.err.size() - 1);
    CHECK(r.err.find(out.filename().string()) != std::string::npos);
    CHECK(snapshot(room.path / "case") == before);
  };
  refused(room.path / "case");
  refused(room.path / "case" / "q.npy");
  refused(room.path / "case" / "q.npy" / "below");
  refused("/proc/nowhere");
  std::string const long_name(300, 'x');
  refused(room.path / "new" / long_name);
  CHECK(!fs::exists(room.path / "new"));

  fs::path const taken = room.path / "taken";
  fs::create_directories(taken / "s.npy" / "full");
  std::ofstream(taken / "o.npy") << "an earlier run's";
  std::ofstream(taken / "z.npy") << "an earlier run's";
  auto const before = snapshot(taken);
  CHECK(run(room.path, good + quoted(taken)).status == 2);
  CHECK(snapshot(taken) == before);
}

TEST_CASE("refusals: also for machines") {
  scratch const room;
  made_case c = some_case();
  c.arrays["beta"](4) = 2;
  c.write(room.path / "case");
  for (std::string const& words :
       {"apply " + quoted(room.path / "case") + " --json --out " + quoted(room.path / "out"), std::string("apply --json")}) {
    ran const r = run(room.path, words);
    CHECK(r.status == 2);
    json const summary = json::parse(r.out);
    CHECK(summary["status"] == "error");
    CHECK_EQ("fwa: " + summary["message"].get<std::string>() + "\n", r.err);
  }
  CHECK(!fs::exists(room.path / "out"));
}
