// SPDX-License-Identifier: Apache-2.0
// `fwa verify`: certificates as text and JSON, of rules and of cases; what is printed where a form is wrong; refusals.
#include "../../program/verify.hpp"

#include "program/support.hpp"

#include <sstream>

using namespace fwa;
using namespace fwa::test;

TEST_CASE("a small certificate of every rule") {
  scratch const room;
  ran const r = run(room.path, "verify --tokens 37 --dx 3 --dv 2 --window 3 --chunk 8 --json");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  json const all = json::parse(r.out);
  CHECK(all.at("status") == "done");
  CHECK(all.at("certificates").size() == 2 * verify::corners.size());
  for (json const& c : all.at("certificates")) {
    CHECK(c.at("holds") == true);
    bool const early = c.at("timing") == "rbw";
    if (c.at("rule") == "falcon-1") CHECK(c.at("degree") == 3 * 37 + (early ? 1 : 2));
    CHECK(c.at("chance").get<double>() < 1e-30);
    CHECK(c.at("chance").get<double>() > 0);
    CHECK(c.at("points") == 2);
    CHECK(c.at("primes") == json{2305843009213693951, 576460752303423433});
    bool const wy = c.at("rule") == "falcon-1" || c.at("rule") == "falcon-2",
               tensor = c.at("rule") == "falcon-1" || c.at("rule") == "falcon-3";
    json forms = {"masked", "chunk", "scan"};
    if (wy) forms.push_back("wy");
    if (tensor) forms.push_back("tensor-inverse");
    CHECK(c.at("forms") == forms);
    CHECK(c.contains("paper_degree") == (wy || tensor));
    if (c.at("rule") == "falcon-1") CHECK(c.at("paper_degree") == 5 * 37 + (early ? 1 : 2) + 37);
  }
}

TEST_CASE("of a case: its rule, sizes and boundary") {
  scratch const room;
  ran const r = run(room.path, "verify '" FWA_SOURCE_DIR "/tests/vectors/case-026-falcon-3-continued' --json");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  json const c = json::parse(r.out).at("certificates").at(0);
  CHECK(c.at("rule") == "falcon-3");
  CHECK(c.at("sentinel") == false);
  CHECK(run(room.path, "verify '" FWA_SOURCE_DIR "/tests/vectors/case-000-falcon-1-plain'").out.find("sentinel") != std::string::npos);
}

TEST_CASE("refusals: one line, status 2") {
  scratch const room;
  for (char const* words : {"verify --rule falcon-9", "verify --tokens 0", "verify --tokens 1e3", "verify --points 0", "verify /nowhere",
                            "verify '" FWA_SOURCE_DIR "/tests/vectors/case-000-falcon-1-plain' --tokens 3"}) {
    ran const r = run(room.path, words);
    CAPTURE(words);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(r.err.find('\n') == r.err.size() - 1);
  }
}

TEST_CASE("a certificate that does not hold names the smallest case") {
  verify::shape s = verify::shape_of(falcon_2, 1);
  s.T = 9;
  verify::certificate c{
      s, 4, 1, {verify::path::chunk}, 0, std::nullopt, verify::disagreement{verify::path::chunk, s, 2, verify::primes[0], 11}};
  std::ostringstream out;
  program::print(out, "falcon-2", c);
  for (char const* word : {"DOES NOT HOLD", "chunk is not the recurrence", "T 9", "chunk 2", "p = 2305843009213693951", "seed 11"})
    CHECK(out.str().find(word) != std::string::npos);
  CHECK(program::as_json("falcon-2", c).at("smallest").at("chunk") == 2);
  CHECK(program::as_json("falcon-2", c).at("holds") == false);
}

TEST_CASE("a wrong form ends the program with status 1, after certificates that name the smallest case") {
  scratch const room;
  std::string const sizes = "verify --tokens 11 --dx 3 --dv 2 --window 3 --chunk 4 --points 1 --rule falcon-3";
  ran const text = run(room.path, sizes, FWA_FAILING_PROGRAM);
  CHECK(text.status == 1);
  for (char const* word : {"DOES NOT HOLD", "chunk is not the recurrence", "B 1, T 3, dx 1, dv 1", "chunk 2"})
    CHECK(text.out.find(word) != std::string::npos);
  CHECK(text.err.starts_with("fwa: falcon-3: chunk is not the recurrence at "));
  CHECK(text.err.find('\n') == text.err.size() - 1);

  ran const r = run(room.path, sizes + " --json", FWA_FAILING_PROGRAM);
  CHECK(r.status == 1);
  json const all = json::parse(r.out);
  CHECK(all.at("status") == "wrong");
  CHECK(all.at("certificates").size() == 2);
  for (json const& c : all.at("certificates")) {
    CHECK(c.at("holds") == false);
    CHECK(c.at("smallest").at("form") == "chunk");
    CHECK(c.at("smallest").at("tokens") == 3);
    CHECK(c.at("smallest").at("chunk") == 2);
    CHECK(c.at("smallest").at("window") == 1);
  }
}
