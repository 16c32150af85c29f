// SPDX-License-Identifier: Apache-2.0
// Claims chunk_size_is_free and scan_is_associative: no chunk size changes a result, chunks of different sizes may follow each other, and
// chunk maps may be composed in any order.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

TEST_CASE("every chunk size gives the same") {
  for (rule const& r : corners)
    for_all("chunk_size_is_free, " + std::string(r.name), 400, [&r] {
      shape const s = any_shape(r, 6, 2, 2, 3);
      problem<rational> const a = any_problem(s);
      for (path f : {path::chunk, path::scan}) {
        reading<rational> const want = solve(a, f, 1);
        for (index_t C = 2; C <= s.T + 1; ++C) {
          RC_LOG() << s << ", " << f << ", C " << C << '\n';
          RC_ASSERT(equal(solve(a, f, C), want));
        }
      }
    });
}

TEST_CASE("maps compose in any order, and as one after the other") {
  auto check = [](auto const& a, auto const& b, auto const& c, mat<rational> const& S) {
    auto const left = c.after(b).after(a), right = c.after(b.after(a));
    RC_ASSERT(left.b == right.b);
    RC_ASSERT(left(S) == right(S));
    RC_ASSERT(left(S) == c(b(a(S))));
  };
  for_all("scan_is_associative, dense maps", 100, [&] {
    auto map = [&] { return dense_map<rational>{any_matrix(3, 3), any_matrix(3, 2)}; };
    dense_map<rational> const a = map(), b = map(), c = map();
    check(a, b, c, any_matrix(3, 2));
  });
  for_all("scan_is_associative, one factor a column", 100, [&] {
    index_t const columns = *rc::gen::element<index_t>(1, 2);
    auto map = [&] { return diagonal_map<rational>{any_matrix(1, columns), any_matrix(3, 2)}; };
    diagonal_map<rational> const a = map(), b = map(), c = map();
    check(a, b, c, any_matrix(3, 2));
  });
  for_all("inclusive_scan is the composition of all maps so far", 100, [&] {
    std::vector<dense_map<rational>> maps;
    for (int n = die(10) - 1; n > 0; --n) maps.push_back({any_matrix(2, 2), any_matrix(2, 1)});
    mat<rational> const S = any_matrix(2, 1);
    std::vector<mat<rational>> want;
    for (auto const& m : maps) want.push_back(m(want.empty() ? S : want.back()));
    inclusive_scan(maps);
    for (std::size_t i = 0; i < maps.size(); ++i) RC_ASSERT(maps[i](S) == want[i]);
  });
}
