// SPDX-License-Identifier: Apache-2.0
// support/head.hpp — made-up heads: tokens of one head with the same values on every platform, and ways to cut them.
#pragma once

#include "support/instances.hpp"

#include <fwa/attend.hpp>
#include <fwa/reference/naive.hpp>

#include <cstdint>
#include <random>

namespace fwa::test {

/// Uniform numbers that do not depend on the standard library.
class dice {
 public:
  explicit dice(std::uint64_t seed) : bits_(seed) {}
  [[nodiscard]] double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53; }
  [[nodiscard]] index_t below(index_t n) { return static_cast<index_t>(bits_() % static_cast<std::uint64_t>(n)); }
  template <class S = double>
  [[nodiscard]] mat<S> matrix(index_t rows, index_t cols, double low = -1, double high = 1) {
    mat<S> m(rows, cols);
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < cols; ++j) m(i, j) = static_cast<S>(uniform(low, high));
    return m;
  }

 private:
  std::mt19937_64 bits_;
};

/// Tokens that own their numbers.
template <class T>
struct head {
  using S = accumulator_t<T>;
  mat<T> q, k, v;       ///< (T, d), (T, d), (T, dv)
  mat<S> size, forget;  ///< β and λ, or η and γ
  step_law law = step_law::normalised;

  [[nodiscard]] tokens<T> all() const { return {q, k, v, {law, size, forget}}; }
  [[nodiscard]] index_t count() const { return q.rows(); }
  [[nodiscard]] head slice(index_t first, index_t n) const {
    return {q.middleRows(first, n),    k.middleRows(first, n),      v.middleRows(first, n),
            size.middleRows(first, n), forget.middleRows(first, n), law};
  }
};

/// A head for a rule: gains in [0, 2) and ridges in [0, largest_ridge], or step sizes in [0, 1/2) and decays in (1/2, 1]. Some keys are
/// repeated and some are zero.
template <class T = double>
[[nodiscard]] head<T> some_head(rule const& r, index_t count, index_t d, index_t dv, std::uint64_t seed, double largest_ridge = 1) {
  using S = accumulator_t<T>;
  dice roll(seed);
  index_t const columns = r.per_column ? dv : 1;
  bool const given = r.law == step_law::given;
  head<T> h{roll.matrix<T>(count, d), roll.matrix<T>(count, d), roll.matrix<T>(count, dv), {}, {}, r.law};
  for (index_t t = 1; t < count; ++t) {
    if (index_t const face = roll.below(8); face == 0)
      h.k.row(t) = h.k.row(t - 1);
    else if (face == 1)
      h.k.row(t).setConstant(T(0));
  }
  h.size = given ? roll.matrix<S>(count, columns, 0, 0.5) : roll.matrix<S>(count, columns, 0, 2);
  h.forget = given ? roll.matrix<S>(count, columns, 0.5, 1) : roll.matrix<S>(count, 1, 0, largest_ridge);
  return h;
}

/// The independent second writing of what attend() computes.
template <class T>
[[nodiscard]] reference::account<T> naively(rule const& r, head<T> const& h, options const& o, memory<T> const& entry = {}) {
  return reference::naive<T>(r, h.q, h.k, h.v, h.size, h.forget, o, entry);
}

/// Every entry the same bits, shapes too.
template <class A, class B>
[[nodiscard]] bool identical(A const& a, B const& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.size() == 0 || (a.array() == b.array()).all());
}

template <class T>
[[nodiscard]] bool identical(memory<T> const& a, memory<T> const& b) {
  auto same = [](auto const& x, auto const& y) { return x.has_value() == y.has_value() && (!x || identical(*x, *y)); };
  return identical(a.S, b.S) && identical(a.tail_x, b.tail_x) && identical(a.tail_y, b.tail_y) && same(a.last_feature, b.last_feature) &&
         same(a.z, b.z);
}

}  // namespace fwa::test

/// Two memories agree: shapes and what is present exactly, numbers within a tolerance. A tail without rows has no columns to compare.
#define CHECK_SAME_MEMORY(got, want, tolerance)                                                 \
  do {                                                                                          \
    CHECK_CLOSE((got).S, (want).S, tolerance);                                                  \
    REQUIRE((got).tail_x.rows() == (want).tail_x.rows());                                       \
    REQUIRE((got).last_feature.has_value() == (want).last_feature.has_value());                 \
    REQUIRE((got).z.has_value() == (want).z.has_value());                                       \
    if ((want).tail_x.rows() > 0) {                                                             \
      CHECK_CLOSE((got).tail_x, (want).tail_x, tolerance);                                      \
      CHECK_CLOSE((got).tail_y, (want).tail_y, tolerance);                                      \
    }                                                                                           \
    if ((want).last_feature) CHECK_CLOSE(*(got).last_feature, *(want).last_feature, tolerance); \
    if ((want).z) CHECK_CLOSE(*(got).z, *(want).z, tolerance);                                  \
  } while (false)
