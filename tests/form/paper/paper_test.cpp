// SPDX-License-Identifier: Apache-2.0
// The paper's forms in doubles, decays by products or logarithms. With products they have a bound of their own:
// property_tests/bounds/forms_differ_by_the_sum_of_their_bounds_test.cpp.
#include <fwa/form/paper/tensor_inverse.hpp>
#include <fwa/form/paper/wy.hpp>
#include <fwa/fwa.hpp>
#include <fwa/number/prime_field.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <random>

using namespace fwa;

namespace {

struct problem {
  mat<double> q;
  pairs<double> p;
  schedule<double> plan;
  mat<double> S;
};

/// @param lambda the ridge; with ‖x‖² near d the mean carry is about d / (d + λ) for β near 1
problem make(rule const& r, index_t B, index_t T, double lambda, unsigned seed) {
  index_t const d = 4, dv = 3;
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> gain(0.1, 1.0);
  auto draw = [&](index_t n, index_t m) { return mat<double>(mat<double>::NullaryExpr(n, m, [&] { return normal(rng); })); };
  mat<double> const k = draw(T, d), v = draw(T, dv), ridge = mat<double>::Constant(T, 1, lambda);
  mat<double> const beta = mat<double>::NullaryExpr(T, r.per_column ? dv : 1, [&] { return gain(rng); });
  options o;
  o.window = B;
  problem out{draw(T, d), align<double>(k, v, pairing::shifted), {}, draw(d, dv)};
  out.plan = make_plan<double>(r.rho, out.p, gains<double>(beta, ridge), o).schedule;
  return out;
}

}  // namespace

TEST_CASE("decays: products of either sign; exp of sums of logarithms, where a scalar has them") {
  schedule<double> plan;
  plan.gamma.resize(3, 2), plan.weight.setConstant(3, 2, 7);
  plan.gamma << 9, 9, -0.5, 0.25, 3, 0.75;
  mat<double> want(3, 2);
  want << 1, 1, -0.5, 0.25, -1.5, 0.1875;  // from the second token on
  CHECK(test::identical(paper::decays(plan, 1, 2, paper::prefix::product), want));
  plan.gamma = plan.gamma.cwiseAbs().eval();
  want = want.cwiseAbs().eval();
  CHECK_CLOSE(paper::decays(plan, 1, 2, paper::prefix::log_space), want, 1e-15);
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  for (double gamma : {1e-300, 1e-6, 0.5, 1 - 1e-12, 1.0}) {  // of one token: γ itself, up to a log, an exp and log γ rounded
    plan.gamma.setConstant(gamma);
    CHECK(std::abs(paper::decays(plan, 0, 1, paper::prefix::log_space)(1, 0) - gamma) <= (2 + 2 * std::abs(std::log(gamma))) * u * gamma);
  }

  using F = prime_field<5>;
  schedule<F> over_field;
  over_field.gamma.setConstant(1, 1, F(2));
  over_field.weight.setConstant(1, 1, F(2));
  CHECK(paper::decays(over_field, 0, 1, paper::prefix::product)(1, 0) == F(2));
  CHECK_THROWS_AS((void)paper::decays(over_field, 0, 1, paper::prefix::log_space), contract_error);
}

TEST_CASE("rows times and over factors, one for each row or one for each entry") {
  mat<double> one(2, 1), each(2, 2), start(2, 2), by_rows(2, 2), by_entries(2, 2), m(2, 2);
  one << 2, 5;
  each << 2, 3, 4, 5;
  start << 1, 2, 3, 4;
  by_rows << 2, 4, 15, 20;
  by_entries << 2, 6, 12, 20;
  m << 1, 2, 3, 4;
  paper::multiply_rows(m, one);
  CHECK(test::identical(m, by_rows));
  paper::divide_rows(m, one);
  CHECK(test::identical(m, start));
  paper::multiply_rows(m, each);
  CHECK(test::identical(m, by_entries));
  paper::divide_rows(m, each);
  CHECK(test::identical(m, start));
}

