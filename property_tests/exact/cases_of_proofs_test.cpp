// SPDX-License-Identifier: Apache-2.0
// Claim cases_of_proofs: on the table in proofs/cases.v, of which Coq proves that the recurrence of proofs/definitions.v gives its outputs
// and exit states, every form of the compiled code gives them too. The table is read from that file, whose head says what its lists are.
#include "support/exact.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

using list = std::vector<int>;

/// The ten lists of every case.
std::vector<std::vector<list>> table() {
  std::ifstream file(FWA_SOURCE_DIR "/proofs/cases.v");
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  std::size_t at = text.find("Definition table");
  std::size_t const end = text.find("])%BinZ.", at);
  REQUIRE(end != std::string::npos);
  std::vector<std::vector<list>> all;
  while ((at = text.find("[:: ", at)) < end) {
    at += 4;
    if (text[at] == '[') {
      all.emplace_back();
      continue;
    }
    std::istringstream numbers(text.substr(at, text.find(']', at) - at));
    all.back().emplace_back();
    for (int n; numbers >> n; numbers.ignore()) all.back().back().push_back(n);
  }
  return all;
}

mat<rational> matrix(list const& numbers, index_t columns) {
  index_t const rows = static_cast<index_t>(numbers.size()) / columns;
  REQUIRE(rows * columns == static_cast<index_t>(numbers.size()));
  return mat<rational>::NullaryExpr(rows, columns,
                                    [&](index_t i, index_t j) { return rational(numbers[static_cast<std::size_t>(i * columns + j)]); });
}

}  // namespace

TEST_CASE("every form gives what Coq proves of the recurrence") {
  auto const all = table();
  CHECK(all.size() == 13);
  for (auto const& c : all) {
    REQUIRE(c.size() == 10);
    list const& of = c[0];
    REQUIRE(of.size() == 9);
    index_t const dx = of[1], dv = of[2], T = of[4];
    problem<rational> a;
    a.of.rho = of[0] == 0 ? residual::zero : of[0] == 1 ? residual::one : residual::gamma;
    a.of.when = of[5] == 0 ? timing::read_after_write : timing::read_before_write;
    a.of.per_column = of[6] == 1;
    a.of.B = of[8];
    a.q = matrix(c[2], dx);
    a.p = {matrix(c[3], dx), matrix(c[4], dv), of[3], of[7] == 1};
    a.plan = {matrix(c[5], dv), matrix(c[6], dv), {c[1].begin(), c[1].end()}, a.of.rho};
    if (!a.of.per_column) {
      a.plan.weight = a.plan.weight.leftCols(1).eval();
      a.plan.gamma = a.plan.gamma.leftCols(1).eval();
    }
    for (index_t t = 0; t < T; ++t) CHECK(c[1][static_cast<std::size_t>(t)] == std::min(of[8], of[3] + static_cast<int>(t) + 1 - of[7]));
    a.S = matrix(c[7], dv);
    reading<rational> const want{matrix(c[8], dv), matrix(c[9], dv)};
    for (path f : paths)
      for (index_t C = 1; C <= T + 1; ++C) {
        CAPTURE(&c - all.data());
        CAPTURE(f);
        CAPTURE(C);
        CHECK(equal(solve(a, f, C), want));
      }
  }
}
