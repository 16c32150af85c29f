// SPDX-License-Identifier: Apache-2.0
// step/schedule.hpp — all that a form may know of time: weights, decays, window lengths; and how they come about.
//
//   w_t = η_t / B_t      γ_t      ρ ∈ {0, 1, γ_t}      B_t = |I_t|: I_t are the last B_t rows of pairs up to token t
//
// η, γ, w have one column, or one a value column. A sentinel and D = 0 write nothing and keep everything; x = 0 with λ > 0
// still decays.
// Laws: step_bounds, zero_denominator_is_no_op, clamp_is_a_surrogate_step.
#pragma once

#include "../align/pairs.hpp"
#include "../matrix.hpp"
#include "../objective.hpp"
#include "../options.hpp"
#include "energy.hpp"
#include "gain.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace fwa {

template <class S>
struct schedule {
  mat<S> weight, gamma;         ///< (T, 1) or (T, dv)
  std::vector<index_t> window;  ///< B_t ≤ B_{t−1} + 1, one a token; 0 where nothing is written, and there w = 0 and γ = 1
  residual rho = residual::one;

  [[nodiscard]] index_t tokens() const { return gamma.rows(); }
  [[nodiscard]] bool per_column() const { return gamma.cols() != 1; }

  /// Every number as a U: a plan made in floats, over fractions.
  template <class U>
  [[nodiscard]] schedule<U> cast() const {
    return {weight.template cast<U>(), gamma.template cast<U>(), window, rho};
  }
};

/// What drives the step of each token.
template <class S>
struct drive {
  step_law law;
  view<S> size;    ///< β or η (T, 1) or (T, dv)
  view<S> forget;  ///< λ (T, 1), or γ shaped as η
};

/// Gains β ∈ [0, 2) and ridges λ ≥ 0 for a normalised rule. The views are made in place: a copied view would look into the one
/// that it was copied from, where a matrix of another storage order had to be copied.
template <class S, class Beta, class Lambda>
[[nodiscard]] drive<S> gains(Beta const& beta, Lambda const& lambda) {
  return {step_law::normalised, beta, lambda};
}

/// Step sizes η and decays γ for a rule that takes them as given.
template <class S, class Eta, class Gamma>
[[nodiscard]] drive<S> steps(Eta const& eta, Gamma const& gamma) {
  return {step_law::given, eta, gamma};
}

/// A schedule and what led to it.
template <class S>
struct plan {
  fwa::schedule<S> schedule;
  mat<S> eta;         ///< (T, 1) or (T, dv)
  mat<S> lambda;      ///< (T, 1) λ_t; of a scale-coupled ridge the product λ̄_t E_t; 0 where η is given
  mat<bool> clamped;  ///< where the decay floor acts

  void resize(index_t tokens, index_t columns, residual rho) {
    for (mat<S>* m : {&schedule.weight, &schedule.gamma, &eta}) m->resize(tokens, columns);
    lambda.resize(tokens, 1);
    clamped.resize(tokens, columns);
    schedule.window.resize(static_cast<std::size_t>(tokens));
    schedule.rho = rho;
  }

  /// Puts η, γ and the clamp in rows [first, first + tokens) of arrays of a longer sequence.
  template <class Eta, class Gamma, class Clamped>
  void copy_to(index_t first, Eta&& all_eta, Gamma&& all_gamma, Clamped&& all_clamped) const {
    all_eta.middleRows(first, eta.rows()) = eta;
    all_gamma.middleRows(first, eta.rows()) = schedule.gamma;
    all_clamped.middleRows(first, eta.rows()) = clamped;
  }

  /// λ̂ = α / η ≤ λ.                                                                        Appendix C.6
  [[nodiscard]] S effective_ridge(index_t t, index_t column) const {
    return fwa::effective_ridge<S>(eta(t, column), schedule.gamma(t, column), lambda(t, 0), clamped(t, column));
  }
};