TEST_CASE("paper_forms_agree_where_defined: WY equals the recurrence for one step a token and for one a column, with and without decay") {
  for (rule const& r : {falcon_1, falcon_2})
    for (double lambda : {0.0, 0.5})
      for (timing when : {timing::read_after_write, timing::read_before_write})
        for (index_t C : {1, 3, 8, 64}) {
          problem const a = make(r, 1, 37, lambda, 5);
          reading<double> const want = recurrent<double>(a.q, a.p, a.plan, when, a.S);
          for (paper::prefix how : {paper::prefix::product, paper::prefix::log_space}) {
            reading<double> const got = paper::wy<double>(a.q, a.p, a.plan, paper::roots(a.plan), when, C, a.S, how);
            CHECK_CLOSE(got.o, want.o, test::forms);
            CHECK_CLOSE(got.S, want.S, test::forms);
          }
        }
}

TEST_CASE("WY after pairs that only longer windows would read") {
  problem a = make(falcon_1, 1, 20, 0.5, 5);
  a.q = a.q.bottomRows(17).eval();
  a.p.before = 3;
  a.p.sentinel = false;
  for (mat<double>* m : {&a.plan.weight, &a.plan.gamma}) *m = m->bottomRows(17).eval();
  a.plan.window.assign(17, 1);
  reading<double> const want = recurrent<double>(a.q, a.p, a.plan, timing::read_after_write, a.S);
  reading<double> const got = paper::wy<double>(a.q, a.p, a.plan, paper::roots(a.plan), timing::read_after_write, 8, a.S);
  CHECK_CLOSE(got.o, want.o, test::forms);
  CHECK_CLOSE(got.S, want.S, test::forms);
}

TEST_CASE("paper_forms_agree_where_defined: tensorInv equals the recurrence for windows, the first ones partly filled") {
  for (index_t B : {1, 2, 5})
    for (timing when : {timing::read_after_write, timing::read_before_write})
      for (index_t C : {1, 3, 8}) {
        problem const a = make(falcon_3, B, 23, 0.5, 7);
        reading<double> const want = recurrent<double>(a.q, a.p, a.plan, when, a.S);
        for (paper::prefix how : {paper::prefix::product, paper::prefix::log_space}) {
          reading<double> const got = paper::tensor_inverse<double>(a.q, a.p, a.plan, B, when, C, a.S, how);
          CHECK_CLOSE(got.o, want.o, test::forms);
          CHECK_CLOSE(got.S, want.S, test::forms);
        }
      }
}

TEST_CASE("strong decay: the paper's forms leave the number range where the pairwise ones stay exact") {
  problem const a = make(falcon_1, 1, 64, 1e7, 11);  // γ down to 1e-6 where β is near 1
  problem deep = a;
  deep.plan.gamma.setConstant(1e-6);
  deep.plan.gamma(0, 0) = 1;
  reading<double> const want = recurrent<double>(deep.q, deep.p, deep.plan, timing::read_after_write, deep.S);
  reading<double> const pairwise = chunked<double>(deep.q, deep.p, deep.plan, timing::read_after_write, 64, deep.S);
  reading<double> const inverse =
      paper::wy<double>(deep.q, deep.p, deep.plan, paper::roots(deep.plan), timing::read_after_write, 64, deep.S);
  CHECK_CLOSE(pairwise.o, want.o, 1e-13);
  CHECK_FALSE(inverse.o.allFinite());
}

TEST_CASE("rescaling the step but not the targets is wrong from the second step on") {
  problem a = make(falcon_1, 1, 3, 2.0, 13);
  a.plan.gamma.setConstant(0.5);
  a.p.x.row(0).setConstant(1);
  a.plan.weight.setConstant(0.1);
  a.plan.window = {1, 1, 1};
  reading<double> const want = recurrent<double>(a.q, a.p, a.plan, timing::read_after_write, a.S);
  mat<double> o(3, 3), S = a.S;
  paper::wy_chunk<double>(view<double>(a.q), view<double>(a.p.x), a.p.y, paper::roots(a.plan), timing::read_after_write, S, o);
  mat<double> const c = paper::decays(a.plan, 0, 3, paper::prefix::product);
  paper::multiply_rows(o, mat<double>(c.bottomRows(3)));
  CHECK(fwa::test::distance(mat<double>(o.topRows(1)), mat<double>(want.o.topRows(1))) < 1e-14);
  CHECK(fwa::test::distance(mat<double>(o.row(1)), mat<double>(want.o.row(1))) > 1e-2);
}
