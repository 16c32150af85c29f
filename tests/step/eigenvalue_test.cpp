// SPDX-License-Identifier: Apache-2.0
#include <fwa/step/eigenvalue.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/number/digits.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fwa {
namespace {

template <class S>
mat<S> gram(mat<S> const& x) {
  return x * x.transpose();
}

/// λ_max of one matrix, in lane `where`; `others` stands in all other lanes.
template <class S>
S top(mat<S> const& a, mat<S> const& others, index_t where) {
  largest_eigenvalues<S> solver;
  solver.resize(a.rows());
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j <= i; ++j)
      for (index_t e = 0; e < eigen_lanes<S>; ++e) solver.at(i, j)(e) = e == where ? a(i, j) : others(i, j);
  return solver.solve()(where);
}
template <class S>
S top(mat<S> const& a) {
  return top<S>(a, mat<S>::Zero(a.rows(), a.rows()), 0);
}

template <class S>
double unit() {
  return static_cast<double>(std::numeric_limits<S>::epsilon()) / 2;
}

/// Keys of many kinds: generic, repeated, zero, nearly equal, orthogonal, one large among small.
std::vector<mat<double>> keys(index_t n, index_t d) {
  test::dice roll(static_cast<std::uint64_t>(100 * n + d));
  std::vector<mat<double>> all = {roll.matrix(n, d), mat<double>::Zero(n, d)};
  all.push_back(roll.matrix(1, d).replicate(n, 1));
  all.push_back(roll.matrix(1, d).replicate(n, 1) + 1e-9 * roll.matrix(n, d));
  mat<double> orthogonal = mat<double>::Zero(n, n);
  orthogonal.diagonal().setOnes();
  all.push_back(orthogonal);
  mat<double> sparse = roll.matrix(n, d);
  for (index_t i = 0; i < n; i += 2) sparse.row(i).setZero();
  all.push_back(sparse);
  mat<double> spread = roll.matrix(n, d);
  for (index_t i = 0; i < n; ++i) spread.row(i) *= std::pow(10.0, static_cast<double>(-2 * i));
  all.push_back(spread);
  all.push_back(spread.colwise().reverse());
  for (int e : {-5, -19, -23, -80, -159, -161}) {  // an entry whose square is at the end of the range, before a large key
    mat<double> late = mat<double>::Zero(n, d);
    for (index_t i = 0; i < n; ++i) late(i, i % d) = 1;
    late.row(n - 1) *= 10;
    late(n - 1, 0) += std::pow(10.0, e);
    all.push_back(late);
  }
  for (double first : {1, -1})
    for (int e : {-3, -5, -7}) {  // a column (±1, 10^e, …): its reflection must not subtract its norm from what is nearly that
      mat<double> steep = roll.matrix(n, d);
      steep.row(0).setZero();
      steep.col(0).setConstant(std::pow(10.0, e));
      steep(0, 0) = 1;
      if (n > 1) steep(1, 0) = first;
      all.push_back(steep);
    }
  return all;
}

TEST_CASE("largest_eigenvalue_is_exact: against Eigen's solver over 50 digits") {
  for (index_t n : {1, 2, 3, 4, 5, 8, 17})
    for (index_t d : {1, 3, 8})
      for (mat<double> const& x : keys(n, d)) {
        CAPTURE(n);
        CAPTURE(x);
        mat<double> const a = gram(x);
        double const want = static_cast<double>(
            Eigen::SelfAdjointEigenSolver<mat<digits_50>>(a.cast<digits_50>().eval(), Eigen::EigenvaluesOnly).eigenvalues()(n - 1));
        CHECK(std::abs(top(a) - want) <= 8 * static_cast<double>(n) * unit<double>() * want);
        mat<float> const f = a.cast<float>();
        double const narrow = static_cast<double>(
            Eigen::SelfAdjointEigenSolver<mat<double>>(f.cast<double>().eval(), Eigen::EigenvaluesOnly).eigenvalues()(n - 1));
        CHECK(std::abs(static_cast<double>(top(f)) - narrow) <= 8 * static_cast<double>(n) * unit<float>() * narrow);
      }
}

