// SPDX-License-Identifier: Apache-2.0
// Claim neighbours: linear attention, RetNet, Mamba-2 and gated DeltaNet are settings of the one recurrence: over fractions, with ==, every
// form gives what their publications write, as sums over all pairs or, with a residual, by dense matrices. (DeltaNet: claim delta_rule.)
#include "support/for_all.hpp"
#include "support/generate.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace boost::multiprecision {
/// To base 2, of an integer: exact, and it turns sums into products, which is all that Mamba-2 asks of exp.
inline fwa::rational exp(fwa::rational const& n) { return fwa::rational(std::ldexp(1.0, n.convert_to<int>())); }
}  // namespace boost::multiprecision

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

matrix ones(index_t T) { return matrix::Constant(T, 1, rational(1)); }

/// @param steps of so many tokens   @param wanted outputs of a problem whose x and y are still k and v
void equals(rule const& r, std::function<given_steps<rational>(index_t)> steps, std::function<matrix(problem<rational> const&)> wanted) {
  for_all(std::string(r.name), 300, [&] {
    shape s = shape_of(r, 1);
    s.T = any_size(0, 5);
    s.d = any_size(1, 3);
    s.dv = any_size(1, 2);
    s.when = *rc::gen::element(timing::read_after_write, timing::read_before_write);
    problem<rational> a = special_problem(s);
    auto const [eta, gamma] = steps(s.T);
    a.plan.weight = eta;
    a.plan.gamma = gamma;
    tag(classes_of(a));
    index_t const C = any_chunk(s.T);
    matrix const want = wanted(a);
    a.p = align<rational>(a.p.x, a.p.y, r.pairing);
    for (path f : paths) {
      RC_LOG() << s << ", C " << C << ", " << f << '\n';
      RC_ASSERT(solve(a, f, C).o == want);
    }
  });
}

/// o_t = kept(−1, u) S_0ᵀq_t + Σ_{s≤u} kept(s, u) ⟨q_t, k_s⟩ v_s, where u is t, or t − 1 where the read comes first.
matrix by_sums(problem<rational> const& a, std::function<rational(index_t, index_t)> kept) {
  matrix o(a.of.T, a.of.dv);
  for (index_t t = 0; t < a.of.T; ++t) {
    index_t const u = a.of.when == timing::read_after_write ? t : t - 1;
    o.row(t) = kept(-1, u) * a.q.row(t) * a.S;
    for (index_t s = 0; s <= u; ++s) o.row(t) += kept(s, u) * a.q.row(t).dot(a.p.x.row(s)) * a.p.y.row(s);
  }
  return o;
}

}  // namespace

TEST_CASE("linear attention: o_t = Σ ⟨q_t, k_s⟩ v_s") {
  equals(
      linear_attention,
      [](index_t T) {
        return given_steps<rational>{ones(T), ones(T)};
      },
      [](problem<rational> const& a) { return by_sums(a, [](index_t, index_t) { return rational(1); }); });
}

TEST_CASE("RetNet: o_t = Σ γ^{t−s} ⟨q_t, k_s⟩ v_s") {
  rational gamma;
  equals(
      retnet,
      [&](index_t T) {
        gamma = fraction();
        return given_steps<rational>{ones(T), gamma * ones(T)};
      },
      [&](problem<rational> const& a) {
        return by_sums(a, [&](index_t s, index_t t) {
          rational power(1);
          for (; s < t; ++s) power *= gamma;
          return power;
        });
      });
}

TEST_CASE("Mamba-2: o_t = Σ exp(A Σ_{s<r≤t} Δ_r) Δ_s ⟨q_t, k_s⟩ v_s") {
  int A = 0;
  std::vector<int> delta;
  equals(
      mamba_2,
      [&](index_t T) {
        A = 1 - die(3);
        delta.resize(static_cast<std::size_t>(T));
        for (int& each : delta) each = die(5) - 1;
        matrix all(T, 1);
        std::copy(delta.begin(), delta.end(), all.data());
        return mamba_2_steps<rational>(all, rational(A));
      },
      [&](problem<rational> const& a) {
        return by_sums(a, [&](index_t s, index_t t) {
          int const passed = std::accumulate(delta.begin() + s + 1, delta.begin() + t + 1, 0);
          return rational(std::ldexp(s < 0 ? 1.0 : delta[static_cast<std::size_t>(s)], A * passed));
        });
      });
}

TEST_CASE("gated DeltaNet: S = g (I − b kᵀk) S + b kᵀv") {
  equals(
      gated_delta_net,
      [](index_t T) {
        return given_steps<rational>{any_matrix(T, 1), any_matrix(T, 1)};
      },
      [](problem<rational> const& a) {
        matrix o(a.of.T, a.of.dv), S = a.S;
        for (index_t t = 0; t < a.of.T; ++t) {
          matrix const k = a.p.x.row(t), v = a.p.y.row(t), I = matrix::Identity(a.of.d, a.of.d);
          rational const b = a.plan.weight(t, 0), g = a.plan.gamma(t, 0);
          if (a.of.when == timing::read_before_write) o.row(t) = a.q.row(t) * S;
          S = (g * (I - b * k.transpose() * k) * S + b * k.transpose() * v).eval();
          if (a.of.when == timing::read_after_write) o.row(t) = a.q.row(t) * S;
        }
        return o;
      });
}
