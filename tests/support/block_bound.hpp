// SPDX-License-Identifier: Apache-2.0
// support/block_bound.hpp — a proved componentwise bound of what masked_block computes, for every point of the equation.
//
// All inputs are taken as exact, the entry state too, the floats that an earlier block left; without a hat: exact.
// Counts, any order of summation; [ρ] is 1 where ρ is not 0 and [γ] where ρ = γ; K(t,e) counts the roundings of the mask:
//
//   mask M_{t,e}        K: a product each token after the first write, an addition each further write (inner product, windows);
//                       relative to M° = the same with |γ|, |w|
//   decay P(t,0)        t products, the first by 1: K_0 = max(0, t − 1)
//   A_{e,f}             d (Gram) + 1 (mask) + [γ] + K:         |dA| ≤ gam(·) |ρ| M° |x_e|ᵀ|x_f|
//   F = y − ρPSᵀx       d + 1 + [γ] + K_0 for the product p:   dp ≤ gam(·) |ρP||x|ᵀ|S_0|;   |dF| ≤ dp + u (|F| + dp)
//   R̂                   (I + Â + ΔL) R̂ = F̂, |ΔL|_e ≤ gam(i) |I + Â|, i the unknowns of earlier tokens; therefore
//                       |dR| ≤ |(I + A)⁻¹| ( dF + (|dA| + Diag(gam(i)) (|I + A| + |dA|)) (|R| + |dR|) ),
//                       solved row by row: dR stands on the right only on and below the diagonal
//   O_t                 score: d (Gram) + 1 (mask) + K, its product with R̂: 1; S_0: d + K_0 + 1; and m additions, m the unknowns that
//                       token t reads: gam(d + 2 + K + m) |q|ᵀ|x| M° |R̂| + |M qᵀx| |dR| + gam(d + 1 + K_0 + m) |P||q|ᵀ|S_0|
//   S_T                 the same with x for the score: gam(2 + K + n) M° |x||R̂| + |M x||dR| + gam(1 + K_0 + n) |P||S_0|
//
// Inner product: ρ = 0, R = R̂ = Y.
#pragma once

#include "support/bound.hpp"
#include "support/problem.hpp"

#include <vector>

namespace fwa::test {

/// The same numbers over another scalar.
template <class U, class T>
[[nodiscard]] problem<U> converted(problem<T> const& a) {
  auto to = [](mat<T> const& m) { return mat<U>(m.unaryExpr([](T const& x) { return U(x); })); };
  return {
      a.of,    to(a.q), {to(a.p.x), to(a.p.y), a.p.before, a.p.sentinel}, {to(a.plan.weight), to(a.plan.gamma), a.plan.window, a.plan.rho},
      to(a.S), {}};
}

/// Weights β / ‖x‖² / B and decays as a normalised rule has them; a fifth of the keys repeats the one before.
template <class F>
[[nodiscard]] problem<F> normalised_problem(rule const& c, index_t T, index_t d, bool heavy, timing when, dice& roll) {
  shape s = shape_of(c, 3);
  s.T = T;
  s.d = d;
  s.dv = 2;
  s.before = s.B - 1;
  s.when = when;
  problem<F> a = draw_problem<F>(s, [&](input g) {
    if (g == input::weight) return static_cast<F>(roll.uniform(0, 2));
    if (g == input::gamma) return static_cast<F>(roll.below(4) == 0 ? 1 : roll.uniform(0.5, 1));
    return heavy ? heavy_tailed<F>(roll) : static_cast<F>(roll.uniform(-1, 1));
  });
  for (index_t i = 1; i < a.p.x.rows(); ++i)
    if (roll.below(5) == 0) a.p.x.row(i) = a.p.x.row(i - 1);
  for (index_t t = 0; t < T; ++t) {
    index_t const B = a.plan.window[static_cast<std::size_t>(t)];
    F const E = a.p.x.middleRows(s.before + t + 1 - B, B).squaredNorm();
    a.plan.weight.row(t) *= E > F(0) ? 1 / E : F(0);
  }
  return a;
}

/// How far floats may be from the exact outputs (T, dv) and exit state (d, dv).
struct bounds {
  matrix o, S;
};

class block_bound {
 public:
  /// @param u unit roundoff of the floats   @param a the whole problem   @param first, c the tokens of the block
  block_bound(digits const& u, problem<digits> const& a, index_t first, index_t c) : u_(u), a_(a), first_(first), c_(c) { list_unknowns(); }