TEST_CASE("50 digits to 50 digits") {
  mat<digits_50> const a = gram<digits_50>(test::dice(3).matrix<digits_50>(6, 4));
  digits_50 const want = Eigen::SelfAdjointEigenSolver<mat<digits_50>>(a, Eigen::EigenvaluesOnly).eigenvalues()(5);
  CHECK(abs(digits_50(top(a) - want)) <= want * std::numeric_limits<digits_50>::epsilon() * 100);
}

TEST_CASE("by hand") {
  CHECK(top<double>((mat<double>(2, 2) << 1, -0.8, -0.8, 1).finished()) ==
        doctest::Approx(1.8).epsilon(1e-15));  // the power-iteration trap
  CHECK(top<double>((mat<double>(2, 2) << 2, 1, 1, 2).finished()) == doctest::Approx(3).epsilon(1e-15));
  CHECK(top<double>((mat<double>(1, 1) << 0.1).finished()) == 0.1);
  CHECK(top<double>(mat<double>::Ones(2, 2)) == 2);  // halved until no number is left between
  for (index_t n : {1, 2, 3, 9, 17}) {
    CHECK(top<double>(mat<double>::Zero(n, n)) == 0);
    CHECK(top<double>(mat<double>::Identity(n, n)) == doctest::Approx(1).epsilon(1e-15));
    CHECK(top<double>(mat<double>::Ones(n, n)) == doctest::Approx(static_cast<double>(n)).epsilon(1e-14));
  }
}

TEST_CASE_TEMPLATE("halved until nothing but rounding is left: beside many rows the largest is a small part of the trace", S, float,
                   double) {
  for (index_t n : {4, 16, 64})
    for (double b : {0.1, 0.3, 0.6, 0.9}) {
      mat<S> a = mat<S>::Identity(n, n);
      a(1, 0) = a(0, 1) = static_cast<S>(b);
      CHECK(std::abs(top(a) - (1 + a(1, 0))) <= 4 * unit<S>());
    }
}

TEST_CASE("scale does not matter: from 1e-300 to 1e300") {
  for (index_t n : {2, 4, 17})
    for (mat<double> const& x : keys(n, 3)) {
      mat<double> const a = gram(x);
      double const one = top(a);
      for (double scale : {1e-300, 1e-30, 1e30, 1e300}) CHECK(std::abs(top<double>(a * scale) - one * scale) <= 1e-13 * one * scale);
    }
}

TEST_CASE_TEMPLATE("a matrix has one answer, wherever and beside whatever it stands", S, float, double) {
  for (index_t n : {1, 2, 3, 4, 9})
    for (mat<double> const& x : keys(n, 3)) {
      mat<S> const a = gram(x).cast<S>();
      mat<S> const others[] = {mat<S>::Zero(n, n), mat<S>::Ones(n, n), gram<S>(test::dice(1).matrix<S>(n, 2, -1e6, 1e6))};
      S const want = top(a);
      for (auto const& other : others)
        for (index_t where = 0; where < eigen_lanes<S>; ++where) CHECK(top(a, other, where) == want);
    }
}

TEST_CASE("one matrix alone, as the device takes it: the same bits") {
  for (index_t n : {1, 2, 3, 4, 9})
    for (mat<double> const& x : keys(n, 3)) {
      mat<double> room = gram(x);
      double const want = top(room);
      std::vector<double> v(static_cast<std::size_t>(n)), w = v, off = v;
      CHECK(detail::bisection<double, double, detail::one_number<double>>{n, room.data(), v.data(), w.data(), off.data()}.solve() == want);
    }
}

TEST_CASE("room that a larger problem left does not show") {
  mat<double> const a = gram(test::dice(5).matrix(3, 2));
  largest_eigenvalues<double> solver;
  for (index_t n : {9, 3}) {
    solver.resize(n);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) solver.at(i, j).setConstant(n == 3 ? a(i, j) : 1e3);
    CHECK(std::isfinite(solver.solve()(0)));
  }
  solver.resize(9);
  for (index_t i = 0; i < 9; ++i)
    for (index_t j = 0; j <= i; ++j) solver.at(i, j).setConstant(1e300);
  solver.resize(3);
  for (index_t i = 0; i < 3; ++i)
    for (index_t j = 0; j <= i; ++j) solver.at(i, j).setConstant(a(i, j));
  CHECK(solver.solve()(0) == top(a));
}

}  // namespace
}  // namespace fwa
