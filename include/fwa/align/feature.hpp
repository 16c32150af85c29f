// SPDX-License-Identifier: Apache-2.0
// align/feature.hpp — feature maps φ: R^d → R^dx, applied to q and k before the shift.                  Section 4.1
//
//   identity u      rms_norm u/√(‖u‖²/d + ε)      l2_norm u/√(‖u‖² + ε)      elu_plus_one      relu          dx = d for all
//
// √ and exp are taken in the scalar of the computation. The norms leave a zero row zero, ε = 0 included.
#pragma once

#include "../concepts.hpp"
#include "../host_device.hpp"
#include "../index.hpp"
#include "../options.hpp"

#include <cmath>

namespace fwa {

/// True where no coordinate of φ(u) can be negative; a normalised read needs it.                           Appendix C.2
[[nodiscard]] constexpr bool is_nonnegative(feature phi) { return phi == feature::elu_plus_one || phi == feature::relu; }

/// φ(u) in place.   @param u one row (1, d)   @param epsilon the norm's stabiliser, ≥ 0
template <real S, class Row>
FWA_HOST_DEVICE void apply_feature(feature phi, S const& epsilon, Row&& u) {
  using std::exp;
  using std::sqrt;
  auto divide_by_norm = [&u, &epsilon](S const& d) {
    S scale = sqrt(epsilon);  // the larger of √ε and max|u_i|: no square below exceeds 1, and none that matters underflows
    for (index_t i = 0; i < u.size(); ++i) {
      S const size = u(i) < S(0) ? S(-u(i)) : S(u(i));
      if (scale < size) scale = size;
    }
    if (!(S(0) < scale)) return;
    S square(0);
    for (index_t i = 0; i < u.size(); ++i) {
      u(i) /= scale;
      square += u(i) * u(i);
    }
    u /= S(sqrt(S(square / d + epsilon / scale / scale)));
  };
  switch (phi) {
    case feature::identity:
      return;
    case feature::rms_norm:
      return divide_by_norm(S(static_cast<int>(u.size())));
    case feature::l2_norm:
      return divide_by_norm(S(1));
    case feature::relu:
      for (index_t i = 0; i < u.size(); ++i)
        if (u(i) < S(0)) u(i) = S(0);
      return;
    case feature::elu_plus_one:
      for (index_t i = 0; i < u.size(); ++i) u(i) = S(0) < u(i) ? S(u(i) + S(1)) : S(exp(u(i)));
      return;
  }
}

}  // namespace fwa
