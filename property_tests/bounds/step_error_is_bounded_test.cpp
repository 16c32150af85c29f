// SPDX-License-Identifier: Apache-2.0
// Claim step_error_is_bounded: one write S⁺ = γS + Σ_j w x_j (y_j − ρSᵀx_j)ᵀ, w = η / B, from floats S, x, y, η, γ taken as exact, is
// within
//
//   gam(B + 1) |γ||S|  +  Σ_j |w||x_j| ( gam(c) |y_j| + gam(c + d + [ρ=γ]) |ρ||S|ᵀ|x_j| )ᵀ,     c = B + 2 + [ρ≠0] + [B>1]
//
// entry by entry. The carry: one product, B additions. A write: two products and up to B additions, [ρ≠0] for y − p, [B>1] for η / B. A
// prediction p besides: d for its sum of d products, and one where the decay multiplies it. At B = 1, ρ = 1 that is gam(2), gam(4) and
// gam(d + 4). Per column nothing changes: scaling by a power of two does not round.
//
// Underflow adds h for each product, times what multiplies it later, with r_j = |y_j| + |ρ||S|ᵀ|x_j| + (d + 1)h:
//
//   (1 + gam(c + d + 1)) h ( 1 + Σ_j ( 1 + r_j (1 + [B>1] |x_j|) + (d + 1) |w||x_j| ) )
//
// and per column, where w r_j takes up to three products, one by max|x_j| and one with a factor of x_j below 2,
//
//   (1 + gam(c + d + 1)) h ( 1 + Σ_j ( 3 + r_j (2 + |w| max|x_j| + [B>1] |x_j|) + (d + 1) |w||x_j| ) )
#include "support/bound.hpp"
#include "support/problem.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

struct outcomes {
  ratios right, too_few, without_underflow;  // too_few: d where the count is d + 4
};

template <class F>
void one_step(rule const& c, index_t d, index_t B, dice& roll, bool tiny, outcomes& seen) {
  index_t const dv = 2, columns = c.per_column ? dv : 1;
  int const spread = tiny ? 6 : 10, shift = tiny ? (std::numeric_limits<F>::min_exponent - std::numeric_limits<F>::digits) / 2 : 0;
  mat<F> const S = heavy_tailed<F>(roll, d, dv, spread, shift), x = heavy_tailed<F>(roll, B, d, spread, shift);
  mat<F> y = heavy_tailed<F>(roll, B, dv, spread, tiny ? 2 * shift : 0);
  matrix const S_(S.template cast<digits>()), x_(x.template cast<digits>());
  if (roll.below(2) == 0) y = (x_ * S_).eval().template cast<F>();  // the residual cancels
  mat<F> const eta = heavy_tailed<F>(roll, 1, columns, 10), gamma = roll.matrix<F>(1, columns, -1, 1);
  schedule<F> plan{eta, gamma, {B}, c.rho};
  if (B > 1) plan.weight /= F(static_cast<int>(B));
  mat<F> got = S, residuals(B, dv);
  write<F>(got, x, y, plan, 0, residuals);

  index_t const later = c.rho == residual::gamma, solves = c.rho != residual::zero, many = B > 1, n = B + 2 + solves + many;
  digits const h = half_subnormal<F>();
  for (index_t i = 0; i < d; ++i)
    for (index_t j = 0; j < dv; ++j) {
      digits const g(gamma(0, c.per_column ? j : 0)), w = digits(eta(0, c.per_column ? j : 0)) / static_cast<int>(B),
                                                      rho = !solves ? digits(0)
                                                            : later ? g
                                                                    : digits(1);
      digits exact = g * S_(i, j), bound = gam<F>(B + 1) * abs(exact), fewer = bound, underflow(1);
      for (index_t b = 0; b < B; ++b) {
        digits p(0), size(0), longest(0);
        for (index_t k = 0; k < d; ++k) {
          p += rho * S_(k, j) * x_(b, k);
          size += abs(digits(rho * S_(k, j) * x_(b, k)));
          longest = std::max(longest, digits(abs(x_(b, k))));
        }
        digits const to = w * x_(b, i), target(y(b, j)), r = abs(target) + size + (d + 1) * h, at = abs(x_(b, i));
        exact += to * (target - p);
        bound += abs(to) * (gam<F>(n) * abs(target) + gam<F>(n + d + later) * size);
        fewer += abs(to) * gam<F>(d) * (abs(target) + size);
        underflow += (d + 1) * abs(to) + (c.per_column ? 3 + r * (2 + abs(w) * longest + many * at) : 1 + r * (1 + many * at));
      }
      digits const error = digits(got(i, j)) - exact, added = (1 + gam<F>(n + d + 1)) * h * underflow;
      seen.right.add(error, tiny ? bound + added : bound);
      seen.too_few.add(error, fewer);
      seen.without_underflow.add(error, bound);
    }
}

template <class F>
void all_steps(table const& t, bool tiny) {
  for (rule const& c : corners) {
    outcomes seen;
    dice roll(17);
    for (index_t d : {1, 2, 3, 8, 17})
      for (index_t B : c.windowed ? std::vector<index_t>{2, 4} : std::vector<index_t>{1})
        for (int i = 0; i < (tiny ? 60 : 1600 / d); ++i) one_step<F>(c, d, B, roll, tiny, seen);
    t.row(std::string(c.name) + (tiny ? ", tiny" : "") + ", " + name_of<F>, seen.right, tiny ? 0.2 : 0.3);
    CAPTURE(c.name);
    if (tiny) CHECK(seen.without_underflow.most > 1);
    if (!tiny && c.rho != residual::zero) CHECK(seen.too_few.most > 1);
  }
}

}  // namespace

TEST_CASE("one write, heavy-tailed, with cancellation and zeros") {
  table const t("one step");
  all_steps<float>(t, false);
  all_steps<double>(t, false);
}

TEST_CASE("one write that underflows") {
  table const t("one step that underflows");
  all_steps<float>(t, true);
  all_steps<double>(t, true);
}
