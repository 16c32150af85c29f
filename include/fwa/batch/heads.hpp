// SPDX-License-Identifier: Apache-2.0
// batch/heads.hpp — many heads at once: xtensor tensors in and out.
//
//   q, k [batch, time, head, d]   v, o [batch, time, head, dv]   S [batch, head, dx, dv]
//   β, η, γ [batch, time, head], or [batch, time, head, dv] for a per-column rule   λ [batch, time, head]
//
// Heads are independent: each reads its strided rows in place, on whichever thread is free (OpenMP where it is on). No sum
// crosses heads, so results do not depend on the number of threads, not even in their rounding.
// Laws: heads_are_independent, threads_change_nothing.
#pragma once

#include "../contract.hpp"
#include "../form/memory.hpp"
#include "../matrix.hpp"
#include "../options.hpp"
#include "../reader.hpp"
#include "../rule/rule.hpp"
#include "../scalar.hpp"
#include "npy.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fwa {

template <class T>
struct heads_outcome {
  using S_type = accumulator_t<T>;

  xt::xtensor<T, 4> o;                   ///< [batch, time, head, dv]
  xt::xtensor<S_type, 4> S;              ///< [batch, head, dx, dv]
  xt::xarray<S_type> eta, gamma;         ///< shaped as β
  xt::xarray<bool> clamped;              ///< shaped as β: where the decay floor acted
  std::vector<memory<S_type>> memories;  ///< batch · heads of them, the heads of a batch entry side by side
};

namespace detail {

/// Rows of one head in [batch, time, head, width] memory.
template <class T>
using head_rows = Eigen::Map<mat<std::remove_const_t<T>>, 0, Eigen::OuterStride<>>;
template <class T>
using const_head_rows = Eigen::Map<mat<T> const, 0, Eigen::OuterStride<>>;

struct head_layout {
  index_t batch, time, heads;

  [[nodiscard]] index_t count() const { return batch * heads; }
  /// 0 where there are no tokens: no array to point into.
  [[nodiscard]] index_t offset(index_t i, index_t width) const { return time == 0 ? 0 : (i / heads * time * heads + i % heads) * width; }

  template <class T>
  [[nodiscard]] const_head_rows<T> read(T const* data, index_t i, index_t width) const {
    return {data + offset(i, width), time, width, Eigen::OuterStride<>(heads * width)};
  }
  template <class T>
  [[nodiscard]] head_rows<T> write(T* data, index_t i, index_t width) const {
    return {data + offset(i, width), time, width, Eigen::OuterStride<>(heads * width)};
  }
};

template <class Tensor>
void require_axes(std::string_view who, std::string_view what, Tensor const& tensor, shape_t const& shape) {
  shape_t const found(tensor.shape().begin(), tensor.shape().end());
  require(found == shape, who, what, " must be ", to_text(shape), ", but is ", to_text(found));
}

/// Calls f(i) for all i < count on as many threads as there are; the error of the lowest i reaches the caller.
/// One head, too, is read in a parallel region: there Eigen's own products keep to one thread, and so to one order of summation.
template <class F>
void for_each_head(index_t count, F&& f) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (index_t i = 0; i < count; ++i) {
    try {
      f(i);
    } catch (...) {
      errors[static_cast<std::size_t>(i)] = std::current_exception();
    }
  }
  for (std::exception_ptr const& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace detail

/// Reads every head of a batch.
/// @param size β, or η where the rule takes steps as given   @param forget λ, or γ   @param entries none, or one memory a head
/// @throws contract_error of the first head, in (batch, head) order, that is refused
template <token T>
[[nodiscard]] heads_outcome<T> attend_heads(rule const& r, xt::xtensor<T, 4> const& q, xt::xtensor<T, 4> const& k,
                                            xt::xtensor<T, 4> const& v, xt::xarray<accumulator_t<T>> const& size,
                                            xt::xarray<accumulator_t<T>> const& forget, options const& o = {},
                                            std::span<memory<accumulator_t<T>> const> entries = {}) {
  using S = accumulator_t<T>;
  constexpr std::string_view who = "attend_heads";
  auto const [batch, time, heads, d] = q.shape();
  std::size_t const dv = v.shape()[3];
  detail::require_axes(who, "k", k, {batch, time, heads, d});
  detail::require_axes(who, "v", v, {batch, time, heads, dv});
  shape_t const one{batch, time, heads}, each{batch, time, heads, dv};
  detail::require_axes(who, r.law == step_law::given ? "eta" : "beta", size, r.per_column ? each : one);
  detail::require_axes(who, r.law == step_law::given ? "gamma" : "lambda", forget, r.per_column && r.law == step_law::given ? each : one);
  require(entries.empty() || entries.size() == batch * heads, who, "there are ", batch * heads, " heads, but ", entries.size(),
          " memories");
  check<S>(who, r, o, memory<S>{}, static_cast<index_t>(d), static_cast<index_t>(dv));
  shape_t const states{batch, heads, d, dv};
  (void)element_count(who, "S", states);

  heads_outcome<T> out;
  out.memories.resize(batch * heads);
  out.o.resize({batch, time, heads, dv});
  out.S.resize({batch, heads, d, dv});
  for (xt::xarray<S>* array : {&out.eta, &out.gamma}) array->resize(size.shape());
  out.clamped.resize(size.shape());

  detail::head_layout const layout{static_cast<index_t>(batch), static_cast<index_t>(time), static_cast<index_t>(heads)};
  auto const dx = static_cast<index_t>(d), values = static_cast<index_t>(dv), columns = r.per_column ? values : 1;
  index_t const forget_columns = r.law == step_law::given ? columns : 1;
  detail::for_each_head(layout.count(), [&](index_t i) {
    try {
      auto const at = static_cast<std::size_t>(i);
      tokens<T> const in{layout.read(q.data(), i, dx),
                         layout.read(k.data(), i, dx),
                         layout.read(v.data(), i, values),
                         {r.law, layout.read(size.data(), i, columns), layout.read(forget.data(), i, forget_columns)}};
      reader<T> head(r, dx, values, o, entries.empty() ? memory<S>{} : entries[at]);
      auto eta = layout.write(out.eta.data(), i, columns), gamma = layout.write(out.gamma.data(), i, columns);
      auto clamped = layout.write(out.clamped.data(), i, columns);
      head.read(in, layout.write(out.o.data(), i, values), [&](index_t first, plan<S> const& p) { p.copy_to(first, eta, gamma, clamped); });
      out.memories[at] = head.memory();
      Eigen::Map<mat<S>>(out.S.data() + i * dx * values, dx, values) = out.memories[at].S;
    } catch (contract_error const& e) {
      refuse(who, "batch ", i / layout.heads, ", head ", i % layout.heads, ": ", e.what());
    }
  });
  return out;
}

}  // namespace fwa
