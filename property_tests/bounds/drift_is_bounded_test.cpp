// SPDX-License-Identifier: Apache-2.0
// Claim drift_is_bounded: over T tokens of rule 1 (window 1, one step a token, ρ = 1) the error e of the state obeys, value column by
// value column in the 2-norm,
//
//   e_t = A_t e_{t−1} + f_t,   A_t = γI − wxxᵀ,   ‖A_t‖ = ρ_t = max(|γ|, |γ − w‖x‖²|)   ⇒   ‖e_T‖ ≤ Σ_t (Π_{s>t} ρ_s) ‖f_t‖
//
// and ‖e_T‖ ≤ max ‖f‖ / (1 − ρ), whatever T, where all ρ_t ≤ ρ < 1. f_t is what one write from the floats Ŝ_{t−1} may lose
// (step_error_is_bounded); in the chunk form what one chunk may lose from its entry state (masked_output_error_is_bounded), and Πρ over the
// chunk bounds its exact transition. The scan composes maps S ↦ MS + b, each the chunk's floats within |dM|, |db|:
//
//   M₂M₁          ‖M₂‖‖dM₁‖ + ‖dM₂‖‖M₁‖ + ‖dM₂‖‖dM₁‖ + gam(d) ‖M̂₂‖_F ‖M̂₁‖_F
//   M₂b₁ + b₂     ‖M₂‖‖db₁‖ + ‖dM₂‖‖b₁‖ + ‖dM₂‖‖db₁‖ + ‖db₂‖ + gam(d + 1) (‖M̂₂‖_F ‖b̂₁‖ + ‖b̂₂‖)
//
// with ‖M̂‖_F ≤ √d (‖M‖ + ‖dM‖). Nothing here grows but sums: A_t does not expand, since ‖x‖² stands in w's denominator. One repeated key
// leaves all other directions alone, and errors there stay; random keys contract every direction now and then, which a product of norms
// does not see: that bound is loose.
#include "support/block_bound.hpp"

#include <array>

using namespace fwa;
using namespace fwa::test;

namespace {

enum class keys { random, repeated, decayed };

/// λ = 0; the repeated key at β = 1.9999; or β = 1, λ = ‖x‖² / 4, where ρ_t = 0.8.
template <class F>
problem<F> sequence(keys how, index_t T) {
  shape s;
  s.T = T;
  s.d = 16;
  s.dv = 2;
  dice roll(47);
  problem<F> a = draw_problem<F>(s, [&](input) { return static_cast<F>(roll.uniform(-1, 1)); });
  a.S.setZero();
  for (index_t t = 0; t < T; ++t) {
    if (how == keys::repeated && t > 0) a.p.x.row(t) = a.p.x.row(0);
    F const E = a.p.x.row(t).squaredNorm(), lambda = how == keys::decayed ? E / 4 : F(0), D = E + lambda,
            beta = static_cast<F>(how == keys::random     ? roll.uniform(0, 2)
                                  : how == keys::repeated ? 1.9999
                                                          : 1.0);
    a.plan.weight(t, 0) = step_size(beta, D);
    a.plan.gamma(t, 0) = carry(beta, E, lambda, F(0), D, a.plan.weight(t, 0));
  }
  return a;
}

struct outcomes {
  ratios all, end, floor;
};

digits norm(matrix const& a) { return sqrt(a.squaredNorm()); }

digits contraction(problem<digits> const& a, index_t t) {
  digits const gamma = a.plan.gamma(t, 0), along = gamma - a.plan.weight(t, 0) * a.p.x.row(t).squaredNorm();
  return std::max(digits(abs(gamma)), digits(abs(along)));
}

/// What a write from Ŝ may lose.
template <class F>
matrix local(problem<digits> const& a, index_t t, matrix const& S) {
  matrix const x = magnitudes(a.p.x.row(t)), y = magnitudes(a.p.y.row(t));
  digits const w = abs(a.plan.weight(t, 0)), gamma = abs(a.plan.gamma(t, 0));
  return gam<F>(2) * gamma * magnitudes(S) + w * x.transpose() * (gam<F>(4) * y + gam<F>(a.of.d + 4) * (x * magnitudes(S)));
}

/// Blocks of C tokens, one after the other; C = 1 is the recurrence.
template <class F, class Block>
void in_sequence(problem<F> const& a, problem<digits> const& wide, index_t C, outcomes& seen) {
  index_t const dv = a.of.dv;
  mat<F> S = a.S, o(a.of.T, dv);
  matrix exact = wide.S, unread(1, dv), residuals(1, dv);
  row<digits> e = row<digits>::Constant(dv, digits(0)), most = e;
  digits rho(0);
  Block block;
  for (index_t first = 0; first < a.of.T; first += C) {
    index_t const c = std::min(C, a.of.T - first);
    matrix const before = S.template cast<digits>();
    matrix const f = C == 1 ? local<F>(wide, first, before) : block_bound(unit_roundoff<F>(), wide, first, c)(before).S;
    block.load(a.q.middleRows(first, c), a.p, a.plan, first, a.of.when);
    block.pass(S, o.middleRows(first, c));
    digits product(1);
    for (index_t t = first; t < first + c; ++t) {
      write<digits>(exact, wide.p.x.row(t), wide.p.y.row(t), wide.plan, t, residuals);
      product *= contraction(wide, t);
    }
    rho = std::max(rho, product);
    for (index_t j = 0; j < dv; ++j) {
      digits const added = norm(f.col(j)), error = norm(S.col(j).template cast<digits>() - exact.col(j));
      e(j) = product * e(j) + added;
      most(j) = std::max(most(j), added);
      seen.all.add(error, e(j));
      if (first + c == a.of.T) seen.end.add(error, e(j));
      if (rho < 1) seen.floor.add(error, most(j) / (1 - rho));
    }
  }
}

/// A chunk's exact map, and how far the floats' may be.
struct map_and_error {
  dense_map<digits> exact;
  digits m, dM;      // ‖M‖ ≤ Πρ, ‖dM‖
  row<digits> db;    // a column
  digits g, g_plus;  // gam(d), gam(d + 1)

