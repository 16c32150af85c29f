// SPDX-License-Identifier: Apache-2.0
// device/on_device.hpp — arrays of many heads, read by the host head by head and by the device at once.
#pragma once

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/attend.hpp>
#include <fwa/device/array.cuh>
#include <fwa/device/call.cuh>

#include <doctest/doctest.h>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <vector>

namespace fwa::test {

/// NaN in every float, so that no number passes that nobody wrote.
template <class T>
struct buffer : device::array<T> {
  explicit buffer(std::size_t n) : device::array<T>(n) { this->fill(0xff); }
  explicit buffer(std::vector<T> const& from) : device::array<T>(from) {}
};

/// Likewise; but as allocated where FWA_INITCHECK is set, so that initcheck sees what is read before it is written.
struct workspace : device::array<unsigned char> {
  explicit workspace(std::size_t bytes) : array(bytes) {
    if (std::getenv("FWA_INITCHECK") == nullptr) fill(0xff);
  }
};

/// What the host computes with where the device stores T: the same numbers, in double.
template <class T>
[[nodiscard]] T stored(double x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16(static_cast<float>(x));
  if constexpr (!std::is_same_v<T, __nv_bfloat16>) return static_cast<T>(x);
}
template <class T>
[[nodiscard]] double number(T const& x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __bfloat162float(x);
  if constexpr (!std::is_same_v<T, __nv_bfloat16>) return static_cast<double>(x);
}

/// All that the device can keep of a sequence, in its own memory.
template <class A>
struct kept {
  buffer<A> state, z, last_feature, tail_x, tail_y;
  buffer<int> pairs;
  bool normalised;

  kept(device::sizes const& n, index_t B, bool with_z)
      : state(room(n.units(), n.d, n.dv)),
        z(room(n.units(), n.d, 1)),
        last_feature(room(n.units(), n.d, 1)),
        tail_x(room(n.units(), B - 1, n.d)),
        tail_y(room(n.units(), B - 1, n.dv)),
        pairs(room(n.units(), 1, 1)),
        normalised(with_z) {}
  [[nodiscard]] device::memory<A> all() {
    return {state.data(), normalised ? z.data() : nullptr, last_feature.data(), tail_x.data(), tail_y.data(), pairs.data()};
  }
  static std::size_t room(index_t a, index_t b, index_t c) { return static_cast<std::size_t>(a * b * c); }
};

/// Tokens [batch, time, head, ·] whose numbers a T can hold.
template <class T>
struct heads {
  using A = accumulator_t<T>;
  device::sizes n;
  rule r;
  std::vector<T> q, k, v;
  std::vector<A> size, forget;
  std::vector<index_t> offsets;

  [[nodiscard]] index_t columns() const { return r.per_column ? n.dv : 1; }
  [[nodiscard]] index_t forget_columns() const { return r.law == step_law::given ? columns() : 1; }

