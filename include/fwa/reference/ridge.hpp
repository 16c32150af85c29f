// SPDX-License-Identifier: Apache-2.0
// reference/ridge.hpp — the exact solution that one gradient step a token only approaches.                  Eq. (A.1), (A.2)
//
//   S* = argmin Σ ‖Sᵀx_j − y_j‖² + λ‖S − S_0‖² = (λI + Σ x_j x_jᵀ)⁻¹ (Σ x_j y_jᵀ + λ S_0)
//
//   recursively:   P_0 = I/λ,   g = Px / (1 + xᵀPx),   P ← P − g xᵀP,   S ← S + g (y − Sᵀx)ᵀ
//
//   x (dx)   y (dv)   S, S_0 (dx, dv)   P (dx, dx)   λ > 0, one for the whole sequence
//
// O(dx² + dx dv) a pair, where a rule of this library costs O(dx dv). Never optimised.
// Laws: ridge_is_least.
#pragma once

#include "../matrix.hpp"
#include "../scalar.hpp"

#include <Eigen/Cholesky>

#include <utility>

namespace fwa::reference {

/// Recursive least squares: after each pair the exact ridge solution of all pairs so far.
template <real T>
class recursive_ridge {
 public:
  /// @param lambda > 0   @param S_0 where the ridge pulls to (dx, dv)
  recursive_ridge(T const& lambda, mat<T> S_0) : S_(std::move(S_0)), P_(mat<T>::Identity(S_.rows(), S_.rows()) / lambda) {}

  void write(row<T> const& x, row<T> const& y) {
    row<T> const Px = x * P_;  // P is symmetric
    T const scale = T(1) + Px.dot(x);
    row<T> const g = Px / scale, r = y - x * S_;
    S_ += g.transpose() * r;
    for (index_t i = 0; i < P_.rows(); ++i)
      for (index_t j = 0; j <= i; ++j) P_(j, i) = P_(i, j) = T(P_(i, j) - g(i) * Px(j));
  }

  [[nodiscard]] mat<T> const& S() const { return S_; }
  [[nodiscard]] mat<T> const& P() const { return P_; }

 private:
  mat<T> S_, P_;
};

/// The same from the normal equations, all pairs at once.   @param X (n, dx)   @param Y (n, dv)
template <real T>
[[nodiscard]] mat<T> ridge_solution(mat<T> const& X, mat<T> const& Y, T const& lambda, mat<T> const& S_0) {
  index_t const dx = X.cols();
  mat<T> const moment = lambda * mat<T>::Identity(dx, dx) + X.transpose() * X;
  mat<T> const target = X.transpose() * Y + lambda * S_0;
  return moment.llt().solve(target);
}

}  // namespace fwa::reference
