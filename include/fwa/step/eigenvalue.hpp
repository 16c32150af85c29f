// SPDX-License-Identifier: Apache-2.0
// step/eigenvalue.hpp — λ_max of small symmetric positive semi-definite matrices, several at once.
//
// One matrix a lane: the same instructions whatever the lanes hold, so a matrix has one answer wherever it stands; see bisection.hpp.
// Law: largest_eigenvalue_is_exact (against Eigen's solver and 50 digits).
#pragma once

#include "../matrix.hpp"
#include "../scalar.hpp"
#include "bisection.hpp"

#include <limits>
#include <type_traits>
#include <vector>

namespace fwa {

/// As many matrices as fill one wide register; one of a scalar that has no registers.
template <class S>
inline constexpr int eigen_lanes = std::is_floating_point_v<S> && sizeof(S) <= 8 ? 64 / static_cast<int>(sizeof(S)) : 1;

/// Lower triangles of `eigen_lanes` matrices of n rows, row by row; room for the work is taken once.
template <rooted S>
class largest_eigenvalues {
  static_assert(!std::numeric_limits<S>::is_exact && std::numeric_limits<S>::digits > 0, "λ_max is a root: say how precise it shall be");

 public:
  using lane = Eigen::Array<S, eigen_lanes<S>, 1>;

  void resize(index_t n) {
    n_ = n;
    a_.resize(static_cast<std::size_t>(n * n));
    v_.resize(static_cast<std::size_t>(n));
    w_.resize(static_cast<std::size_t>(n));
    off_.resize(static_cast<std::size_t>(n));
  }

  /// Entry (i, j), j ≤ i, of all lanes; overwritten by solve().
  [[nodiscard]] lane& at(index_t i, index_t j) { return a_[static_cast<std::size_t>(i * n_ + j)]; }

  /// λ_max of every lane.
  [[nodiscard]] lane solve() { return detail::bisection<S, lane, several>{n_, a_.data(), v_.data(), w_.data(), off_.data()}.solve(); }

 private:
  struct several {
    static lane fill(S const& s) { return lane::Constant(s); }
    template <class Mask>
    static lane choose(Mask const& first, lane const& a, lane const& b) {
      return first.select(a, b);
    }
    static lane larger(lane const& a, lane const& b) { return a.max(b); }
    static lane smaller(lane const& a, lane const& b) { return a.min(b); }
    static lane root(lane const& a) { return a.sqrt(); }
  };

  index_t n_ = 0;
  std::vector<lane, Eigen::aligned_allocator<lane>> a_, v_, w_, off_;
};

}  // namespace fwa