  /// @param S state before the block (d, dv)
  bounds operator()(matrix const& S) {
    bounds out{matrix(c_, S.cols()), matrix(S.rows(), S.cols())};
    for (index_t j = 0; j < S.cols(); ++j) {
      if (j == 0 || a_.plan.per_column()) weigh(j);
      column(j, S.col(j), out);
    }
    return out;
  }

 private:
  struct unknown {
    index_t row, token;  // of pairs; within the block, the first that writes it
  };
  /// The weights that a token reads, or that are left at the end.
  struct mask {
    std::vector<digits> M, M0;
    std::vector<index_t> K;
    digits decay = 1, decay0 = 1;
    index_t K0 = 0, read = 0;  // read: the unknowns that may be non-zero
  };
  [[nodiscard]] digits gam(index_t n) const { return test::gam(n, u_); }
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] index_t window(index_t t) const { return a_.plan.window[at(first_ + t)]; }

  void list_unknowns() {
    index_t const here = a_.p.before + first_;
    bool const solves = a_.plan.rho != residual::zero;
    index_t oldest = here;
    for (index_t t = 0; t < c_; ++t) oldest = std::min(oldest, here + t + 1 - window(t));
    if (!solves)
      for (index_t i = oldest; i < here + c_; ++i) unknowns_.push_back({i, -1});
    for (index_t t = 0; t < c_; ++t) {
      begin_.push_back(solves ? static_cast<index_t>(unknowns_.size()) : here + t + 1 - window(t) - oldest);
      if (solves)
        for (index_t i = here + t + 1 - window(t); i <= here + t; ++i) unknowns_.push_back({i, t});
      end_.push_back(solves ? static_cast<index_t>(unknowns_.size()) : here + t + 1 - oldest);
    }
    index_t const n = static_cast<index_t>(unknowns_.size());
    x_.resize(n, a_.p.x.cols());
    y_.resize(n, a_.p.y.cols());
    for (index_t i = 0; i < n; ++i) {
      x_.row(i) = a_.p.x.row(unknowns_[at(i)].row);
      y_.row(i) = a_.p.y.row(unknowns_[at(i)].row);
    }
    q_ = a_.q.middleRows(first_, c_);
    gram_ = x_ * x_.transpose();
    gram0_ = magnitudes(x_) * magnitudes(x_).transpose();
    seen_ = q_ * x_.transpose();
    seen0_ = magnitudes(q_) * magnitudes(x_).transpose();
  }

  void weigh(index_t column) {
    index_t const n = x_.rows(), d = x_.cols();
    bool const solves = a_.plan.rho != residual::zero, gated = a_.plan.rho == residual::gamma;
    mask m{std::vector<digits>(at(n), digits(0)), std::vector<digits>(at(n), digits(0)), std::vector<index_t>(at(n), 0), 1, 1, 0, 0};
    masks_.clear();
    A_ = dA_ = matrix::Constant(n, n, digits(0));
    to_x_.assign(at(n), digits(0));
    K_x_.assign(at(n), 0);
    for (index_t t = 0; t < c_; ++t) {
      index_t const begin = begin_[at(t)], end = end_[at(t)];
      digits const gamma = a_.plan.gamma(first_ + t, column), weight = a_.plan.weight(first_ + t, column), rho = gated ? gamma : digits(1);
      if (solves)
        for (index_t e = begin; e < end; ++e) {
          for (index_t f = 0; f < begin; ++f) {
            A_(e, f) = rho * m.M[at(f)] * gram_(e, f);
            dA_(e, f) = gam(d + 1 + gated + m.K[at(f)]) * abs(rho) * m.M0[at(f)] * gram0_(e, f);
          }
          to_x_[at(e)] = rho * m.decay;
          K_x_[at(e)] = gated + m.K0;
        }
      m.read = end;
      if (a_.of.when == timing::read_before_write) masks_.push_back(m);
      for (index_t e = 0; e < end; ++e) {
        m.M[at(e)] *= gamma;
        m.M0[at(e)] *= abs(gamma);
        if (m.M0[at(e)] != 0) ++m.K[at(e)];
      }
      m.decay *= gamma;
      m.decay0 = abs(m.decay);
      m.K0 = t;
      for (index_t e = begin; e < end; ++e) {
        if (m.M0[at(e)] != 0) ++m.K[at(e)];
        m.M[at(e)] += weight;
        m.M0[at(e)] += abs(weight);
      }
      if (a_.of.when == timing::read_after_write) masks_.push_back(m);
    }
    m.read = n;
    last_ = m;
    if (!solves) return;
    inverse_ = matrix::Identity(n, n);
    substitute(inverse_);
  }

