// SPDX-License-Identifier: Apache-2.0
#include <fwa/number/degree.hpp>

#include <fwa/matrix.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace fwa {
namespace {

TEST_CASE("degrees of polynomials in two groups of variables") {
  using D = degree<2>;
  D const x = D::variable(0), y = D::variable(1), zero(0), one(1);
  auto is = [](D const& d, int total, int first, int second) {
    CHECK(!d.is_zero());
    CHECK(d.total() == total);
    CHECK(d.in(0) == first);
    CHECK(d.in(1) == second);
  };
  is(one, 0, 0, 0);
  is(x + one, 1, 1, 0);
  is(x * y + x * x * x, 3, 3, 1);
  is((x + y) * (x - y), 2, 2, 2);
  is(-x * y, 2, 1, 1);
  is(x + zero, 1, 1, 0);
  CHECK(D() == zero);
  CHECK(zero * x == zero);
  CHECK(x * zero == zero);
  CHECK((zero + zero - zero).is_zero());
  is(zero * x * x + y, 1, 0, 1);
  is(x - x, 1, 1, 0);  // an upper bound: cancellation is not seen
  mat<D> const row = mat<D>::Constant(1, 3, x), column = mat<D>::Constant(3, 1, y);
  is((row * column)(0, 0), 2, 1, 1);
}

TEST_CASE("degrees and least powers of what is divided by monomials") {
  using D = degree<2>;
  D const x = D::variable(0), y = D::variable(1), zero(0), one(1);
  auto is = [](D const& d, int total, std::array<int, 2> most, std::array<int, 2> least) {
    CHECK(d.total() == total);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(d.in(k) == most[k]);
      CHECK(d.least(k) == least[k]);
    }
  };
  is(x * x * y, 3, {2, 1}, {2, 1});
  is(x * x + y, 2, {2, 1}, {0, 0});
  is(x * x + x * y, 2, {2, 1}, {1, 0});
  is(zero + x, 1, {1, 0}, {1, 0});
  is(x + zero, 1, {1, 0}, {1, 0});
  is(one / x, -1, {-1, 0}, {-1, 0});
  is((x * x + y) / x, 1, {1, 1}, {-1, 0});
  is((x * x + y) / x * x, 2, {2, 1}, {0, 0});
  is((x + one) / (x * y) * (x * y), 1, {1, 0}, {0, 0});
  is(-x / D(3), 1, {1, 0}, {1, 0});
  CHECK(zero / x == zero);
  D const none;
  CHECK_THROWS_AS((void)(x / (x + y)), contract_error);
  CHECK_THROWS_AS((void)(x / (x * (x + y))), contract_error);
  CHECK_THROWS_AS((void)(x / ((x + y) * x)), contract_error);
  CHECK_THROWS_AS((void)(x / zero), contract_error);
  CHECK_THROWS_AS((void)(zero / none), contract_error);
  CHECK_NOTHROW((void)(x / (x + zero)));
  CHECK_NOTHROW((void)(x / (zero + y)));
}

}  // namespace
}  // namespace fwa
