// SPDX-License-Identifier: Apache-2.0
// Claim forms_agree, proved at small sizes for all real inputs by the compiled code.
//
// The difference of two forms is a polynomial. Its degree in each variable is measured (degree.hpp, an upper bound); a polynomial of
// degree n_k in variable k that vanishes on a grid of n_k + 1 values a variable is zero. Grid values are small integers and the forms
// use + − × only, so doubles are exact below 2^53; that all stay below is measured beside it, in magnitudes.
// Where a group of variables has degree 1 together, 0 and the unit vectors are a grid of that group: (S_0, y), and each q_t. Row t of
// the outputs has degree 0 in every other q, so all q_t are set at once; column j has degree 0 in the w, γ, S_0 and y of every other
// column, so all columns are set at once.
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
  static constexpr int count = 16;  // the quickest of 8, 16, 32, 64
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

constexpr std::size_t most_tokens = 5, most_columns = 2, most_x = 12, most_singles = most_x + 2 * most_tokens;  // singles: x, w_t, γ_t
constexpr std::size_t a_column = 2 * most_tokens + 1, first_q = most_x + most_columns * a_column;  // w_t, γ_t, and (S_0, y) as one
using D = degree<first_q + most_tokens>;

/// Rows and columns of the entries that draw_problem asks for, in its order.
class entries {
 public:
  explicit entries(shape const& s) {
    std::size_t const d = static_cast<std::size_t>(s.d), dv = static_cast<std::size_t>(s.dv), steps = s.per_column ? dv : 1;
    columns_[at(input::q)] = columns_[at(input::x)] = d;
    columns_[at(input::S)] = columns_[at(input::y)] = dv;
    columns_[at(input::weight)] = columns_[at(input::gamma)] = steps;
    x_ = static_cast<std::size_t>(s.before + s.T) * d;
    tokens_ = static_cast<std::size_t>(s.T);
  }

  struct entry {
    std::size_t row, column;
  };
  entry next(input g) {
    std::size_t const n = asked_[at(g)]++;
    return {n / columns_[at(g)], n % columns_[at(g)]};
  }

  /// x, then w_t, then γ_t of one column.
  [[nodiscard]] std::size_t singles() const { return x_ + 2 * tokens_; }
  [[nodiscard]] std::size_t single(input g, entry e) const {
    return g == input::x ? e.row * columns_[at(g)] + e.column : x_ + (g == input::gamma ? tokens_ : 0) + e.row;
  }

 private:
  static std::size_t at(input g) { return static_cast<std::size_t>(g); }
  std::array<std::size_t, inputs> columns_{}, asked_{};
  std::size_t x_, tokens_;
};

bool is_single(input g) { return g == input::x || g == input::weight || g == input::gamma; }

template <class T, class F>
void for_each_form(problem<T> const& a, F&& f) {
  for (path form : paths)
    for (index_t C = 1; C <= a.of.T; ++C) f(solve(a, form, C));
}

/// Degree of every form in each single variable; checks those in the groups and in the variables of another column.
std::vector<int> degrees(shape const& s) {
  entries order(s);
  REQUIRE(order.singles() - 2 * static_cast<std::size_t>(s.T) <= most_x);
  REQUIRE(s.T <= static_cast<index_t>(most_tokens));
  REQUIRE(s.dv <= static_cast<index_t>(most_columns));
  auto of_column = [](std::size_t column, std::size_t k) { return most_x + column * a_column + k; };
  auto const a = draw_problem<D>(s, [&](input g) {
    auto const e = order.next(g);
    if (g == input::q) return D::variable(first_q + e.row);
    if (g == input::x) return D::variable(order.single(g, e));
    if (is_single(g)) return D::variable(of_column(e.column, e.row + (g == input::gamma ? most_tokens : 0)));
    return D::variable(of_column(e.column, a_column - 1));
  });
  std::size_t const tokens = static_cast<std::size_t>(s.T), columns = static_cast<std::size_t>(s.dv), x = order.singles() - 2 * tokens;
  std::size_t const steps = s.per_column ? columns : 1;
  std::vector<int> most(order.singles(), 0);
  bool as_grouped = true;
  auto look = [&](D const& value, index_t token, std::size_t column) {
    for (std::size_t k = 0; k < x; ++k) most[k] = std::max(most[k], value.in(k));
    for (std::size_t j = 0; j < columns; ++j) {
      as_grouped = as_grouped && value.in(of_column(j, a_column - 1)) <= (j == column);
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t gamma = 0; gamma < 2; ++gamma) {
          int const n = value.in(of_column(j, t + gamma * most_tokens));
          if (j == column % steps)
            most[x + gamma * tokens + t] = std::max(most[x + gamma * tokens + t], n);
          else
            as_grouped = as_grouped && n == 0;
        }
    }
    for (index_t t = 0; t < s.T; ++t) as_grouped = as_grouped && value.in(first_q + static_cast<std::size_t>(t)) <= (t == token);
  };
  for_each_form(a, [&](reading<D> const& r) {
    for (index_t j = 0; j < s.dv; ++j) {
      for (index_t t = 0; t < s.T; ++t) look(r.o(t, j), t, static_cast<std::size_t>(j));
      for (index_t i = 0; i < s.d; ++i) look(r.S(i, j), -1, static_cast<std::size_t>(j));
    }
  });
  CHECK(as_grouped);
  return most;
}

