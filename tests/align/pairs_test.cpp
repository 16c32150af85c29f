// SPDX-License-Identifier: Apache-2.0
#include <fwa/align/pairs.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <algorithm>

namespace fwa {
namespace {

/// Features 1, 2, 3, … and values 10, 20, 30, …: token t has t and 10 t.
mat<double> counted(index_t first, index_t n, double step) {
  mat<double> m(n, 1);
  for (index_t t = 0; t < n; ++t) m(t, 0) = step * static_cast<double>(first + t);
  return m;
}

TEST_CASE("a fresh shifted sequence begins with a sentinel in feature space") {
  auto const p = align<double>(counted(1, 4, 1), counted(1, 4, 10), pairing::shifted);
  CHECK(p.sentinel);
  CHECK(p.before == 0);
  CHECK(p.tokens() == 4);
  CHECK(p.x == (mat<double>(4, 1) << 0, 1, 2, 3).finished());
  CHECK(p.y == (mat<double>(4, 1) << 10, 20, 30, 40).finished());
}

TEST_CASE("a continued shifted sequence begins with the last feature") {
  boundary<double> entry;
  entry.last_feature = row<double>::Constant(1, 7);
  auto const p = align<double>(counted(1, 3, 1), counted(1, 3, 10), pairing::shifted, entry);
  CHECK(!p.sentinel);
  CHECK(p.x == (mat<double>(3, 1) << 7, 1, 2).finished());
}

TEST_CASE("same-step pairs are a token's own key and value, with no sentinel and no use for the last feature") {
  boundary<double> entry;
  for (int with_key = 0; with_key < 2; ++with_key) {
    if (with_key) entry.last_feature = row<double>::Constant(1, 7);
    auto const p = align<double>(counted(1, 3, 1), counted(1, 3, 10), pairing::same_step, entry);
    CHECK(!p.sentinel);
    CHECK(p.x == counted(1, 3, 1));
    CHECK(p.y == counted(1, 3, 10));
  }
}

TEST_CASE("pairs made by hand begin with a pair of their own") {
  pairs<double> const p{counted(1, 4, 1), counted(1, 4, 10)};
  CHECK(!p.sentinel);
  CHECK(p.before == 0);
  CHECK(p.tokens() == 4);
}

TEST_CASE("no tokens, no sentinel") {
  auto const p = align<double>(mat<double>(0, 2), mat<double>(0, 1), pairing::shifted);
  CHECK(!p.sentinel);
  CHECK(p.tokens() == 0);
}

TEST_CASE("the tail stands before the tokens, and a normaliser is a column of ones") {
  boundary<double> entry;
  entry.last_feature = row<double>::Constant(1, 7);
  entry.tail_x = counted(5, 2, 1);
  entry.tail_y = counted(5, 2, 10);
  auto const p = align<double>(counted(1, 2, 1), counted(1, 2, 10), pairing::shifted, entry, true);
  CHECK(p.before == 2);
  CHECK(p.tokens() == 2);
  CHECK(p.x == (mat<double>(4, 1) << 5, 6, 7, 1).finished());
  CHECK(p.y == (mat<double>(4, 2) << 50, 1, 60, 1, 10, 1, 20, 1).finished());
}

/// Cut into calls of every length, the edge that is left is the one that a single call leaves.
TEST_CASE("the edge keeps the last min(B-1, available) pairs, over calls of any length") {
  index_t const count = 9;
  for (auto how : {pairing::shifted, pairing::same_step})
    for (index_t B : {1, 2, 4, 20})
      for (index_t step = 1; step <= count; ++step) {
        boundary<double> edge;
        for (index_t first = 0; first < count; first += step) {
          index_t const n = std::min(step, count - first);
          mat<double> const features = counted(1 + first, n, 1);
          leave<double>(edge, align<double>(features, counted(1 + first, n, 10), how, edge), features, B, 1);
        }
        index_t const shift = how == pairing::shifted ? 1 : 0, kept = std::min(B - 1, count - shift);
        CHECK((*edge.last_feature)(0) == count);
        REQUIRE(edge.tail_x.rows() == kept);
        CHECK(edge.tail_x == counted(count + 1 - shift - kept, kept, 1));
        CHECK(edge.tail_y == counted(count + 1 - kept, kept, 10));
      }
}

}  // namespace
}  // namespace fwa
