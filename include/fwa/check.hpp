// SPDX-License-Identifier: Apache-2.0
// check.hpp — the tokens that come in, and which rules, options, drives and memories go together.
#pragma once

#include "check_options.hpp"
#include "contract.hpp"
#include "form/memory.hpp"
#include "options.hpp"
#include "rule/rule.hpp"
#include "scalar.hpp"
#include "step/schedule.hpp"

#include <cmath>
#include <string_view>

namespace fwa {

/// Tokens of one head. 16-bit tokens are driven, planned and remembered in float.
template <class T>
struct tokens {
  view<T> q, k;  ///< (T, d)
  view<T> v;     ///< (T, dv)
  fwa::drive<accumulator_t<T>> drive;
};

/// Throws contract_error unless this rule can run with these options on d keys and dv values a token from this memory.
template <real S>
void check(std::string_view who, rule const& r, options const& o, memory<S> const& m, index_t dx, index_t dv) {
  check_options<S>(who, r, o, dx, dv);
  if (o.normalized_read) {
    auto not_negative = [&](std::string_view what, auto const& rows) {
      require_each(who, what, rows, "be >= 0 or the denominator sign_stable", [](S const& z) { return !(z < S(0)); });
    };
    if (o.denominator == denominator::nonnegative) {
      if (m.z) not_negative("memory z", *m.z);
      if (m.last_feature) not_negative("memory last_feature", *m.last_feature);
      not_negative("memory tail_x", m.tail_x);
    }
    require((m.S.array() == S(0)).all() || m.z, who, "a normalised read that continues a state needs its normaliser z");
  }
  require(!m.z || o.normalized_read, who, "the memory has a normaliser z, but the read is not normalised");
  if (m.S.rows() != 0 || m.S.cols() != 0) require_shape(who, "memory S", m.S, dx, dv);
  if (m.z) require_shape(who, "memory z", *m.z, 1, dx);
  if (m.last_feature) require_shape(who, "memory last_feature", *m.last_feature, 1, dx);
  index_t const n = m.tail_x.rows();
  require(n < o.window, who, "a window of ", o.window, " continues from at most ", o.window - 1, " pairs, but the tail has ", n);
  require(m.tail_y.rows() == n, who, "tail_x has ", n, " pairs, but tail_y has ", m.tail_y.rows());
  if (n > 0) {
    require_shape(who, "memory tail_x", m.tail_x, n, dx);
    require_shape(who, "memory tail_y", m.tail_y, n, dv);
    require(m.last_feature || o.pairing.value_or(r.pairing) == pairing::same_step, who,
            "a tail without the last feature cannot continue shifted pairs");
    require_finite(who, "memory tail_x", m.tail_x);
    require_finite(who, "memory tail_y", m.tail_y);
  }
  require_finite(who, "memory S", m.S);
  if (m.z) require_finite(who, "memory z", *m.z);
  if (m.last_feature) require_finite(who, "memory last_feature", *m.last_feature);
}

/// Throws contract_error unless the drive fits this rule: shapes (T, 1) or (T, dv), β ∈ [0, 2), λ ≥ 0, all finite.
template <real S>
void check(std::string_view who, rule const& r, options const& o, drive<S> const& d, index_t count, index_t dv) {
  bool const given = r.law == step_law::given;
  require(d.law == r.law, who, r.name, given ? " takes steps(eta, gamma), not gains" : " takes gains(beta, lambda), not steps");
  index_t const columns = r.per_column ? dv : 1;
  char const* const size = given ? "eta" : "beta";
  char const* const forget = given ? "gamma" : "lambda";
  require_shape(who, size, d.size, count, columns);
  require_shape(who, forget, d.forget, count, given ? columns : 1);
  require_finite(who, size, d.size);
  require_finite(who, forget, d.forget);
  auto not_negative = [](S const& s) { return !(s < S(0)); };
  if (!given && !o.any_gain) require_each(who, size, d.size, "be in [0, 2)", [&](S const& b) { return not_negative(b) && b < S(2); });
  if (!given) require_each(who, forget, d.forget, "be >= 0", not_negative);
  if (!o.normalized_read || o.denominator == denominator::sign_stable) return;
  require_each(who, size, d.size, "be >= 0 for a normalised read without denominator::sign_stable", not_negative);
  if (given)
    require_each(who, forget, d.forget, "be >= 0 for a normalised read without denominator::sign_stable", not_negative);
  else if (!o.clamp)
    require_each(who, size, d.size, "be <= 1 for an unclamped normalised read without denominator::sign_stable",
                 [](S const& b) { return !(S(1) < b); });
}

/// Throws contract_error unless these are `count` tokens of d keys and dv values with a drive that fits this rule. NaN and infinities
/// in q, k and v are left to whoever reads them.
template <class T>
void check(std::string_view who, rule const& r, options const& o, tokens<T> const& in, index_t count, index_t d, index_t dv) {
  require_shape(who, "q", in.q, count, d);
  require_shape(who, "k", in.k, count, d);
  require_shape(who, "v", in.v, count, dv);
  check<accumulator_t<T>>(who, r, o, in.drive, count, dv);
}

}  // namespace fwa
