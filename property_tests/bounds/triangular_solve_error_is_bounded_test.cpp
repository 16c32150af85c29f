// SPDX-License-Identifier: Apache-2.0
// Claim triangular_solve_error_is_bounded: solve_unit_lower(A, F) returns R̂ with, row by row, i rows above, L = I + A,
//
//   residual   |F − L R̂|_i ≤ gam(i) (|L||R̂|)_i            no condition number
//   forward    |R̂ − R| ≤ |L⁻¹| Diag(gam(i)) |L||R̂|
//   entries    √(w_e / w_f) |(L⁻¹)_ef| ≤ √(β_e β_f) < 2      f < e, where A_ef = w_f ⟨x_e, x_f⟩, w = β / ‖x‖²
//
// Residual: r_i = F_i − Σ_{f<i} A_if r_f is a tree of i additions over F_i and i products. Divide by the factors on the way from F_i to the
// root: r_i keeps at most i of them, and product f those that its way does not share, at most i − 1, and its own. So F_i is met exactly by
// (L + ΔL) R̂ with |ΔL|_i ≤ gam(i) |L|_i, whichever the order: substitution takes some rows one by one and others as a product of blocks.
// Entries: (L⁻¹)_ef = −⟨u_e, (I − u_{e−1}u_{e−1}ᵀ) … (I − u_{f+1}u_{f+1}ᵀ) u_f⟩ up to that scale, u = √w x, ‖u‖² = β: each factor
// contracts. So ‖L⁻¹‖ cannot grow with n; the computed inverse stays below that and its forward bound.
#include "support/bound.hpp"

#include <fwa/form/triangular.hpp>

using namespace fwa;
using namespace fwa::test;

namespace {

struct outcomes {
  ratios residual, forward, entries, perturbed;
};

/// L⁻¹ X over D, without the library.
template <class D>
mat<D> solved(mat<D> const& A, mat<D> X) {
  for (index_t i = 0; i < A.rows(); ++i)
    for (index_t j = 0; j < X.cols(); ++j)
      for (index_t f = 0; f < i; ++f) X(i, j) -= A(i, f) * X(f, j);
  return X;
}

/// Keys at random, or one key and now and then its negative; gains anywhere or close below 2.
template <class F, class D>
void one_system(dice& roll, index_t n, index_t m, bool repeated, bool near_two, outcomes& seen) {
  index_t const d = 4;
  mat<F> x = roll.matrix<F>(n, d);
  mat<D> A = mat<D>::Constant(n, n, D(0));
  row<D> w(n), beta(n);
  for (index_t e = 0; e < n; ++e) {
    if (repeated && e > 0) x.row(e) = roll.below(8) == 0 ? (-x.row(0)).eval() : x.row(0).eval();
    beta(e) = D(near_two ? 2 - 0x1p-12 * roll.uniform(0, 1) : roll.uniform(0, 2));
    w(e) = beta(e) / x.row(e).template cast<D>().squaredNorm();
    for (index_t f = 0; f < e; ++f) A(e, f) = w(f) * x.row(e).template cast<D>().dot(x.row(f).template cast<D>());
  }
  mat<F> const given = A.template cast<F>(), targets = heavy_tailed<F>(roll, n, m);
  mat<F> got = targets, inverse = mat<F>::Identity(n, n);
  solve_unit_lower<F>(given, got);
  solve_unit_lower<F>(given, inverse);

  // Over D, from the floats that the solve was given.
  mat<D> const system = given.template cast<D>(), G = solved<D>(system, mat<D>::Identity(n, n)), exact_A = A;
  auto absolute = [](mat<D> const& a) { return mat<D>(a.unaryExpr([](D const& v) { return D(abs(v)); })); };
  auto check = [&](mat<F> const& solution, mat<F> const& right) {
    mat<D> const r = solution.template cast<D>(), F_ = right.template cast<D>(), exact = solved<D>(system, F_);
    mat<D> allowed = absolute(system) * absolute(r) + absolute(r), rest = F_ - r - system * r;
    for (index_t i = 0; i < n; ++i) allowed.row(i) *= D(gam<F>(i));
    mat<D> const bound = absolute(G) * allowed;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < r.cols(); ++j) {
        seen.residual.add(digits(rest(i, j)), digits(allowed(i, j)));
        seen.forward.add(digits(D(r(i, j) - exact(i, j))), digits(bound(i, j)));
      }
    if (n == 1) return bound;
    mat<F> off = solution;  // one entry of the first row that rounds, two units in the last place away
    for (index_t j = 0; j < off.cols(); ++j) {
      off(1, j) *= 1 + 2 * std::numeric_limits<F>::epsilon();
      D const missed = F_(1, j) - D(off(1, j)) - system(1, 0) * r(0, j);
      seen.perturbed.add(digits(missed), digits(D(gam<F>(1)) * (abs(D(off(1, j))) + abs(D(system(1, 0) * r(0, j))))));
    }
    return bound;
  };
  check(got, targets);
  mat<D> const bound = check(inverse, mat<F>::Identity(n, n)), exact_inverse = solved<D>(A, mat<D>::Identity(n, n)),
               rounded = absolute(system - A) * absolute(G);
  mat<D> const moved = absolute(exact_inverse) * rounded;  // L̂⁻¹ − L⁻¹ = −L⁻¹ (L̂ − L) L̂⁻¹
  for (index_t e = 0; e < n; ++e)
    for (index_t f = 0; f < e; ++f)
      seen.entries.add(digits(inverse(e, f)), digits(D(sqrt(D(w(f) / w(e) * beta(e) * beta(f))) + bound(e, f) + moved(e, f))));
}

struct group {
  char const* name;
  std::vector<index_t> sizes;
  int cases;
  double least;  // of the largest ratio: sums of many terms rarely lose as much as they may
};

template <class F, class D>
void all_sizes(table const& t, char const* ruler) {
  for (group const& g :
       {group{"n = 1, 2, 3", {1, 2, 3}, 200, 0.5}, group{"n = 17", {17}, 20, 0.2}, group{"n = 64, 100", {64, 100}, 1, 0.2}}) {
    outcomes seen;
    dice roll(37);
    for (bool repeated : {false, true})
      for (bool near_two : {false, true})
        for (index_t n : g.sizes)
          for (int i = 0; i < g.cases; ++i) one_system<F, D>(roll, n, 5, repeated, near_two, seen);
    auto row = [&](char const* what, ratios const& r, double least) {
      t.row(std::string(what) + ", " + g.name + ", " + name_of<F> + ruler, r, least);
    };
    row("residual", seen.residual, g.least);
    row("forward", seen.forward, g.least);
    row("entries of the inverse", seen.entries, 0.9);
    if (g.sizes.back() > 1) CHECK(seen.perturbed.most > 1);
  }
}

}  // namespace

TEST_CASE("unit lower triangular systems of keys, random or repeated, beta anywhere or near 2") {
  table const t("triangular solve");
  all_sizes<float, digits_50>(t, " against 50 digits");
  all_sizes<double, digits_100>(t, " against 100 digits");
}
