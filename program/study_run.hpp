// SPDX-License-Identifier: Apache-2.0
// study_run.hpp — one rule over one sequence in any number format, results in double.
//
//   trial (rule, options, q, k, v, size, forget in double) ──round to T──▶ attend<T> ──▶ o, and how often the clamp acted
//
// Each number format is compiled in its own file.
#pragma once

#include <fwa/attend.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

namespace fwa::study {

struct trial {
  fwa::rule rule;
  fwa::options options;
  view<double> q, k, v;      ///< (T, dx), (T, dx), (T, dv); of matrices that outlive the trial
  mat<double> size, forget;  ///< β, λ or η, γ

  [[nodiscard]] trial first(index_t n) const {
    return {rule, options, q.topRows(n), k.topRows(n), v.topRows(n), size.topRows(n), forget.topRows(n)};
  }
  [[nodiscard]] trial reading_with(view<double> queries) const { return {rule, options, queries, k, v, size, forget}; }
};

struct run {
  mat<double> o, low;  ///< (T, dv) o rounded to double, and, of more digits, what that left over
  double clamped = 0;  ///< fraction of the steps
};

enum class number { d50, f64, f32, bf16 };

[[nodiscard]] run run_d50(trial const&);
[[nodiscard]] run run_f64(trial const&);
[[nodiscard]] run run_f32(trial const&);
[[nodiscard]] run run_bf16(trial const&);
[[nodiscard]] inline run run_in(number n, trial const& t) {
  return n == number::d50 ? run_d50(t) : n == number::f64 ? run_f64(t) : n == number::f32 ? run_f32(t) : run_bf16(t);
}

/// Tokens per second: the median of `repeats` reads by one reader that is warm.
[[nodiscard]] double speed_f64(trial const&, int repeats);
[[nodiscard]] double speed_f32(trial const&, int repeats);

/// Rounded to T; double is taken as it is.
template <class T>
[[nodiscard]] auto as(view<double> m) {
  if constexpr (std::same_as<T, double>)
    return m;
  else
    return mat<T>(m.template cast<T>());
}

template <class T>
[[nodiscard]] run run_as(trial const& t) {
  using S = accumulator_t<T>;
  auto const q = as<T>(t.q), k = as<T>(t.k), v = as<T>(t.v);
  auto const size = as<S>(t.size), forget = as<S>(t.forget);
  outcome<T> out = attend<T>(t.rule, {q, k, v, {t.rule.law, size, forget}}, t.options);
  run r;
  if constexpr (std::same_as<T, double>)
    r.o = std::move(out.o);
  else
    r.o = out.o.template cast<double>();
  if constexpr (std::numeric_limits<T>::digits > 53) r.low = (out.o - r.o.template cast<T>()).eval().template cast<double>();
  for (index_t i = 0; i < out.clamped.size(); ++i) r.clamped += out.clamped.data()[i];
  r.clamped /= std::max(1.0, double(out.clamped.size()));
  return r;
}

template <class T>
[[nodiscard]] double speed_as(trial const& t, int repeats) {
  auto const q = as<T>(t.q), k = as<T>(t.k), v = as<T>(t.v);
  auto const size = as<T>(t.size), forget = as<T>(t.forget);
  mat<T> o(v.rows(), v.cols());
  reader<T> head(t.rule, k.cols(), v.cols(), t.options);
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    head.read({q, k, v, {t.rule.law, size, forget}}, o);
    if (i > 0) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeats / 2);
  return double(t.k.rows()) / seconds[static_cast<std::size_t>(repeats / 2)];
}

}  // namespace fwa::study
