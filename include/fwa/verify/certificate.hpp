// SPDX-License-Identifier: Apache-2.0
// verify/certificate.hpp — that every form computes the same polynomial, and the chance that this is said of two that do not.
//
//   Two different polynomials of total degree ≤ D over F_p agree at a uniformly random point with probability ≤ D / p (Schwartz–Zippel).
//
// D is measured on the compiled forms (degree.hpp), at the very sizes. A difference all of whose coefficients are divisible by p is zero
// in F_p: hence two primes. The paper's forms divide by decays, but no decay is left in a denominator of what they return: that is
// measured too, so they are polynomials in σ, γ and the rest. A decay that is drawn as 0 is replaced by 1: at most n more of p points.
// Laws: forms_agree, paper_forms_agree_where_defined.
#pragma once

#include "../number/degree.hpp"
#include "../number/prime_field.hpp"
#include "problem.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace fwa::verify {

inline constexpr std::uint64_t primes[] = {mersenne_61, below_two_59};

/// A problem at which a form is not the recurrence: draw it again from its seed.
struct disagreement {
  path form;
  shape of;
  index_t C;
  std::uint64_t prime, seed;
};

struct certificate {
  shape of;
  index_t C;
  int points;                         ///< random problems, in each field
  std::vector<path> forms;            ///< that were compared with the recurrence
  int degree;                         ///< total, of no form of a ring more
  std::optional<int> paper_degree;    ///< of no form of the paper more, and one for each decay; none if one divides by a decay in the end
  std::optional<disagreement> found;  ///< the smallest that was found

  /// That a form of this degree which differs passes, unless both primes divide every coefficient of the difference.
  [[nodiscard]] double chance(int most) const { return std::pow(static_cast<double>(most) / static_cast<double>(below_two_59), points); }
};

/// Uniform in F_p.
template <std::uint64_t P>
[[nodiscard]] prime_field<P> uniform(std::mt19937_64& bits) {
  constexpr int unused = std::countl_zero(P);
  for (;;)
    if (std::uint64_t const n = bits() >> unused; n < P) return prime_field<P>(n);
}

/// The problem of this shape and seed.
template <std::uint64_t P>
[[nodiscard]] problem<prime_field<P>> drawn(shape const& s, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  return draw_problem<prime_field<P>>(s, [&bits](input) { return uniform<P>(bits); });
}

/// solve() as a value, for every scalar.
struct library {
  template <ring T>
  [[nodiscard]] reading<T> operator()(problem<T> const& a, path f, index_t C) const {
    return solve(a, f, C);
  }
};

/// A masked window has B unknowns a token and one matrix of them all: beyond this many it is left out.
inline constexpr index_t most_unknowns = 2048;

/// The forms to compare with the recurrence that are defined at this shape.
[[nodiscard]] inline std::vector<path> forms_at(shape const& s) {
  std::vector<path> forms;
  for (path f : all_paths)
    if (f != path::recurrent && is_defined(f, s) && !(f == path::masked && s.rho != residual::zero && s.B > 1 && s.B * s.T > most_unknowns))
      forms.push_back(f);
  return forms;
}

/// The first form that is not the recurrence at this problem.
template <std::uint64_t P, class Solve>
[[nodiscard]] std::optional<disagreement> compare(shape const& s, index_t C, std::uint64_t seed, std::vector<path> const& forms,
                                                  Solve const& solve) {
  auto const a = drawn<P>(s, seed), rooted = with_roots(a);
  auto const want = solve(a, path::recurrent, C), rooted_want = solve(rooted, path::recurrent, C);
  for (path f : forms) {
    bool const paper = is_paper(f);
    if (!equal(solve(paper ? rooted : a, f, C), paper ? rooted_want : want)) return disagreement{f, s, C, P, seed};
  }
  return std::nullopt;
}