  [[nodiscard]] digits most() const { return sqrt(digits(static_cast<int>(exact.M.rows()))) * (m + dM); }
  /// Of M S + b for a state S within e.
  [[nodiscard]] row<digits> error(matrix const& S, row<digits> const& e) const {
    row<digits> out(S.cols());
    for (index_t j = 0; j < S.cols(); ++j) {
      digits const s = norm(S.col(j)), b = norm(exact.b.col(j));
      out(j) = m * e(j) + dM * (s + e(j)) + db(j) + g_plus * (most() * (s + e(j)) + b + db(j));
    }
    return out;
  }
  [[nodiscard]] map_and_error after(map_and_error const& earlier) const {
    digits const error_M = m * earlier.dM + dM * earlier.m + dM * earlier.dM + g * most() * earlier.most();
    return {exact.after(earlier.exact), m * earlier.m, error_M, error(earlier.exact.b, earlier.db), g, g_plus};
  }
};

template <class F>
void by_scan(problem<F> const& a, problem<digits> const& wide, index_t C, ratios& accumulated) {
  index_t const d = a.of.d, dv = a.of.dv;
  problem<digits> silent = wide;
  silent.p.y = matrix::Constant(a.of.T, d, digits(0));
  matrix const unit = matrix::Identity(d, d), none = matrix::Constant(d, dv, digits(0));
  std::vector<map_and_error> maps;
  for (index_t first = 0; first < a.of.T; first += C) {
    index_t const c = std::min(C, a.of.T - first);
    digits product(1);
    matrix b = none, residuals(1, dv), M = unit, silent_residuals(1, d);
    for (index_t t = first; t < first + c; ++t) {
      product *= contraction(wide, t);
      write<digits>(b, wide.p.x.row(t), wide.p.y.row(t), wide.plan, t, residuals);
      write<digits>(M, wide.p.x.row(t), silent.p.y.row(t), wide.plan, t, silent_residuals);
    }
    matrix const dM = block_bound(unit_roundoff<F>(), silent, first, c)(unit).S,
                 db = block_bound(unit_roundoff<F>(), wide, first, c)(none).S;
    row<digits> columns(dv);
    for (index_t j = 0; j < dv; ++j) columns(j) = norm(db.col(j));
    maps.push_back({{M, b}, product, norm(dM), columns, gam<F>(d), gam<F>(d + 1)});
  }
  inclusive_scan(maps);
  matrix const got = chunked_by_scan<F>(a.q, a.p, a.plan, a.of.when, C, a.S).S.template cast<digits>(), exact = maps.back().exact(wide.S);
  row<digits> const bound = maps.back().error(wide.S, row<digits>::Constant(dv, digits(0)));
  for (index_t j = 0; j < dv; ++j) accumulated.add(norm(got.col(j) - exact.col(j)), bound(j));
}

/// Ratios of recurrent (every t, the last, the floor), chunk (the same) and scan as recorded, the smaller of both floats; 0: no floor.
struct kind {
  keys how;
  char const* name;
  std::array<double, 7> recorded;
};

template <class F>
void drift(table const& t, kind const& k) {
  problem<F> const a = sequence<F>(k.how, 2048);
  problem<digits> const wide = converted<digits>(a);
  outcomes step, chunk;
  ratios scan;
  in_sequence<F, recurrent_block<F>>(a, wide, 1, step);
  in_sequence<F, masked_block<F>>(a, wide, 32, chunk);
  for (index_t T : {32, 64, 512}) {
    problem<F> const part = sequence<F>(k.how, T);
    by_scan<F>(part, converted<digits>(part), 32, scan);
  }
  auto row = [&](char const* form, ratios const& r, double recorded) {
    if (r.count > 0) t.row(std::string(form) + ", " + k.name + ", " + name_of<F>, r, recorded / 4);
    CHECK((r.count > 0) == (recorded > 0));
  };
  row("recurrent, every t", step.all, k.recorded[0]);
  row("recurrent, t = 2048", step.end, k.recorded[1]);
  row("recurrent, the floor", step.floor, k.recorded[2]);
  row("chunk, every chunk", chunk.all, k.recorded[3]);
  row("chunk, t = 2048", chunk.end, k.recorded[4]);
  row("chunk, the floor", chunk.floor, k.recorded[5]);
  row("scan, T = 32, 64, 512", scan, k.recorded[6]);
}

}  // namespace

TEST_CASE("drift of the state over 2048 tokens") {
  table const t("drift, by column norms");
  for (kind const& k : {kind{keys::random, "random keys", {0.17, 9.4e-5, 0, 0.0011, 8.5e-6, 0, 6.6e-4}},
                        kind{keys::repeated, "one key, β = 1.9999", {0.15, 0.0016, 0, 4.6e-5, 3.1e-5, 0, 1.1e-4}},
                        kind{keys::decayed, "ρ = 0.8", {0.13, 0.012, 0.027, 0.0094, 0.0035, 0.0072, 0.0045}}}) {
    drift<float>(t, k);
    drift<double>(t, k);
  }
}
