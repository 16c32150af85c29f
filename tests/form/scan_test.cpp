// SPDX-License-Identifier: Apache-2.0
#include <fwa/form/scan.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>

#include <string>
#include <vector>

namespace fwa {
namespace {

TEST_CASE("scan_is_associative: maps compose, in any bracketing") {
  test::dice roll(1);
  auto dense = [&] { return dense_map<double>{roll.matrix(4, 4), roll.matrix(4, 3)}; };
  auto diagonal = [&](index_t columns) { return diagonal_map<double>{roll.matrix(1, columns), roll.matrix(4, 3)}; };
  mat<double> const S = roll.matrix(4, 3);
  auto holds = [&](auto const& a, auto const& b, auto const& c) {
    CHECK_CLOSE(b.after(a)(S), b(a(S)), test::forms);
    CHECK_CLOSE(c.after(b.after(a))(S), c.after(b).after(a)(S), test::forms);
  };
  holds(dense(), dense(), dense());
  holds(diagonal(1), diagonal(1), diagonal(1));
  holds(diagonal(3), diagonal(3), diagonal(3));
}

struct text {
  std::string s;
  [[nodiscard]] text after(text const& earlier) const { return {earlier.s + s}; }
};

TEST_CASE("an inclusive scan composes every prefix, in order, for any length") {
  for (std::size_t n = 0; n <= 20; ++n) {
    std::vector<text> maps;
    std::string want;
    for (std::size_t i = 0; i < n; ++i) maps.push_back({std::string(1, static_cast<char>('a' + i))});
    inclusive_scan(maps);
    for (std::size_t i = 0; i < n; ++i) CHECK(maps[i].s == (want += static_cast<char>('a' + i)));
  }
}

/// The map of a chunk, applied to any state, is what the recurrent form does to it.
TEST_CASE("a chunk is an affine map of its entry state") {
  index_t const c = 7;
  for (rule const& r : {falcon_1, falcon_1a, falcon_2a, falcon_3, falcon_3a}) {
    auto const h = test::some_head(r, c, 4, 3, 2);
    options o;
    o.window = r.windowed ? 3 : 1;
    boundary<double> edge;
    edge.last_feature = test::dice(3).matrix(1, 4).row(0);
    pairs<double> const p = align<double>(h.k, h.v, pairing::shifted, edge);
    auto const plan = make_plan<double>(r.rho, p, h.all().drive, o).schedule;
    for (std::uint64_t seed : {1u, 2u, 3u}) {
      mat<double> const S = test::dice(seed).matrix(4, 3);
      mat<double> const want = recurrent<double>(h.q, p, plan, timing::read_after_write, S).S;
      if (r.rho == residual::zero) {
        CHECK_CLOSE((product_map<double, masked_block<double>>(h.q, p, plan, 0)(S)), want, test::forms);
        continue;
      }
      pairs<double> silent = p;
      silent.y = mat<double>::Zero(p.y.rows(), 4);
      CHECK_CLOSE((regression_map<double, span_block<double>>(h.q, p, silent, plan, 0)(S)), want, test::forms);
      CHECK_CLOSE((regression_map<double, masked_block<double>>(h.q, p, silent, plan, 0)(S)), want, test::forms);
    }
  }
}

TEST_CASE("no tokens, no chunks: the entry state") {
  for (rule const& r : {falcon_1, falcon_1a, falcon_2, falcon_2a, falcon_3}) {
    auto const h = test::some_head(r, 0, 4, 3, 2);
    pairs<double> const p = align<double>(h.k, h.v, pairing::shifted);
    auto const plan = make_plan<double>(r.rho, p, h.all().drive, options{}).schedule;
    mat<double> const S = test::dice(1).matrix(4, 3);
    for (reading<double> const& got :
         {chunked_by_scan<double>(h.q, p, plan, timing::read_after_write, 2, S),
          chunked<double>(h.q, p, plan, timing::read_after_write, 2, S), masked<double>(h.q, p, plan, timing::read_after_write, S)}) {
      CHECK(got.o.rows() == 0);
      CHECK(got.o.cols() == 3);
      CHECK(test::identical(got.S, S));
    }
  }
}

}  // namespace
}  // namespace fwa