template <class Solve>
[[nodiscard]] std::optional<disagreement> compare(shape const& s, index_t C, std::uint64_t seed, Solve const& solve) {
  std::vector<path> const forms = forms_at(s);
  auto const found = compare<primes[0]>(s, C, seed, forms, solve);
  return found ? found : compare<primes[1]>(s, C, seed, forms, solve);
}

/// 1, 2, 3, 4, 6, 8, 12, … below n, and n.
[[nodiscard]] inline std::vector<index_t> growing(index_t n) {
  std::vector<index_t> sizes;
  for (index_t i = 1; i < n; i += std::max<index_t>(1, std::bit_floor(static_cast<std::uint64_t>(i)) / 2)) sizes.push_back(i);
  sizes.push_back(n);
  return sizes;
}

/// A disagreement of the fewest tokens, then the smallest window, chunk and matrix, among growing() sizes up to those of one that is known.
template <class Solve>
[[nodiscard]] disagreement smallest(disagreement const& known, Solve const& solve) {
  shape s = known.of;
  for (index_t T : growing(known.of.T))
    for (index_t B : growing(known.of.B))
      for (index_t C : growing(known.C))
        for (index_t d : {index_t(1), known.of.d})
          for (index_t dv : {index_t(1), known.of.dv}) {
            s.T = T, s.B = B, s.d = d, s.dv = dv, s.before = std::min(known.of.before, B - 1);
            if (auto const found = compare(s, C, known.seed, solve)) return *found;
          }
  return known;
}

/// Whether no decay is left in a denominator: at this chunk and rule, two whole chunks and the last one, two rows and columns at most.
template <class Solve>
[[nodiscard]] bool is_polynomial(path f, shape s, index_t C, Solve const& solve) {
  using D = degree<1>;
  if (C <= s.T / 3) s.T = 2 * C + s.T % C;
  s.d = std::min<index_t>(s.d, 2), s.dv = std::min<index_t>(s.dv, 2);
  for (index_t k = 0; k < s.T * (s.per_column ? s.dv : 1); ++k) {  // one decay after the other
    index_t decay = 0;
    auto const a = with_roots(draw_problem<D>(s, [&](input g) { return g == input::gamma && decay++ == k ? D::variable(0) : D(1); }));
    reading<D> const r = solve(a, f, C);
    for (mat<D> const* m : {&r.o, &r.S})
      for (index_t i = 0; i < m->size(); ++i)
        if ((*m)(i).least(0) < 0) return false;
  }
  return true;
}

/// @param points random problems in each field, ≥ 1   @param solve called as solve(problem, path, chunk) over the fields and degrees
template <class Solve = library>
[[nodiscard]] certificate certify(shape const& s, index_t C, int points, std::uint64_t seed, Solve const& solve = {}) {
  certificate out{s, C, points, forms_at(s), 0, std::nullopt, std::nullopt};
  for (int i = 0; i < points && !out.found; ++i) out.found = compare(s, C, seed + static_cast<std::uint64_t>(i), solve);
  if (out.found) {
    out.found = smallest(*out.found, solve);
    return out;
  }
  using D = degree<1>;
  auto const a = draw_problem<D>(s, [](input) { return D::variable(0); }), rooted = with_roots(a);
  auto measured = [&](problem<D> const& of, path f) {
    reading<D> const r = solve(of, f, C);
    int most = 0;
    for (mat<D> const* m : {&r.o, &r.S})
      for (index_t i = 0; i < m->size(); ++i) most = std::max(most, (*m)(i).total());
    return most;
  };
  out.degree = measured(a, path::recurrent);
  int most = 0;
  bool papers = false, polynomials = true;
  for (path f : out.forms) {
    if (!is_paper(f)) {
      out.degree = std::max(out.degree, measured(a, f));
    } else {
      papers = true;
      polynomials = polynomials && is_polynomial(f, s, C, solve);
      most = std::max(most, measured(rooted, f));
    }
  }
  if (papers && polynomials) out.paper_degree = std::max(most, measured(rooted, path::recurrent)) + static_cast<int>(a.plan.gamma.size());
  return out;
}

}  // namespace fwa::verify
