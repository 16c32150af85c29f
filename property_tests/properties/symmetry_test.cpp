// SPDX-License-Identifier: Apache-2.0
// Claim symmetry: permuting value columns permutes outputs and state; one orthogonal matrix on features, queries and state leaves the
// outputs; outputs and state are linear in (y, S_0); what a form adds to the decayed state lies in the span of the features.
#include "support/for_all.hpp"
#include "support/generate.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

struct drawn_case {
  problem<rational> a;
  path f;
  index_t C;
};

drawn_case any_case(rule const& r, index_t d, index_t dv) {
  shape s = any_shape(r, 4, d, dv, 3);
  s.d = d;
  s.dv = dv;
  index_t const C = any_chunk(s.T);
  classify(s, C);
  path const f = *rc::gen::elementOf(paths);
  RC_LOG() << s << ", C " << C << ", " << f << '\n';
  return {any_problem(s), f, C};
}

}  // namespace

TEST_CASE("permuting value columns permutes") {
  for (rule const& r : corners)
    for_all("permutation, " + std::string(r.name), 300, [&r] {
      auto const [a, f, C] = any_case(r, 2, 3);
      Eigen::PermutationMatrix<3> turn;
      turn.indices() << 1, 2, 0;
      problem<rational> b = a;
      b.p.y = a.p.y * turn;
      b.S = a.S * turn;
      if (a.of.per_column) {
        b.plan.weight = a.plan.weight * turn;
        b.plan.gamma = a.plan.gamma * turn;
      }
      reading<rational> const got = solve(b, f, C), want = solve(a, f, C);
      RC_ASSERT(got.o == mat<rational>(want.o * turn));
      RC_ASSERT(got.S == mat<rational>(want.S * turn));
    });
}

TEST_CASE("rotating features, queries and state together leaves the outputs") {
  mat<rational> R(3, 3);  // by 3-4-5 in the plane of the first two, by 5-12-13 in that of the last two
  rational const c = rational(3) / rational(5), s = rational(4) / rational(5), k = rational(5) / rational(13),
                 l = rational(12) / rational(13);
  R << c, s * k, s * l, -s, c * k, c * l, rational(0), -l, k;
  REQUIRE(mat<rational>(R * R.transpose()) == mat<rational>(mat<rational>::Identity(3, 3)));
  for (rule const& r : corners)
    for_all("rotation, " + std::string(r.name), 300, [&r, &R] {
      auto const [a, f, C] = any_case(r, 3, 2);
      problem<rational> b = a;
      b.q = a.q * R;
      b.p.x = a.p.x * R;
      b.S = R.transpose() * a.S;
      reading<rational> const got = solve(b, f, C), want = solve(a, f, C);
      RC_ASSERT(got.o == want.o);
      RC_ASSERT(got.S == mat<rational>(R.transpose() * want.S));
    });
}

TEST_CASE("outputs and state are linear in values and entry state") {
  for (rule const& r : corners)
    for_all("linearity, " + std::string(r.name), 300, [&r] {
      auto const [a, f, C] = any_case(r, 2, 2);
      problem<rational> const other = any_problem(a.of);
      problem<rational> b = a, both = a;
      rational const scale = fraction();
      b.p.y = other.p.y;
      b.S = other.S;
      both.p.y = scale * a.p.y + b.p.y;
      both.S = scale * a.S + b.S;
      reading<rational> const x = solve(a, f, C), y = solve(b, f, C), got = solve(both, f, C);
      RC_ASSERT(got.o == mat<rational>(scale * x.o + y.o));
      RC_ASSERT(got.S == mat<rational>(scale * x.S + y.S));
    });
}

TEST_CASE("what is added to the decayed state lies in the span of the features") {
  for (rule const& r : corners)
    for_all("span, " + std::string(r.name), 300, [&r] {
      auto drawn = any_case(r, 3, 2);
      problem<rational>& a = drawn.a;
      a.p.x.col(2) = a.p.x.col(0) + a.p.x.col(1);  // orthogonal to (1, 1, −1)
      mat<rational> normal(1, 3);
      normal << rational(1), rational(1), rational(-1);
      mat<rational> decayed = a.S;
      for (index_t t = 0; t < a.of.T; ++t) scale_columns(decayed, a.plan.gamma, t);
      RC_ASSERT(mat<rational>(normal * solve(a, drawn.f, drawn.C).S) == mat<rational>(normal * decayed));
    });
}
