// SPDX-License-Identifier: Apache-2.0
// check_options.hpp — which rules and options go together.
#pragma once

#include "align/feature.hpp"
#include "concepts.hpp"
#include "index.hpp"
#include "options.hpp"
#include "refusal.hpp"
#include "rule/rule.hpp"

#include <string_view>

namespace fwa {

/// Throws contract_error unless this rule can run with these options on d keys and dv values a token.
template <real S>
void check_options(std::string_view who, rule const& r, options const& o, index_t dx, index_t dv) {
  require(dx >= 1 && dv >= 1, who, "keys and values must have at least 1 entry, but have ", dx, " and ", dv);
  auto known = [&](std::string_view what, auto value, auto last) {
    require(static_cast<int>(value) >= 0 && value <= last, who, what, " has no value ", static_cast<int>(value));
  };
  known("form", o.form, form::chunk_scan);
  known("timing", o.timing, timing::read_before_write);
  known("feature", o.feature, feature::relu);
  known("ridge", o.ridge, ridge::scale_coupled);
  known("denominator", o.denominator, denominator::sign_stable);
  known("pairing", o.pairing.value_or(r.pairing), pairing::same_step);
  require(o.window >= 1, who, "window must be at least 1, but is ", o.window);
  require(o.chunk >= 1, who, "chunk must be at least 1, but is ", o.chunk);
  require(r.windowed || o.window == 1, who, r.name, " has no window, but window is ", o.window);
  // As the scalar rounds them: what is legal in double may be 0, 1 or infinite in float.
  S const epsilon = static_cast<S>(o.epsilon), floor = static_cast<S>(o.epsilon_gamma), inside_root = static_cast<S>(o.feature_epsilon);
  require(finite(epsilon) && !(epsilon < S(0)), who, "epsilon must be finite and >= 0, but is ", epsilon);
  require(S(0) < floor && floor < S(1), who, "epsilon_gamma must be in (0, 1), but is ", floor);
  require(finite(inside_root) && !(inside_root < S(0)), who, "feature_epsilon must be finite and >= 0, but is ", inside_root);
  if (o.normalized_read) {
    S const attn = static_cast<S>(*o.normalized_read);
    require(finite(attn) && S(0) < attn, who, "normalized_read must be finite and > 0, but is ", attn);
    require(r.rho == residual::zero && !r.per_column, who, "a normalised read needs an inner-product rule with one step a token, not ",
            r.name);
    require(is_nonnegative(o.feature) || o.denominator == denominator::sign_stable, who,
            "a normalised read needs non-negative features (elu+1, relu) or denominator::sign_stable");
  }
}

}  // namespace fwa
