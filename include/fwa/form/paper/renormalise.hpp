// SPDX-License-Identifier: Apache-2.0
// form/paper/renormalise.hpp — the paper's change of variables that takes the decay out of a chunk.       Eq. (4.16), Appendix G.1
//
//   c_t = γ_1 ⋯ γ_t, reset at each chunk      Ŝ_t = S_t Diag(c_t)⁻¹      η̂_t = η_t / γ_t      ŷ_t = y_t / c_{t−1}
//   Ŝ_t = Ŝ_{t−1} + x_t (η̂_t ⊙ (ŷ_t − Ŝ_{t−1}ᵀ x_t))ᵀ       o_t = c_t ⊙ Ŝ_tᵀ q_t   (read before write: c_{t−1} ⊙ Ŝ_{t−1}ᵀ q_t)
//
// Both rescalings are needed. Not for use: 1/c reaches ε_γ^−(C−1), so at C = 64 a mean γ below 0.2446 overflows binary32. Kept to be
// taught and compared with. Needs γ > 0, which an unclamped β > 1 need not give.
// Laws: paper_forms_agree_where_defined.
#pragma once

#include "../../contract.hpp"
#include "../../matrix.hpp"
#include "../../options.hpp"
#include "../../scalar.hpp"
#include "../../step/schedule.hpp"

#include <cmath>
#include <concepts>
#include <limits>

namespace fwa::paper {

/// How c_t is formed: by products, or as the paper does by exp of prefix sums of log γ.                    Algorithm 1, 3, 8
enum class prefix { product, log_space };

/// A rational has a log in name only.
template <class T>
concept has_logarithm = std::floating_point<T> ||(!std::numeric_limits<T>::is_exact && requires(T t) {
  log(t);
  exp(t);
});

/// c_0 = 1, …, c_n of the n tokens from `first` on.   @return (n + 1, 1) or (n + 1, dv)
/// @throws contract_error for log_space over a scalar that has no logarithm
template <class T>
[[nodiscard]] mat<T> decays(schedule<T> const& plan, index_t first, index_t n, prefix how) {
  mat<T> c = mat<T>::Constant(n + 1, plan.gamma.cols(), T(1));
  if constexpr (has_logarithm<T>) {
    if (how == prefix::log_space) {
      using std::exp;
      using std::log;
      row<T> u = row<T>::Constant(c.cols(), T(0));
      for (index_t t = 0; t < n; ++t)
        for (index_t j = 0; j < c.cols(); ++j) {
          u(j) += log(plan.gamma(first + t, j));
          c(t + 1, j) = exp(u(j));
        }
      return c;
    }
  }
  require(how == prefix::product, "decays", "this scalar has no logarithm: prefix::product");
  for (index_t t = 0; t < n; ++t) c.row(t + 1) = c.row(t).cwiseProduct(plan.gamma.row(first + t));
  return c;
}

/// √η̂ = √(w/γ) of every token.                                                                  @return (T, 1) or (T, dv)
template <real T>
[[nodiscard]] mat<T> roots(schedule<T> const& plan) {
  using std::sqrt;
  return plan.weight.binaryExpr(plan.gamma, [](T const& w, T const& g) { return T(sqrt(T(w / g))); });
}

/// The rows of m, (n, dv), times or over the factors of the n tokens, (n, 1) or (n, dv).
template <class M, class T>
void multiply_rows(M&& m, mat<T> const& factors) {
  for (index_t t = 0; t < m.rows(); ++t)
    for (index_t j = 0; j < m.cols(); ++j) m(t, j) *= factors(t, factors.cols() == 1 ? 0 : j);
}
template <class M, class T>
void divide_rows(M&& m, mat<T> const& factors) {
  for (index_t t = 0; t < m.rows(); ++t)
    for (index_t j = 0; j < m.cols(); ++j) m(t, j) /= factors(t, factors.cols() == 1 ? 0 : j);
}

}  // namespace fwa::paper
