// SPDX-License-Identifier: Apache-2.0
// form/memory.hpp — all that a sequence needs in order to go on exactly as if it had never stopped.        Appendix C.7
//
//   { S_T, φ(k_T), the last min(B−1, available) pairs, z_T }
//
// S alone does not continue a window: the next step takes the oldest pair out exactly.
// Laws: continuation.
#pragma once

#include "../align/pairs.hpp"
#include "../matrix.hpp"

#include <optional>

namespace fwa {

template <class T>
struct memory : boundary<T> {
  mat<T> S;                 ///< (dx, dv); empty: zero
  std::optional<row<T>> z;  ///< (dx) normaliser of a normalised read

  /// Every number as a U.
  template <class U>
  [[nodiscard]] memory<U> cast() const {
    auto each = [](std::optional<row<T>> const& r) { return r ? std::optional<row<U>>(r->template cast<U>()) : std::nullopt; };
    return {{each(this->last_feature), this->tail_x.template cast<U>(), this->tail_y.template cast<U>()}, S.template cast<U>(), each(z)};
  }
};

/// What a form returns.
template <class T>
struct reading {
  mat<T> o;  ///< (T, dv)
  mat<T> S;  ///< (dx, dv), after the last token
};

}  // namespace fwa
