// SPDX-License-Identifier: Apache-2.0
// Claim forms_agree, proved at small sizes for all real inputs by the compiled code.
//
// The difference of two forms is a polynomial. Its degree in each variable is measured (degree.hpp, an upper bound); a polynomial of
// degree n_k in variable k that vanishes on a grid of n_k + 1 values a variable is zero. Grid values are small integers and the forms
// use + − × only, so doubles are exact below 2^53; that all stay below is measured beside it, in magnitudes.
// Where a group of variables has degree 1 together, 0 and the unit vectors are a grid of that group: (S_0, y), and each q_t. Row t of
// the outputs has degree 0 in every other q, so all q_t are set at once.
#include "support/problem.hpp"

#include <fwa/number/degree.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

/// The same operations at several points.
struct points {
  static constexpr int count = 32;
  std::array<double, count> at{};

  points() = default;
  points(int n) { at.fill(n); }
  points& operator+=(points const& b) { return each(b, std::plus<>()); }
  points& operator-=(points const& b) { return each(b, std::minus<>()); }
  points& operator*=(points const& b) { return each(b, std::multiplies<>()); }
  friend points operator+(points a, points const& b) { return a += b; }
  friend points operator-(points a, points const& b) { return a -= b; }
  friend points operator*(points a, points const& b) { return a *= b; }
  friend points operator-(points const& a) { return points(0) - a; }
  friend bool operator==(points const&, points const&) = default;

 private:
  template <class F>
  points& each(points const& b, F f) {
    for (std::size_t i = 0; i < count; ++i) at[i] = f(at[i], b.at[i]);
    return *this;
  }
};

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
template <>
struct Eigen::NumTraits<points> : fwa::detail::scalar_traits<points> {};

namespace {

constexpr std::size_t most_singles = 20;                                             // of x, w and γ together
constexpr std::size_t linear = most_singles, first_q = linear + 1, most_tokens = 5;  // and the groups (S_0, y), q_1, …
using D = degree<first_q + most_tokens>;

bool is_single(input g) { return g == input::x || g == input::weight || g == input::gamma; }

template <class T, class F>
void for_each_form(problem<T> const& a, F&& f) {
  for (path form : paths)
    for (index_t C = 1; C <= a.of.T; ++C) f(solve(a, form, C));
}

/// Degree of every form in each single variable; checks those in the groups.
std::vector<int> degrees(shape const& s) {
  std::size_t singles = 0, q = 0;
  auto const a = draw_problem<D>(s, [&](input g) {
    if (g == input::q) return D::variable(first_q + q++ / static_cast<std::size_t>(s.d));
    return D::variable(is_single(g) ? singles++ : linear);
  });
  REQUIRE(singles <= most_singles);
  REQUIRE(s.T <= static_cast<index_t>(most_tokens));
  std::vector<int> most(singles, 0);
  bool as_grouped = true;
  auto look = [&](D const& value, index_t token) {
    for (std::size_t k = 0; k < singles; ++k) most[k] = std::max(most[k], value.in(k));
    as_grouped = as_grouped && value.in(linear) <= 1;
    for (index_t t = 0; t < s.T; ++t) as_grouped = as_grouped && value.in(first_q + static_cast<std::size_t>(t)) <= (t == token);
  };
  for_each_form(a, [&](reading<D> const& r) {
    for (index_t t = 0; t < s.T; ++t)
      for (index_t j = 0; j < s.dv; ++j) look(r.o(t, j), t);
    for (index_t i = 0; i < r.S.size(); ++i) look(r.S.data()[i], -1);
  });
  CHECK(as_grouped);
  return most;
}

/// −n/2, …: n + 1 consecutive integers around 0, so that products stay small.
int point(int degree, long i) { return static_cast<int>(i) - degree / 2; }

void prove(shape const& s) {
  std::vector<int> const n = degrees(s);
  double most = 0;
  auto const largest = draw_problem<magnitude>(
      s, [&, at = std::size_t(0)](input g) mutable { return magnitude(is_single(g) ? static_cast<double>((n[at++] + 1) / 2 + 1) : 1.0); });
  for_each_form(largest, [&](reading<magnitude> const& r) {
    for (auto const* m : {&r.o, &r.S})
      for (index_t i = 0; i < m->size(); ++i) most = std::max(most, m->data()[i].most);
  });
  CHECK(most < 0x1p53);

  long const qs = s.d + 1, units = s.d * s.dv + (s.before + s.T) * s.dv + 1;
  long grid = qs * units, wrong = 0;
  for (int degree : n) grid *= degree + 1;
#pragma omp parallel for reduction(+ : wrong)
  for (long first = 0; first < grid; first += points::count) {
    long place[points::count], q[points::count], unit[points::count];
    for (int i = 0; i < points::count; ++i) {
      long const at = std::min(first + i, grid - 1);
      q[i] = at % qs;
      unit[i] = at / qs % units;
      place[i] = at / qs / units;
    }
    long this_q = 0, this_unit = 0;
    std::size_t single = 0;
    wrong += differences(draw_problem<points>(s, [&](input g) {
      points p;
      if (g == input::q) {
        long const coordinate = 1 + this_q++ % s.d;
        for (std::size_t i = 0; i < points::count; ++i) p.at[i] = coordinate == q[i];
      } else if (!is_single(g)) {
        ++this_unit;
        for (std::size_t i = 0; i < points::count; ++i) p.at[i] = this_unit == unit[i];
      } else {
        int const degree = n[single++];
        for (std::size_t i = 0; i < points::count; ++i) {
          p.at[i] = point(degree, place[i] % (degree + 1));
          place[i] /= degree + 1;
        }
      }
      return p;
    }));
  }
  CHECK(wrong == 0);
  std::cout << s << ": proved for all real inputs on " << grid << " points, magnitudes below " << most << std::endl;
}

/// The longest sequence at this d.
index_t longest(rule const& r, index_t d, bool full) {
  if (r.per_column) return full && d == 1 ? 3 : 2;
  if (d == 2) return full ? 3 : 2;
  return full ? (r.windowed ? 4 : 5) : 3;
}

}  // namespace

TEST_CASE("small sizes, every chunk, for all real inputs") {
  char const* const how = std::getenv("FWA_GRID");
  bool const full = how != nullptr && std::string(how) == "full";
  for (rule const& r : corners)
    for (timing when : {timing::read_after_write, timing::read_before_write}) {
      shape s = shape_of(r, 1);
      s.when = when;
      s.dv = r.per_column ? 2 : 1;
      for (s.d = 1; s.d <= 2; ++s.d)
        for (s.B = r.windowed ? 2 : 1; s.B <= (r.windowed ? s.d == 1 || full ? 3 : 2 : 1); ++s.B) {
          s.T = longest(r, s.d, full);
          if (s.B <= s.T) prove(s);
        }
      s.d = 1;
      s.T = 2;
      s.B = r.windowed ? 2 : 1;
      s.before = 1;
      if (r.windowed) prove(s);
    }
}
