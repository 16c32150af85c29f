// SPDX-License-Identifier: Apache-2.0
// support/one_write.hpp — one token over fractions: a window whose λ_max is a fraction; gains, a ridge, ε and a decay floor, at and beside
// their edges; the plan that the library makes of them, and each value column of the write as a step of its own.
#pragma once

#include "generate.hpp"

#include <fwa/objective.hpp>

namespace boost::multiprecision {
/// What a planner wants to see; λ_max is known below, so none is called.
fwa::rational sqrt(fwa::rational const&);
}  // namespace boost::multiprecision

namespace fwa {

/// λ_max of the window that is planned next, to which the planner's Gram matrix is held.
template <>
class largest_eigenvalues<rational> {
 public:
  using lane = Eigen::Array<rational, 1, 1>;
  static inline rational known;

  void resize(index_t n) { gram_.resize(n, n); }
  [[nodiscard]] auto at(index_t i, index_t j) { return gram_.row(i).segment(j, 1); }

  /// @pre known I − G has no pivot below 0, and one that is 0
  [[nodiscard]] lane solve() const {
    rational const zero(0);
    index_t const n = gram_.rows();
    mat<rational> rest = known * mat<rational>::Identity(n, n);
    bool singular = false;
    rest -= mat<rational>(gram_.selfadjointView<Eigen::Lower>());
    for (index_t k = 0; k < n; ++k) {
      auto const below = rest.col(k).tail(n - k - 1);
      RC_ASSERT(zero <= rest(k, k));
      singular |= rest(k, k) == zero;
      RC_ASSERT(rest(k, k) != zero || below.squaredNorm() == zero);
      if (rest(k, k) == zero) continue;
      for (index_t i = k + 1; i < n; ++i) rest.row(i) -= rational(rest(i, k) / rest(k, k)) * rest.row(k).eval();
    }
    RC_ASSERT(singular);
    return lane::Constant(known);
  }

 private:
  mat<rational> gram_;
};

}  // namespace fwa

namespace fwa::test {

/// I − 2 vᵀv / ‖v‖², for a row v.
[[nodiscard]] inline mat<rational> reflection(mat<rational> const& v) {
  rational const E = v.squaredNorm();
  return mat<rational>::Identity(v.cols(), v.cols()) - (E == rational(0) ? E : rational(rational(2) / E)) * v.transpose() * v;
}

/// The keys of a window whose energy is a fraction.
struct window {
  mat<rational> X;      ///< (n, d)
  mat<rational> top;    ///< (n, 1): Xᵀ top is an eigenvector of C̄ for its λ_max, or 0
  rational lambda_max;  ///< of X Xᵀ

  [[nodiscard]] rational energy(residual rho) const {
    return rational(rho == residual::zero ? X.squaredNorm() : lambda_max) / rational(static_cast<int>(X.rows()));
  }
};

/// One key; multiples of one; two of one length, nearly equal or opposite; orthogonal ones; and those, mixed.
[[nodiscard]] inline window any_window() {
  index_t const n = any_size(1, 3), d = any_size(1, 3);
  mat<rational> const x = rational(die(6) == 1 ? 0 : 1) * any_matrix(1, d);
  rational const E = x.squaredNorm();
  int const kind = n == 1 ? 1 : die(d == 1 ? 3 : 4);
  mat<rational> X = mat<rational>::Constant(n, d, rational(0)), top = mat<rational>::Constant(n, 1, rational(0));
  if (kind == 1) {
    top(0, 0) = rational(1);
    for (index_t i = 1; i < n; ++i) top(i, 0) = rational(*rc::gen::element(0, 1, 1, -1, 2));
    return {top * x, top, top.squaredNorm() * E};
  }
  if (kind == 4) {
    mat<rational> v = tiny / rational(8) * x;  // nearly orthogonal to x
    v(0, 0) -= x(0, 1);
    v(0, 1) += x(0, 0);
    X.row(0) = x;
    X.row(1) = rational(*rc::gen::element(-1, 1)) * x * reflection(v);
    rational const inner = X.row(0).dot(X.row(1));
    top(0, 0) = rational(1);
    top(1, 0) = rational(inner < rational(0) ? -1 : 1);
    return {X, top, E + abs(inner)};
  }
  for (index_t i = 0; i < std::min(n, d); ++i) X(i, i) = fraction();
  index_t i, j;
  rational const largest = X.cwiseProduct(X).maxCoeff(&i, &j);
  top(i, 0) = rational(1);
  mat<rational> const mix = kind == 2 ? mat<rational>(mat<rational>::Identity(n, n)) : reflection(any_matrix(1, n));
  return {mix * X * reflection(any_matrix(1, d)), mix * top, largest};
}

/// What a write is made of. Without clamp its floor does not matter.
struct one_write {
  residual rho;
  window keys;
  mat<rational> beta;  ///< (1, 1) or (1, dv)
  rational lambda;
  options o;
  mat<rational> Y, S;  ///< (n, dv), (d, dv)