  /// Rows [first, first + count) of one head, as the host takes them.
  [[nodiscard]] head<double> one(index_t batch, index_t h, index_t first, index_t count) const {
    auto rows = [&](auto const& from, index_t width) {
      mat<double> m(count, width);
      for (index_t t = 0; t < count; ++t)
        for (index_t e = 0; e < width; ++e)
          m(t, e) = number(from[static_cast<std::size_t>(((batch * n.time + first + t) * n.heads + h) * width + e)]);
      return m;
    };
    return {rows(q, n.d), rows(k, n.d), rows(v, n.dv), rows(size, columns()), rows(forget, forget_columns()), r.law};
  }
};

/// Heads made up by some_head, rounded to T; keys of length below 1 for a rule whose step sizes are given and do not normalise them.
template <class T>
[[nodiscard]] heads<T> some_heads(rule const& r, device::sizes const& n, std::uint64_t seed, double largest_ridge = 1) {
  using A = accumulator_t<T>;
  double const scale = r.law == step_law::given ? 1 / std::sqrt(static_cast<double>(n.d)) : 1;
  heads<T> all{n, r, {}, {}, {}, {}, {}, {}};
  auto put = [&](auto& to, mat<double> const& from, index_t width, index_t b, index_t h, auto as, double factor) {
    to.resize(static_cast<std::size_t>(n.tokens() * width));
    for (index_t t = 0; t < n.time; ++t)
      for (index_t e = 0; e < width; ++e)
        to[static_cast<std::size_t>(((b * n.time + t) * n.heads + h) * width + e)] = as(from(t, e) * factor);
  };
  auto token = [](double x) { return stored<T>(x); };
  auto drive = [](double x) { return static_cast<A>(x); };
  for (index_t b = 0; b < n.batch; ++b)
    for (index_t h = 0; h < n.heads; ++h) {
      head<double> const one = some_head<double>(r, n.time, n.d, n.dv, seed + static_cast<std::uint64_t>(b * n.heads + h), largest_ridge);
      put(all.q, one.q, n.d, b, h, token, scale);
      put(all.k, one.k, n.d, b, h, token, scale);
      put(all.v, one.v, n.dv, b, h, token, 1);
      put(all.size, one.size, all.columns(), b, h, drive, 1);
      put(all.forget, one.forget, all.forget_columns(), b, h, drive, 1);
    }
  for (A& beta : all.size)
    if (r.law == step_law::normalised && !(beta < A(2))) beta = A(1.99);
  return all;
}

/// What a call of the device left.
template <class T>
struct found {
  using A = accumulator_t<T>;
  std::vector<T> o;
  std::vector<A> eta, gamma;
  std::vector<unsigned char> clamped;
  unsigned refused = 0;
};

/// Reads tokens [first, first + count) of every batch entry.
/// @param memory what they continue, then what continues them; null: fresh   @param continues whether `memory` holds anything yet
template <class T>
[[nodiscard]] found<T> on_device(heads<T> const& in, options const& o, kept<accumulator_t<T>>* memory = nullptr, bool continues = false,
                                 index_t first = 0, index_t count = -1, device::kernels which = device::kernels::fastest) {
  using A = accumulator_t<T>;
  device::sizes n = in.n;
  if (count >= 0) n.time = count;
  auto const whole = static_cast<std::size_t>(in.n.tokens()), width = static_cast<std::size_t>(in.columns());
  buffer<T> q(in.q), k(in.k), v(in.v), out(whole * static_cast<std::size_t>(n.dv));
  buffer<A> size(in.size), forget(in.forget), eta(whole * width), gamma(whole * width);
  buffer<unsigned char> clamped(whole * width);
  buffer<unsigned> refused(std::vector<unsigned>(1, 0));
  buffer<index_t> offsets(in.offsets);
  std::size_t const bytes = device::workspace_bytes<T>(in.r, o, n, which);
  workspace room(bytes);
  auto part = [&](auto* data, index_t w) {  // from token `first`, at the distances of the whole
    auto r = device::dense(data, in.n, w);
    r.data += first * r.time;
    return r;
  };
  device::call<T> c;
  c.q = part(static_cast<T const*>(q.data()), n.d);
  c.k = part(static_cast<T const*>(k.data()), n.d);
  c.v = part(static_cast<T const*>(v.data()), n.dv);
  c.o = part(out.data(), n.dv);
  c.size = part(static_cast<A const*>(size.data()), in.columns());
  c.forget = part(static_cast<A const*>(forget.data()), in.forget_columns());
  if (n.packed > 0) c.offsets = offsets.data();
  if (memory != nullptr) c.exit = memory->all();
  if (memory != nullptr && continues) c.entry = memory->all();
  c.eta = eta.data();
  c.gamma = gamma.data();
  c.clamped = clamped.data();
  c.refused = refused.data();
  c.workspace = room.data();
  c.workspace_bytes = bytes;
  device::attend<T>(in.r, o, n, c, nullptr, which);
  device::succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return {out.get(), eta.get(), gamma.get(), clamped.get(), refused.get()[0]};
}

/// Row-major numbers as a matrix, from `at` on.
template <class T>
[[nodiscard]] mat<double> matrix_at(std::vector<T> const& from, index_t at, index_t rows, index_t cols, index_t apart = -1) {
  mat<double> m(rows, cols);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) m(i, j) = number(from[static_cast<std::size_t>(at + i * (apart < 0 ? cols : apart) + j)]);
  return m;
}

/// Rows of one head of an array [batch, time, head, width].
template <class T>
[[nodiscard]] mat<double> rows_of(std::vector<T> const& from, device::sizes const& n, index_t b, index_t h, index_t first, index_t count,
                                  index_t width) {
  return matrix_at(from, ((b * n.time + first) * n.heads + h) * width, count, width, n.heads * width);
}

/// The host's answer for one sequence by the recurrent form in double.
[[nodiscard]] inline outcome<double> on_host(rule const& r, head<double> const& h, options o, memory<double> const& entry = {}) {
  o.form = form::recurrent;
  return attend<double>(r, h.all(), o, entry);
}

[[nodiscard]] inline options how(form f, index_t chunk = 64) {
  options o;
  o.form = f;
  o.chunk = chunk;
  return o;
}

/// max |got − want| over max(1, max |want|)
[[nodiscard]] inline double error_of(mat<double> const& got, mat<double> const& want) {
  if (want.size() == 0) return got.size() == 0 ? 0 : HUGE_VAL;
  return distance(got, want) / std::max(1.0, magnitude(want));
}

