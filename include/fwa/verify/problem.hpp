// SPDX-License-Identifier: Apache-2.0
// verify/problem.hpp — what a form is given, drawn over any scalar, and every way to solve it.
//
//   q (T, d)   x (before + T, d)   y (before + T, dv)   w, γ (T, 1) or (T, dv)   S_0 (d, dv)
//
// The forms know nothing of keys, gains and ridges, so neither does a problem: weights and decays are drawn, not planned.
// Laws: forms_agree, paper_forms_agree_where_defined.
#pragma once

#include "../form/chunked.hpp"
#include "../form/masked.hpp"
#include "../form/paper/tensor_inverse.hpp"
#include "../form/paper/wy.hpp"
#include "../form/recurrent.hpp"
#include "../form/scan.hpp"
#include "../rule/falcon.hpp"
#include "../rule/neighbours.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <string>
#include <utility>

namespace fwa::verify {

/// Every kind of input that a form may meet: the eight corners, and the residual after the decay, one step a token or one a column.
inline constexpr std::array<rule, 10> corners = {
    falcon_1,  falcon_2,  falcon_3,   falcon_1a,       falcon_2a,
    falcon_3a, falcon_23, falcon_23a, gated_delta_net, rule{"gated-23", residual::gamma, true, true, step_law::given, pairing::same_step}};

/// Sizes and the point of the equation.
struct shape {
  residual rho = residual::one;
  bool per_column = false;
  index_t B = 1, T = 1, d = 1, dv = 1;
  index_t before = 0;     ///< pairs of earlier tokens, < B
  bool sentinel = false;  ///< the first token has no pair
  timing when = timing::read_after_write;
};

/// A shape of this rule, all sizes 1.   @param B window, where the rule has one
[[nodiscard]] inline shape shape_of(rule const& r, index_t B) {
  shape s;
  s.rho = r.rho;
  s.per_column = r.per_column;
  s.B = r.windowed ? B : 1;
  return s;
}

inline std::ostream& operator<<(std::ostream& out, shape const& s) {
  constexpr std::array<char const*, 3> rho = {"0", "1", "gamma"};
  return out << "rho " << rho[static_cast<std::size_t>(s.rho)] << (s.per_column ? ", per column" : "") << ", B " << s.B << ", T " << s.T
             << ", dx " << s.d << ", dv " << s.dv << (s.before > 0 ? ", pairs before: " + std::to_string(s.before) : "")
             << (s.sentinel ? ", sentinel" : "") << (s.when == timing::read_after_write ? ", read after write" : ", read before write");
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
  mat<T> sigma;  ///< √(w/γ) as the paper's forms take it; empty where it was not asked for
};

/// @param draw called as draw(input) for each entry
template <class T, class Draw>
[[nodiscard]] problem<T> draw_problem(shape const& s, Draw&& draw) {
  index_t const rows = s.before + s.T, columns = s.per_column ? s.dv : 1;
  problem<T> a{s, mat<T>(s.T, s.d), {mat<T>(rows, s.d), mat<T>(rows, s.dv), s.before, s.sentinel}, {}, mat<T>(s.d, s.dv), {}};
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

enum class path { recurrent, masked, chunk, scan, wy, tensor_inverse };
/// What is compared with the recurrence over any ring.
inline constexpr std::array<path, 4> paths = {path::recurrent, path::masked, path::chunk, path::scan};
inline constexpr std::array<path, 2> paper_paths = {path::wy, path::tensor_inverse};
inline constexpr std::array<path, 6> all_paths = {path::recurrent, path::masked, path::chunk, path::scan, path::wy, path::tensor_inverse};

[[nodiscard]] inline bool is_paper(path f) { return f == path::wy || f == path::tensor_inverse; }

inline std::ostream& operator<<(std::ostream& out, path f) {
  constexpr std::array<char const*, 6> names = {"recurrent", "masked", "chunk", "scan", "wy", "tensor-inverse"};
  return out << names[static_cast<std::size_t>(f)];
}

/// Whether a form of the paper is defined at this shape: regression; one pair, or one step a token.
[[nodiscard]] inline bool is_defined(path f, shape const& s) {
  if (f == path::wy) return s.rho == residual::one && s.B == 1;
  if (f == path::tensor_inverse) return s.rho == residual::one && !s.per_column;
  return true;
}

/// Makes what was drawn as weights the roots σ of the paper's forms: w = γ σ². No decay may be 0, since the paper divides by them: a 0
/// becomes 1.
template <field T>
[[nodiscard]] problem<T> with_roots(problem<T> a) {
  for (index_t i = 0; i < a.plan.gamma.size(); ++i)
    if (a.plan.gamma.data()[i] == T(0)) a.plan.gamma.data()[i] = T(1);
  a.sigma = a.plan.weight;
  a.plan.weight = a.plan.gamma.cwiseProduct(a.sigma.cwiseProduct(a.sigma));
  return a;
}

/// @param C chunk   @pre for a path of the paper: a problem with_roots
template <ring T>
[[nodiscard]] reading<T> solve(problem<T> const& a, path f, index_t C) {
  if constexpr (field<T>) {
    if (f == path::wy) return paper::wy<T>(a.q, a.p, a.plan, a.sigma, a.of.when, C, a.S);
    if (f == path::tensor_inverse) return paper::tensor_inverse<T>(a.q, a.p, a.plan, a.of.B, a.of.when, C, a.S);
  }
  if (f == path::recurrent) return recurrent<T>(a.q, a.p, a.plan, a.of.when, a.S);
  if (f == path::masked) return masked<T>(a.q, a.p, a.plan, a.of.when, a.S);
  if (f == path::chunk) return chunked<T>(a.q, a.p, a.plan, a.of.when, C, a.S);
  return chunked_by_scan<T>(a.q, a.p, a.plan, a.of.when, C, a.S);
}

template <class T>
[[nodiscard]] bool equal(reading<T> const& a, reading<T> const& b) {
  return a.o.rows() == b.o.rows() && a.o.cols() == b.o.cols() && a.o == b.o && a.S == b.S;
}

/// How many of these forms, where they are defined, are not the recurrence at this problem, among all chunks.
template <ring T>
[[nodiscard]] int differences(problem<T> const& a, std::span<path const> forms) {
  reading<T> const want = solve(a, path::recurrent, 1);
  int wrong = 0;
  for (path f : forms)
    if (is_defined(f, a.of) && f != path::recurrent)
      for (index_t C = 1; C <= (f == path::masked ? 1 : a.of.T); ++C) wrong += !equal(solve(a, f, C), want);
  return wrong;
}

}  // namespace fwa::verify