  [[nodiscard]] rational E() const { return keys.energy(rho); }
  [[nodiscard]] rational D() const { return E() + lambda + rational(o.epsilon); }
};

/// A gain, now and then one whose carry is the floor, or just above or below, where a float would be one unit away.
[[nodiscard]] inline rational any_gain(one_write const& a) {
  rational const next = rational(1) / rational(1 << 30), two(2);
  if (int const edge = die(8); edge <= 3 && a.lambda != rational(0)) {
    rational const beta = (rational(1) - rational(a.o.epsilon_gamma) + rational(edge - 2) * next) * a.D() / a.lambda;
    if (beta < two) return beta;
  }
  return any_gain();
}

/// What the library plans: the last token of a window, the pairs before it there from the start.
[[nodiscard]] inline plan<rational> planned(one_write const& a) {
  largest_eigenvalues<rational>::known = a.keys.lambda_max;
  mat<rational> const lambda = mat<rational>::Constant(1, 1, a.lambda);
  return make_plan<rational>(a.rho, {a.keys.X, a.Y, a.keys.X.rows() - 1, false}, gains<rational>(a.beta, lambda), a.o);
}

/// The state that the library leaves.
[[nodiscard]] inline mat<rational> after(one_write const& a, plan<rational> const& p) {
  mat<rational> S = a.S, residuals(a.Y.rows(), a.Y.cols());
  write<rational>(S, a.keys.X, a.Y, p.schedule, 0, residuals);
  return S;
}

/// A value column of a write: a step of its own, from s to t, of the objective with the ridge λ̂.
struct column {
  one_write const& of;
  mat<rational> s, t, y;  ///< (d, 1), (d, 1), (n, 1)
  rational beta, eta, gamma, lambda_hat, L;
  bool clamped;

  [[nodiscard]] mat<rational> gradient() const { return fwa::gradient<rational>(of.rho, s, of.keys.X, y, lambda_hat); }
  /// How much the loss with this ridge rises.
  [[nodiscard]] rational rise(rational const& lambda) const {
    return loss<rational>(of.rho, t, of.keys.X, y, lambda) - loss<rational>(of.rho, s, of.keys.X, y, lambda);
  }
};

[[nodiscard]] inline std::vector<column> columns_of(one_write const& a) {
  plan<rational> const p = planned(a);
  mat<rational> const next = after(a, p);
  std::vector<column> all;
  for (index_t j = 0; j < a.S.cols(); ++j) {
    index_t const k = a.beta.cols() == 1 ? 0 : j;
    rational const lambda_hat = p.effective_ridge(0, k), L = a.rho == residual::zero ? lambda_hat : rational(a.E() + lambda_hat);
    all.push_back(
        {a, a.S.col(j), next.col(j), a.Y.col(j), a.beta(0, k), p.eta(0, k), p.schedule.gamma(0, k), lambda_hat, L, p.clamped(0, k)});
  }
  return all;
}

[[nodiscard]] inline classes classes_of(one_write const& a) {
  rational const zero(0), one(1), floor(a.o.epsilon_gamma);
  auto const all_columns = columns_of(a);
  auto some = [&](auto is) { return std::ranges::any_of(all_columns, is); };
  auto off = [&](column const& c) { return a.o.clamp ? rational(one - c.eta * a.lambda - floor) : one; };  // of the carry from its floor
  classes all = classes_of_keys(a.keys.X);
  all.insert(all.end(), {
                            {"window", a.keys.X.rows() > 1},
                            {"per column", a.beta.cols() > 1},
                            {"residual 0", a.Y == a.keys.X * a.S},
                            {"ridge 0", a.lambda == zero},
                            {"ridge E", a.lambda == a.E() && a.lambda != zero},
                            {"ridge far above E", rational(100) * a.E() < a.lambda},
                            {"no-op", a.D() == zero},
                            {"gain 0", some([&](column const& c) { return c.beta == zero; })},
                            {"gain tiny", some([&](column const& c) { return c.beta == tiny; })},
                            {"gain 1", some([&](column const& c) { return c.beta == one; })},
                            {"gain nearly 2", some([&](column const& c) { return c.beta + tiny == rational(2); })},
                            {"decay 1", some([&](column const& c) { return c.gamma == one; })},
                            {"decay below 0", some([&](column const& c) { return c.gamma < zero; })},
                            {"clamped", some([&](column const& c) { return c.clamped; })},
                            {"tie", some([&](column const& c) { return off(c) == zero; })},
                            {"just clamped", some([&](column const& c) { return off(c) < zero && -tiny < off(c); })},
                            {"just not clamped", some([&](column const& c) { return zero < off(c) && off(c) < tiny; })},
                        });
  return all;
}

[[nodiscard]] inline one_write any_write(residual rho, bool clamp) {
  one_write a{rho, any_window(), {}, {}, {}, {}, {}};
  index_t const dv = any_size(1, 3), columns = *rc::gen::element<index_t>(1, dv);
  a.lambda = any_ridge(a.E());
  a.o.clamp = clamp;
  a.o.window = a.keys.X.rows();
  a.o.epsilon = *rc::gen::element(0.0, 0.0, 0.125);
  a.o.epsilon_gamma = *rc::gen::element(0.5, 0.125, 1e-6);
  a.beta = mat<rational>::NullaryExpr(1, columns, [&a](index_t, index_t) { return any_gain(a); });
  a.S = any_matrix(a.keys.X.cols(), dv);
  a.Y = die(8) == 1 ? mat<rational>(a.keys.X * a.S) : any_matrix(a.keys.X.rows(), dv);
  return a;
}

inline void classify(one_write const& a) { tag(classes_of(a)); }

/// Another state and other targets, whose gradient at the ridge λ is Xᵀ top r / n: along the top eigenvector; at r = 0 the least loss.
inline void turn_along(one_write& a, mat<rational> const& r) {
  mat<rational> const &X = a.keys.X, A = any_matrix(X.rows(), a.S.cols());
  a.S = X.transpose() * A;
  if (a.lambda == rational(0)) a.S += any_matrix(a.S.rows(), a.S.cols());
  a.Y = rational(static_cast<int>(X.rows())) * a.lambda * A - a.keys.top * r;
  if (a.rho != residual::zero) a.Y += X * a.S;
}

}  // namespace fwa::test