  /// X ← (I + A)⁻¹ X
  void substitute(matrix& X) const {
    for (index_t e = 1; e < X.rows(); ++e)
      for (index_t j = 0; j < X.cols(); ++j) {
        digits sum = X(e, j);
        for (index_t f = 0; f < begin_of(e); ++f)
          if (X(f, j) != 0) sum -= A_(e, f) * X(f, j);
        X(e, j) = sum;
      }
  }
  [[nodiscard]] index_t begin_of(index_t e) const { return begin_[at(unknowns_[at(e)].token)]; }

  void column(index_t j, matrix const& S, bounds& out) const {
    index_t const n = x_.rows(), d = x_.cols();
    bool const solves = a_.plan.rho != residual::zero;
    matrix const S0 = magnitudes(S), seen = x_ * S, seen0 = magnitudes(x_) * S0;
    matrix R = y_.col(j), R0 = magnitudes(R), dR = matrix::Constant(n, 1, digits(0));
    if (solves) {
      std::vector<digits> v(at(n));
      for (index_t i = 0; i < n; ++i) R(i, 0) -= to_x_[at(i)] * seen(i, 0);
      for (index_t i = 0; i < n; ++i) {
        digits const dp = gam(d + 1 + K_x_[at(i)]) * abs(to_x_[at(i)]) * seen0(i, 0);
        v[at(i)] = dp + u_ * (abs(R(i, 0)) + dp);
      }
      substitute(R);
      R0 = magnitudes(R);
      for (index_t i = 0; i < n; ++i) {
        digits const g = gam(begin_of(i));
        for (index_t f = 0; f < begin_of(i); ++f) v[at(i)] += (dA_(i, f) * (1 + g) + g * abs(A_(i, f))) * (R0(f, 0) + dR(f, 0));
        digits sum = v[at(i)] + g * R0(i, 0);
        for (index_t f = 0; f < begin_of(i); ++f) sum += abs(inverse_(i, f)) * v[at(f)];
        dR(i, 0) = sum / (1 - g);
        v[at(i)] += g * (R0(i, 0) + dR(i, 0));
      }
    }
    for (index_t t = 0; t < c_; ++t) {
      mask const& m = masks_[at(t)];
      digits bound = gam(d + 1 + m.K0 + m.read) * m.decay0 * (magnitudes(q_.row(t)) * S0)(0, 0);
      for (index_t i = 0; i < m.read; ++i) {
        digits const score = m.M[at(i)] * seen_(t, i);
        bound += gam(d + 2 + m.K[at(i)] + m.read) * m.M0[at(i)] * seen0_(t, i) * (R0(i, 0) + dR(i, 0)) + abs(score) * dR(i, 0);
      }
      out.o(t, j) = bound;
    }
    mask const& m = last_;
    for (index_t k = 0; k < d; ++k) {
      digits bound = gam(1 + m.K0 + n) * m.decay0 * S0(k, 0);
      for (index_t i = 0; i < n; ++i) {
        digits const score = m.M[at(i)] * x_(i, k);
        bound += gam(2 + m.K[at(i)] + n) * m.M0[at(i)] * abs(x_(i, k)) * (R0(i, 0) + dR(i, 0)) + abs(score) * dR(i, 0);
      }
      out.S(k, j) = bound;
    }
  }

  digits u_;
  problem<digits> const& a_;
  index_t first_, c_;
  std::vector<unknown> unknowns_;
  std::vector<index_t> begin_, end_;  // the unknowns of a token
  matrix x_, y_, q_;
  matrix gram_, gram0_, seen_, seen0_;  // ⟨x, x⟩, |x|ᵀ|x|, ⟨q, x⟩, |q|ᵀ|x|
  std::vector<mask> masks_;
  mask last_;
  matrix A_, dA_, inverse_;
  std::vector<digits> to_x_;  // ρP(t−1, 0)
  std::vector<index_t> K_x_;  // its count
};

}  // namespace fwa::test