/// −n/2, …: n + 1 consecutive integers around 0, so that products stay small.
int point(int degree, long i) { return static_cast<int>(i) - degree / 2; }

/// @return how many points
long prove(shape const& s) {
  std::vector<int> const n = degrees(s);
  double most = 0;
  auto const largest = draw_problem<magnitude>(s, [&, order = entries(s)](input g) mutable {
    auto const e = order.next(g);
    return magnitude(is_single(g) ? static_cast<double>((n[order.single(g, e)] + 1) / 2 + 1) : 1.0);
  });
  for_each_form(largest, [&](reading<magnitude> const& r) {
    for (auto const* m : {&r.o, &r.S})
      for (index_t i = 0; i < m->size(); ++i) most = std::max(most, m->data()[i].most);
  });
  CHECK(most < 0x1p53);

  long const qs = s.d + 1, units = s.d + s.before + s.T + 1;  // 0, rows of S_0, rows of y
  long grid = qs * units, wrong = 0;
  for (int degree : n) grid *= degree + 1;
#pragma omp parallel for reduction(+ : wrong)
  for (long first = 0; first < grid; first += points::count) {
    std::array<long, points::count> q, unit;
    std::array<points, most_singles> single;
    for (std::size_t i = 0; i < points::count; ++i) {
      long place = std::min(first + static_cast<long>(i), grid - 1);
      q[i] = place % qs;
      unit[i] = place / qs % units;
      place /= qs * units;
      for (std::size_t k = 0; k < n.size(); ++k) {
        single[k].at[i] = point(n[k], place % (n[k] + 1));
        place /= n[k] + 1;
      }
    }
    auto const drawn = draw_problem<points>(s, [&, order = entries(s)](input g) mutable {
      auto const e = order.next(g);
      if (is_single(g)) return single[order.single(g, e)];
      long const chosen = 1 + static_cast<long>(g == input::q ? e.column : g == input::S ? e.row : static_cast<std::size_t>(s.d) + e.row);
      points p;
      for (std::size_t i = 0; i < points::count; ++i) p.at[i] = chosen == (g == input::q ? q : unit)[i];
      return p;
    });
    wrong += differences(drawn, paths);
  }
  CHECK(wrong == 0);
  std::cout << s << ": proved for all real inputs on " << grid << " points, magnitudes below " << most << std::endl;
  return grid;
}

}  // namespace

TEST_CASE("small sizes, every chunk, for all real inputs") {
  char const* const how = std::getenv("FWA_GRID");
  bool const full = how != nullptr && std::string(how) == "full";
  long total = 0, problems = 0;
  auto count = [&](shape const& s) {
    total += prove(s);
    ++problems;
  };
  for (rule const& r : corners)
    for (timing when : {timing::read_after_write, timing::read_before_write}) {
      shape s = shape_of(r, 1);
      s.when = when;
      s.dv = r.per_column ? 2 : 1;
      for (bool sentinel : {false, true}) {
        s.sentinel = sentinel;
        for (s.d = 1; s.d <= 2; ++s.d)
          for (s.B = r.windowed ? 2 : 1; s.B <= (r.windowed ? s.d == 1 || full ? 3 : 2 : 1); ++s.B) {
            s.T = s.d == 1 ? (full ? 5 : 3) : (full ? 3 : 2);
            if (s.B <= s.T) count(s);
          }
      }
      s.sentinel = false;
      s.d = 1;
      s.T = 2;
      s.B = r.windowed ? 2 : 1;
      s.before = 1;
      if (r.windowed) count(s);
    }
  std::cout << problems << " problems, " << total << " points\n";
}