/// ‖got − want‖ / ‖want‖
/// @param size what stands for ‖want‖
[[nodiscard]] inline double norm_error_of(mat<double> const& got, mat<double> const& want, double size = -1) {
  if (want.size() == 0) return got.size() == 0 ? 0 : HUGE_VAL;
  if (size < 0) size = want.norm();
  double const difference = (got - want).norm();
  return !std::isfinite(difference) ? HUGE_VAL : size > 0 ? difference / size : difference;
}

/// Norms of outputs and state, of each value's part by itself: both are sums of these parts, of which few may nearly cancel.
struct parts {
  double o = 0, S = 0;
};
[[nodiscard]] inline parts parts_of(rule const& r, head<double> const& all, options const& o) {
  parts sum;
  for (index_t t = 0; t < all.v.rows(); ++t) {
    head<double> one = all;
    for (index_t other = 0; other < all.v.rows(); ++other)
      if (other != t) one.v.row(other).setZero();
    outcome<double> const part = on_host(r, one, o);
    sum.o += part.o.norm();
    sum.S += part.memory.S.norm();
  }
  return sum;
}

/// The largest error of outputs, schedules and memories of all units.
/// @param by_norm outputs and states by their norms, of at most 3 tokens by those of their parts, instead of entry by entry against the
/// largest entry
template <class T>
[[nodiscard]] double compare(heads<T> const& in, options const& o, bool by_norm = false) {
  constexpr device::kernels which = device::kernels::fastest;
  device::sizes const& n = in.n;
  kept<accumulator_t<T>> exit(n, o.window, o.normalized_read.has_value());
  found<T> const got = on_device(in, o, &exit, false, 0, -1, which);
  CHECK_EQ(got.refused, 0u);
  auto const state = exit.state.get(), last = exit.last_feature.get(), tail_x = exit.tail_x.get(), tail_y = exit.tail_y.get(),
             z = exit.z.get();
  auto const pairs = exit.pairs.get();
  double most = 0;
  for (index_t sequence = 0; sequence < n.sequences(); ++sequence)
    for (index_t h = 0; h < n.heads; ++h) {
      index_t const b = n.packed > 0 ? 0 : sequence, unit = sequence * n.heads + h;
      index_t const first = n.packed > 0 ? in.offsets[static_cast<std::size_t>(sequence)] : 0;
      index_t const count = n.packed > 0 ? in.offsets[static_cast<std::size_t>(sequence) + 1] - first : n.time;
      outcome<double> want = on_host(in.r, in.one(b, h, first, count), o);
      if (want.memory.S.size() == 0) want.memory.S = mat<double>::Constant(n.d, n.dv, 0.0);
      parts const size = by_norm && count <= 3 ? parts_of(in.r, in.one(b, h, first, count), o) : parts{-1, -1};
      auto error = [&](mat<double> const& one, mat<double> const& other, double of) {
        return by_norm ? norm_error_of(one, other, of) : error_of(one, other);
      };
      most = std::max(most, error(rows_of(got.o, n, b, h, first, count, n.dv), want.o, size.o));
      most = std::max(most, error_of(rows_of(got.gamma, n, b, h, first, count, in.columns()), want.gamma));
      mat<double> const eta = rows_of(got.eta, n, b, h, first, count, in.columns());
      for (index_t i = 0; i < eta.size(); ++i) {
        double const e = want.eta.data()[i];
        most = std::max(most, std::abs(eta.data()[i] - e) / std::max(1.0, std::abs(e)));
        if (!std::isfinite(eta.data()[i])) most = HUGE_VAL;
      }
      if (std::is_same_v<T, double>)
        for (index_t t = 0; t < count; ++t)
          for (index_t j = 0; j < in.columns(); ++j)
            CHECK_EQ(got.clamped[static_cast<std::size_t>(((b * n.time + first + t) * n.heads + h) * in.columns() + j)] != 0,
                     want.clamped(t, j));
      most = std::max(most, error(matrix_at(state, unit * n.d * n.dv, n.d, n.dv), want.memory.S, size.S));
      if (o.normalized_read) most = std::max(most, error_of(matrix_at(z, unit * n.d, 1, n.d), mat<double>(*want.memory.z)));
      index_t const tail = want.memory.tail_x.rows(), slots = o.window - 1;
      CHECK_EQ(pairs[static_cast<std::size_t>(unit)], want.memory.last_feature ? static_cast<int>(tail) : -1);
      if (want.memory.last_feature)
        most = std::max(most, error_of(matrix_at(last, unit * n.d, 1, n.d), mat<double>(*want.memory.last_feature)));
      if (tail > 0) {
        most = std::max(most, error_of(matrix_at(tail_x, (unit * slots + slots - tail) * n.d, tail, n.d), want.memory.tail_x));
        most = std::max(most, error_of(matrix_at(tail_y, (unit * slots + slots - tail) * n.dv, tail, n.dv), want.memory.tail_y));
      }
    }
  return most;
}

struct dimensions {
  index_t batch, time, heads, d, dv;
};

}  // namespace fwa::test
