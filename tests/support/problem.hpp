// SPDX-License-Identifier: Apache-2.0
// support/problem.hpp — what a form is given, drawn over any scalar, and every way to solve it.
#pragma once

#include <fwa/form/chunked.hpp>
#include <fwa/form/masked.hpp>
#include <fwa/form/recurrent.hpp>
#include <fwa/form/scan.hpp>

#include <array>
#include <ostream>
#include <string>

namespace fwa::test {

/// Sizes and the point of the equation; `before` pairs of earlier tokens, or a sentinel as first token.
struct shape {
  residual rho = residual::one;
  bool per_column = false;
  index_t B = 1, T = 1, d = 1, dv = 1, before = 0;
  bool sentinel = false;
  timing when = timing::read_after_write;
};

inline std::ostream& operator<<(std::ostream& out, shape const& s) {
  return out << "rho "
             << (s.rho == residual::zero  ? "0"
                 : s.rho == residual::one ? "1"
                                          : "gamma")
             << (s.per_column ? ", per column" : "") << ", B " << s.B << ", T " << s.T << ", d " << s.d << ", dv " << s.dv << ", before "
             << s.before << (s.sentinel ? ", sentinel" : "") << (s.when == timing::read_after_write ? ", raw" : ", rbw");
}

/// The eight corners and the gated residual, one step a token and one a column.
struct corner {
  char const* name;
  residual rho;
  bool per_column, windowed;
};
inline constexpr std::array<corner, 10> corners = {{{"falcon-1", residual::one, false, false},
                                                    {"falcon-2", residual::one, true, false},
                                                    {"falcon-3", residual::one, false, true},
                                                    {"falcon-1a", residual::zero, false, false},
                                                    {"falcon-2a", residual::zero, true, false},
                                                    {"falcon-3a", residual::zero, false, true},
                                                    {"falcon-23", residual::one, true, true},
                                                    {"falcon-23a", residual::zero, true, true},
                                                    {"gated", residual::gamma, false, false},
                                                    {"gated-23", residual::gamma, true, true}}};

/// A shape at this corner, all sizes 1.   @param B window, where the corner has one
[[nodiscard]] inline shape shape_of(corner const& c, index_t B) {
  shape s;
  s.rho = c.rho;
  s.per_column = c.per_column;
  s.B = c.windowed ? B : 1;
  return s;
}

/// Groups of inputs, for scalars that tell them apart.
enum class input : std::size_t { q, S, x, y, weight, gamma };
inline constexpr std::size_t inputs = 6;

template <class T>
struct problem {
  shape of;
  mat<T> q;
  pairs<T> p;
  schedule<T> plan;
  mat<T> S;
};

/// @param draw called as draw(input) for each entry
template <class T, class Draw>
[[nodiscard]] problem<T> draw_problem(shape const& s, Draw&& draw) {
  index_t const rows = s.before + s.T, columns = s.per_column ? s.dv : 1;
  problem<T> a{s, mat<T>(s.T, s.d), {mat<T>(rows, s.d), mat<T>(rows, s.dv), s.before, s.sentinel}, {}, mat<T>(s.d, s.dv)};
  a.plan.rho = s.rho;
  a.plan.weight.resize(s.T, columns);
  a.plan.gamma.resize(s.T, columns);
  auto fill = [&draw](mat<T>& m, input group) {
    for (index_t i = 0; i < m.rows(); ++i)
      for (index_t j = 0; j < m.cols(); ++j) m(i, j) = draw(group);
  };
  fill(a.q, input::q);
  fill(a.S, input::S);
  fill(a.p.x, input::x);
  fill(a.p.y, input::y);
  fill(a.plan.weight, input::weight);
  fill(a.plan.gamma, input::gamma);
  for (index_t t = 0; t < s.T; ++t) a.plan.window.push_back(std::min(s.B, s.before + t + 1 - (s.sentinel ? 1 : 0)));
  if (s.sentinel && s.T > 0) {
    a.p.x.row(s.before).setConstant(T(0));
    a.plan.weight.row(0).setConstant(T(0));
    a.plan.gamma.row(0).setConstant(T(1));
  }
  return a;
}

enum class path { recurrent, masked, chunk, scan };
inline constexpr std::array<path, 4> paths = {path::recurrent, path::masked, path::chunk, path::scan};
inline std::ostream& operator<<(std::ostream& out, path f) {
  static constexpr std::array<char const*, 4> names = {"recurrent", "masked", "chunk", "scan"};
  return out << names[static_cast<std::size_t>(f)];
}

template <class T>
[[nodiscard]] reading<T> solve(problem<T> const& a, path f, index_t C) {
  switch (f) {
    case path::recurrent:
      return recurrent<T>(a.q, a.p, a.plan, a.of.when, a.S);
    case path::masked:
      return masked<T>(a.q, a.p, a.plan, a.of.when, a.S);
    case path::chunk:
      return chunked<T>(a.q, a.p, a.plan, a.of.when, C, a.S);
    case path::scan:
      break;
  }
  return chunked_by_scan<T>(a.q, a.p, a.plan, a.of.when, C, a.S);
}

template <class T>
[[nodiscard]] bool equal(reading<T> const& a, reading<T> const& b) {
  return a.o.rows() == b.o.rows() && a.o.cols() == b.o.cols() && a.o == b.o && a.S == b.S;
}

}  // namespace fwa::test
