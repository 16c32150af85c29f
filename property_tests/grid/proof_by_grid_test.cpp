// SPDX-License-Identifier: Apache-2.0
// Claim forms_agree, proved at small sizes for all real inputs by the compiled code.
//
// The difference of two forms is a polynomial. Its degree in each variable is measured (degree.hpp, an upper bound); a polynomial of
// degree n_k in variable k that vanishes on a grid of n_k + 1 values a variable is zero. Grid values are small integers and the forms
// use + − × only, so 64-bit integers are exact; that none overflows is measured beside it, in magnitudes.
// Where a group of variables has degree 1 together (q; S_0 with y), 0 and the unit vectors are a grid of that group.
#include "support/problem.hpp"

#include <fwa/number/degree.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

using integer = std::int64_t;

/// |a| ≤ the value: + and − add, × multiplies.
struct magnitude {
  double most = 0;

  magnitude() = default;
  magnitude(int n) : most(n < 0 ? -n : n) {}
  explicit magnitude(double m) : most(m) {}
  friend magnitude operator+(magnitude a, magnitude b) { return magnitude(a.most + b.most); }
  friend magnitude operator-(magnitude a, magnitude b) { return a + b; }
  friend magnitude operator*(magnitude a, magnitude b) { return magnitude(a.most * b.most); }
  friend magnitude operator-(magnitude a) { return a; }
  friend bool operator==(magnitude a, magnitude b) { return a.most == b.most; }
  magnitude& operator+=(magnitude b) { return *this = *this + b; }
  magnitude& operator-=(magnitude b) { return *this = *this + b; }
  magnitude& operator*=(magnitude b) { return *this = *this * b; }
};

}  // namespace

template <>
struct Eigen::NumTraits<magnitude> : fwa::detail::scalar_traits<magnitude> {};

namespace {

constexpr std::size_t most_variables = 15;  // of x, w and γ together
using D = degree<most_variables + 2>;       // and the groups q, (S_0, y)

bool is_single(input g) { return g == input::x || g == input::weight || g == input::gamma; }

/// Degree of every form in each single variable and in each group.
std::vector<int> degrees(shape const& s) {
  std::size_t next = 0;
  auto const a = draw_problem<D>(s, [&next](input g) {
    if (is_single(g)) return D::variable(next++);
    return D::variable(most_variables + (g == input::q ? 0 : 1));
  });
  std::vector<int> most(most_variables + 2, 0);
  for (path f : paths)
    for (index_t C = 1; C <= s.T; ++C) {
      reading<D> const r = solve(a, f, C);
      for (auto const* m : {&r.o, &r.S})
        for (index_t i = 0; i < m->size(); ++i)
          for (std::size_t k = 0; k < most.size(); ++k) most[k] = std::max(most[k], m->data()[i].in(k));
    }
  return most;
}

/// −n/2, …: n + 1 consecutive integers around 0, so that products stay small.
integer point(int degree, int i) { return i - degree / 2; }

void prove(shape const& s) {
  std::vector<int> const n = degrees(s);
  CHECK(n[most_variables] == 1);      // q
  CHECK(n[most_variables + 1] == 1);  // S_0 and y
  std::size_t singles = 0;
  index_t qs = 0, linear = 0;
  (void)draw_problem<integer>(s, [&](input g) {
    singles += is_single(g);
    qs += g == input::q;
    linear += g == input::S || g == input::y;
    return integer(0);
  });
  REQUIRE(singles <= most_variables);

  auto const largest = draw_problem<magnitude>(
      s, [&, at = std::size_t(0)](input g) mutable { return magnitude(is_single(g) ? static_cast<double>((n[at++] + 1) / 2 + 1) : 1.0); });
  double most = 0;
  for (path f : paths)
    for (index_t C = 1; C <= s.T; ++C) {
      reading<magnitude> const r = solve(largest, f, C);
      for (index_t i = 0; i < r.o.size(); ++i) most = std::max(most, r.o.data()[i].most);
      for (index_t i = 0; i < r.S.size(); ++i) most = std::max(most, r.S.data()[i].most);
    }
  CHECK(most < 0x1p53);

  long grid = 1, wrong = 0;
  for (std::size_t k = 0; k < singles; ++k) grid *= n[k] + 1;
#pragma omp parallel for reduction(+ : wrong)
  for (long place = 0; place < grid; ++place)
    for (index_t q = 0; q <= qs; ++q)
      for (index_t unit = 0; unit <= linear; ++unit) {
        index_t this_q = 0, this_linear = 0;
        std::size_t single = 0;
        long rest = place;
        wrong += differences(draw_problem<integer>(s, [&](input g) {
          if (g == input::q) return integer(++this_q == q);
          if (!is_single(g)) return integer(++this_linear == unit);
          int const degree = n[single++], digit = static_cast<int>(rest % (degree + 1));
          rest /= degree + 1;
          return point(degree, digit);
        }));
      }
  long const points = grid * (qs + 1) * (linear + 1);
  CHECK(wrong == 0);
  std::cout << s << ": proved for all real inputs on " << points << " points, magnitudes below " << most << '\n';
}

/// At d = 1, and at d = 2 where each token has one step.
struct sizes {
  index_t T_1, windowed_T_1, per_column_T_1, T_2;
};
constexpr sizes quick{3, 2, 2, 2}, full{5, 4, 3, 3};

}  // namespace

TEST_CASE("small sizes, every chunk, for all real inputs") {
  char const* const how = std::getenv("FWA_GRID");
  sizes const most = how != nullptr && std::string(how) == "full" ? full : quick;
  for (rule const& r : corners)
    for (timing when : {timing::read_after_write, timing::read_before_write}) {
      shape s = shape_of(r, 1);
      s.when = when;
      s.dv = r.per_column ? 2 : 1;
      s.T = r.per_column ? most.per_column_T_1 : r.windowed ? most.windowed_T_1 : most.T_1;
      for (index_t B = r.windowed ? 2 : 1; B <= (r.windowed ? 3 : 1); ++B) {
        s.B = B;
        prove(s);
      }
      if (r.per_column) continue;
      s.B = r.windowed ? 2 : 1;
      s.T = 2;
      s.before = s.B - 1;
      prove(s);
      s.before = 0;
      s.d = 2;
      s.T = most.T_2;
      prove(s);
    }
}
