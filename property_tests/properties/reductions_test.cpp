// SPDX-License-Identifier: Apache-2.0
// Claim reductions: where two rules should be one, they are, and the special cases that have names of their own are those.
#include "support/approx.hpp"
#include "support/for_all.hpp"
#include "support/head.hpp"
#include "support/one_write.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

/// The state after one write of (x, y) with gain β and ridge λ, without clamp.
matrix after(residual rho, matrix const& S, matrix const& x, matrix const& y, rational const& beta, rational const& lambda) {
  one_write a{rho, {x, matrix::Identity(1, 1), x.squaredNorm()}, matrix::Constant(1, 1, beta), lambda, {}, y, S};
  a.o.clamp = false;
  return test::after(a, planned(a));
}

outcome<double> with(rule const& r, head<double> const& h, form f, index_t window = 1) {
  options o;
  o.form = f;
  o.chunk = 5;
  o.window = window;
  return attend<double>(r, h.all(), o);
}

constexpr form every_form[] = {form::recurrent, form::masked, form::chunk, form::chunk_scan};

}  // namespace

TEST_CASE("a window of one pair: Falcon-3 is Falcon-1, 3A is 1A, 23 is 2, 23a is 2A, bit for bit") {
  for (auto const& two : {std::pair{falcon_3, falcon_1}, {falcon_3a, falcon_1a}, {falcon_23, falcon_2}, {falcon_23a, falcon_2a}})
    for (form f : every_form)
      for (std::uint64_t seed : {1u, 2u, 3u}) {
        rule const &wide = two.first, &narrow = two.second;
        head<double> const h = some_head(wide, 23, 4, 3, seed);
        outcome<double> const a = with(wide, h, f), b = with(narrow, h, f);
        CAPTURE(wide.name);
        CHECK(identical(a.o, b.o));
        CHECK(identical(a.memory, b.memory));
      }
}

TEST_CASE("gains equal over columns: Falcon-2 is Falcon-1, 2A is 1A, 23 is 3, 23a is 3A") {
  for (auto const& two : {std::pair{falcon_2, falcon_1}, {falcon_2a, falcon_1a}, {falcon_23, falcon_3}, {falcon_23a, falcon_3a}})
    for (form f : every_form) {
      rule const &many = two.first, &one = two.second;
      head<double> const h = some_head(one, 23, 4, 3, 4);
      head<double> columns = h;
      columns.size = h.size.replicate(1, 3);
      index_t const window = one.windowed ? 3 : 1;
      outcome<double> const a = with(many, columns, f, window), b = with(one, h, f, window);
      CAPTURE(many.name);
      CHECK_CLOSE(a.o, b.o, test::forms);
      CHECK_SAME_MEMORY(a.memory, b.memory, test::forms);
      CHECK(identical(a.eta, b.eta.replicate(1, 3).eval()));
    }
}

TEST_CASE("steps equal over columns are one step a token, over fractions, in every form that has both") {
  constexpr rule gated_3{"gated-3", residual::gamma, false, true, step_law::given, pairing::same_step};
  for (rule const& r : {falcon_1, falcon_1a, falcon_3, falcon_3a, gated_delta_net, gated_3})
    for_all("columns are equal, " + std::string(r.name), 300, [&r] {
      shape s = any_shape(r, 5, 2, 2, 3);
      s.dv = die(2) + 1;
      index_t const C = any_chunk(s.T);
      classify(s, C);
      auto check = [&](problem<rational> const& one, auto const& those) {
        problem<rational> many = one;
        many.of.per_column = true;
        for (matrix* m : {&many.plan.weight, &many.plan.gamma, &many.sigma}) *m = m->replicate(1, s.dv).eval();
        for (path f : those)
          if (is_defined(f, one.of) && is_defined(f, many.of)) {
            RC_LOG() << s << ", C " << C << ", " << f << '\n';
            RC_ASSERT(equal(solve(many, f, C), solve(one, f, C)));
          }
      };
      problem<rational> const a = any_problem(s);
      check(a, paths);
      check(with_roots(a), paper_paths);
    });
}

TEST_CASE("without ridge Falcon-1 is normalised LMS, and a gain of one learns the pair; Falcon-1A is the Hebbian write") {
  for_all("normalised LMS, Hebbian write", 200, [] {
    index_t const d = any_size(1, 3), dv = any_size(1, 2);
    matrix const x = any_matrix(1, d), y = any_matrix(1, dv), S = any_matrix(d, dv);
    rational const beta = any_gain(), E = x.squaredNorm();
    RC_PRE(E != rational(0));
    RC_CLASSIFY(beta == rational(1), "gain 1");
    matrix const lms = after(residual::one, S, x, y, beta, rational(0));
    RC_ASSERT(lms == matrix(S + beta / E * x.transpose() * (y - x * S)));
    RC_ASSERT(matrix(x * after(residual::one, S, x, y, rational(1), rational(0))) == y);
    RC_ASSERT(after(residual::zero, S, x, y, beta, rational(0)) == matrix(S + beta / E * x.transpose() * y));
  });
}

TEST_CASE("a zero key without ridge changes nothing; with one it only decays; no gain, no change") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("degenerate steps, rho = ") + (rho == residual::one ? "1" : "0"), 100, [rho] {
      matrix const x = matrix::Constant(1, 2, rational(0)), y = any_matrix(1, 2), S = any_matrix(2, 2), key = any_matrix(1, 2);
      rational const lambda = rational(die(8)) / rational(4), beta = any_gain();
      RC_ASSERT(after(rho, S, x, y, beta, rational(0)) == S);
      RC_ASSERT(after(rho, S, x, y, beta, lambda) == matrix(S * (rational(1) - beta)));
      RC_ASSERT(after(rho, S, key, y, rational(0), lambda) == S);
    });
}

TEST_CASE("gated DeltaNet is the delta rule with step γη and targets v/γ, and the other way round") {
  for_all("gated DeltaNet both ways", 100, [] {
    shape s = any_shape(gated_delta_net, 5, 3, 2, 1);
    problem<rational> a = special_problem(s);
    for (index_t t = 0; t < s.T; ++t)
      if (a.plan.gamma(t, 0) == rational(0)) a.plan.gamma(t, 0) = rational(1);
    tag(classes_of(a));
    problem<rational> b = a;
    b.plan.rho = b.of.rho = residual::one;
    b.plan.weight = a.plan.weight.cwiseProduct(a.plan.gamma);
    for (index_t t = 0; t < s.T; ++t) b.p.y.row(t) /= a.plan.gamma(t, 0);
    index_t const C = any_chunk(s.T);
    for (path f : paths) RC_ASSERT(equal(solve(a, f, C), solve(b, f, C)));
  });
}
