// SPDX-License-Identifier: Apache-2.0
#include <fwa/step/energy.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <cmath>
#include <vector>

namespace fwa {
namespace {

pairs<double> shifted(mat<double> const& keys, boundary<double> const& entry = {}) {
  return align<double>(keys, mat<double>::Zero(keys.rows(), 1).eval(), pairing::shifted, entry);
}

/// E_t from λ_max of the (dx, dx) second moment or the mean square, as it is defined.
double defined(residual rho, pairs<double> const& p, index_t t, index_t B) {
  index_t const end = p.before + t + 1, first = std::max<index_t>(p.sentinel ? 1 : 0, end - B), n = end - first;
  if (n <= 0) return 0;
  mat<double> const x = p.x.middleRows(first, n);
  if (rho == residual::zero || n == 1) return x.squaredNorm() / static_cast<double>(n);
  mat<double> const second = x.transpose() * x / static_cast<double>(n);
  return Eigen::SelfAdjointEigenSolver<mat<double>>(second, Eigen::EigenvaluesOnly).eigenvalues()(second.rows() - 1);
}

TEST_CASE("every token's energy is that of its window") {
  test::dice roll(1);
  for (index_t d : {1, 3, 6})
    for (index_t count : {0, 1, 2, 5, 19})
      for (index_t B : {1, 2, 3, 9, 30})
        for (int with_tail = 0; with_tail < 2; ++with_tail) {
          boundary<double> entry;
          if (with_tail && B > 2) {
            entry.last_feature = roll.matrix(1, d).row(0);
            entry.tail_x = roll.matrix(2, d);
            entry.tail_y = roll.matrix(2, 1);
          }
          auto const p = shifted(roll.matrix(count, d), entry);
          energies<double> make;
          for (residual rho : {residual::zero, residual::one}) {
            row<double> const got = make(rho, B, p);
            REQUIRE(got.size() == count);
            for (index_t t = 0; t < count; ++t) {
              CHECK(got(t) == doctest::Approx(defined(rho, p, t, B)).epsilon(1e-13));
              CHECK(window_length(p, t, B) == std::min(B, p.before + t + (p.sentinel ? 0 : 1)));
            }
          }
        }
}

TEST_CASE("features (1, 0), (-.8, .6): 1.8 / 2, where a power iteration from (1, 1) finds 0.2 / 2") {
  mat<double> const keys = (mat<double>(3, 2) << 1, 0, -.8, .6, 0, 0).finished();
  energies<double> make;
  CHECK(make(residual::one, 2, shifted(keys))(2) == doctest::Approx(0.9).epsilon(1e-15));
  CHECK(make(residual::zero, 2, shifted(keys))(2) == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("repeated keys give their norm, zero keys zero, orthogonal equal keys an n-th of their norm") {
  energies<double> make;
  auto last = [&](mat<double> const& keys, index_t B) { return make(residual::one, B, shifted(keys))(keys.rows() - 1); };
  for (index_t B : {2, 4, 17}) {
    mat<double> keys = mat<double>::Constant(B + 1, 3, 2);
    CHECK(last(keys, B) == doctest::Approx(12).epsilon(1e-14));
    keys.setZero();
    CHECK(last(keys, B) == 0);
    mat<double> const axes = 3 * mat<double>::Identity(B + 1, B + 1);
    CHECK(last(axes, B) == doctest::Approx(9.0 / static_cast<double>(B)).epsilon(1e-14));
  }
}

TEST_CASE("keys of 1e-150 and 1e150") {
  test::dice roll(2);
  mat<double> const keys = roll.matrix(12, 3);
  energies<double> make;
  for (index_t B : {1, 2, 4, 9})
    for (residual rho : {residual::zero, residual::one}) {
      row<double> const one = make(rho, B, shifted(keys));
      for (double scale : {1e-150, 1e150}) {
        row<double> const scaled = make(rho, B, shifted(keys * scale));
        for (index_t t = 0; t < 12; ++t) CHECK(scaled(t) / scale / scale == doctest::Approx(one(t)).epsilon(1e-13));
      }
    }
}

TEST_CASE("a window longer than the sequence costs what the sequence costs") {
  test::dice roll(5);
  pairs<double> const p = shifted(roll.matrix(6, 3));
  for (residual rho : {residual::zero, residual::one})
    CHECK(test::identical(energies<double>{}(rho, index_t(1) << 40, p), energies<double>{}(rho, 6, p)));
}

/// Cutting a sequence moves a token to another lane and another room: not one bit of its energy may change.
TEST_CASE("a window has one energy wherever a call begins") {
  test::dice roll(3);
  mat<double> const keys = roll.matrix(30, 4);
  for (index_t B : {2, 4, 9}) {
    energies<double> make;
    row<double> const whole = make(residual::one, B, shifted(keys));
    for (index_t cut = 1; cut < 30; ++cut) {
      boundary<double> edge;
      mat<double> const first = keys.topRows(cut), second = keys.bottomRows(30 - cut);
      leave<double>(edge, shifted(first), first, B, 1);
      row<double> const rest = energies<double>{}(residual::one, B, shifted(second, edge));
      CHECK(test::identical(rest, whole.tail(30 - cut).eval()));
    }
  }
}

}  // namespace
}  // namespace fwa