/// Makes plans; keeps its room from one to the next.
template <rooted S>
class planner {
 public:
  /// @param out the plan of the tokens of `p`
  void operator()(residual rho, pairs<S> const& p, drive<S> const& drive, options const& o, plan<S>& out);

 private:
  /// D = 0 though a feature is not: its square underflowed.
  [[nodiscard]] static bool out_of_range(pairs<S> const& p, index_t t, index_t B) {
    auto const window = p.x.middleRows(p.before + t + 1 - B, B);
    for (index_t i = 0; i < window.rows(); ++i)
      for (index_t j = 0; j < window.cols(); ++j)
        if (!(window(i, j) == S(0))) return true;
    return false;
  }

  /// Step size and carry of token t; η is NaN where E + λ + ε is outside the range of the scalar.
  void normalised(plan<S>& out, index_t t, pairs<S> const& p, view<S> const& beta, S const& E, S const& forget, options const& o) {
    index_t const B = out.schedule.window[static_cast<std::size_t>(t)];
    S const epsilon = static_cast<S>(o.epsilon), floor = static_cast<S>(o.epsilon_gamma);
    S const lambda = o.ridge == ridge::absolute ? forget : S(forget * E), D = E + lambda + epsilon;
    out.lambda(t, 0) = lambda;
    auto eta = out.eta.row(t), gamma = out.schedule.gamma.row(t);
    out.clamped.row(t).setConstant(false);
    if (!(D - D == S(0)) || (D == S(0) && out_of_range(p, t, B))) {
      eta.setConstant(std::numeric_limits<S>::quiet_NaN());  // refused by the reader
      gamma.setConstant(S(1));
      return;
    }
    for (index_t j = 0; j < beta.cols(); ++j) {
      eta(j) = step_size(S(beta(t, j)), D);
      gamma(j) = carry(S(beta(t, j)), E, lambda, epsilon, D, S(eta(j)));
    }
    if (!o.clamp) return;
    for (index_t j = 0; j < beta.cols(); ++j) out.clamped(t, j) = clamp_acts(S(gamma(j)), floor);
    for (index_t j = 0; j < beta.cols(); ++j) gamma(j) = clamp_acts(S(gamma(j)), floor) ? floor : S(gamma(j));
  }

  energies<S> energies_;
};

/// Outside the class, so that `extern template class planner<S>` spares a file that only calls it the eigenvalues.
template <rooted S>
void planner<S>::operator()(residual rho, pairs<S> const& p, fwa::drive<S> const& drive, options const& o, plan<S>& out) {
  out.resize(p.tokens(), drive.size.cols(), rho);
  for (index_t t = 0; t < p.tokens(); ++t) out.schedule.window[static_cast<std::size_t>(t)] = window_length(p, t, o.window);
  if (drive.law == step_law::given) {
    out.eta = drive.size;
    out.schedule.gamma = drive.forget;
    out.lambda.setConstant(S(0));
    out.clamped.setConstant(false);
  } else {
    row<S> const& E = energies_(rho, o.window, p);
    for (index_t t = 0; t < p.tokens(); ++t) normalised(out, t, p, drive.size, E(t), drive.forget(t, 0), o);
  }
  if (p.sentinel) {
    out.eta.row(0).setConstant(S(0));
    out.schedule.gamma.row(0).setConstant(S(1));
    out.lambda(0, 0) = S(0);
    out.clamped.row(0).setConstant(false);
  }
  out.schedule.weight = out.eta;
  for (index_t t = 0; t < p.tokens(); ++t)
    if (index_t const B = out.schedule.window[static_cast<std::size_t>(t)]; B > 1) out.schedule.weight.row(t) /= S(static_cast<int>(B));
}

/// The plan of a block of tokens.
template <rooted S>
[[nodiscard]] plan<S> make_plan(residual rho, pairs<S> const& p, drive<S> const& drive, options const& o) {
  plan<S> out;
  planner<S>{}(rho, p, drive, o, out);
  return out;
}

}  // namespace fwa
