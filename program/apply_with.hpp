// SPDX-License-Identifier: Apache-2.0
// apply_with.hpp — what apply_*.cpp instantiate.
#pragma once

#include "apply.hpp"

#include <fwa/attend.hpp>
#include <fwa/batch/heads.hpp>
#include <fwa/scalar.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fwa::program {

template <class Array>
[[nodiscard]] Array converted(xt::xarray<double> const& from) {
  typename Array::shape_type shape{};
  xt::resize_container(shape, from.dimension());
  std::copy(from.shape().begin(), from.shape().end(), shape.begin());
  Array to(shape);
  std::transform(from.data(), from.data() + from.size(), to.data(), [](double x) { return static_cast<typename Array::value_type>(x); });
  return to;
}

/// Sequences end to end, as one head whose memories are those of the sequences.
template <class T>
[[nodiscard]] heads_outcome<T> attend_end_to_end(problem const& p, xt::xtensor<T, 4> const& q, xt::xtensor<T, 4> const& k,
                                                 xt::xtensor<T, 4> const& v, xt::xarray<accumulator_t<T>> const& size,
                                                 xt::xarray<accumulator_t<T>> const& forget) {
  auto const tokens_here = static_cast<index_t>(p.tokens()), dx = static_cast<index_t>(q.shape()[3]);
  auto const dv = static_cast<index_t>(v.shape()[3]), columns = p.rule.per_column ? dv : 1;
  detail::head_layout const one{1, tokens_here, 1};
  tokens<T> const in{
      one.read(q.data(), 0, dx),
      one.read(k.data(), 0, dx),
      one.read(v.data(), 0, dv),
      {p.rule.law, one.read(size.data(), 0, columns), one.read(forget.data(), 0, p.rule.law == step_law::given ? columns : 1)}};
  heads_outcome<T> out;
  out.o.resize(v.shape());
  for (auto* array : {&out.eta, &out.gamma}) array->resize(size.shape());
  out.clamped.resize(size.shape());
  index_t first = 0;
  for (outcome<T>& part : attend_packed<T>(p.rule, in, *p.offsets, p.options)) {
    index_t const n = part.o.rows();
    one.write(out.o.data(), 0, dv).middleRows(first, n) = part.o;
    one.write(out.eta.data(), 0, columns).middleRows(first, n) = part.eta;
    one.write(out.gamma.data(), 0, columns).middleRows(first, n) = part.gamma;
    one.write(out.clamped.data(), 0, columns).middleRows(first, n) = part.clamped;
    out.memories.push_back(std::move(part.memory));
    first += n;
  }
  return out;
}

/// The arrays of a case as T reads them.
template <class T>
struct tensors {
  using S = accumulator_t<T>;
  xt::xtensor<T, 4> q, k, v;
  xt::xarray<S> size, forget;
  std::vector<memory<S>> entries;

  explicit tensors(problem const& p)
      : q(converted<xt::xtensor<T, 4>>(p.q)),
        k(converted<xt::xtensor<T, 4>>(p.k)),
        v(converted<xt::xtensor<T, 4>>(p.v)),
        size(converted<xt::xarray<S>>(p.size)),
        forget(converted<xt::xarray<S>>(p.forget)) {
    for (memory<double> const& m : p.entries) entries.push_back(m.cast<S>());
  }
};

/// What goes to disk.
template <class T>
[[nodiscard]] results gathered(problem const& p, heads_outcome<T> const& found) {
  using S = accumulator_t<T>;
  results out;
  out.clamped = static_cast<std::size_t>(std::count(found.clamped.data(), found.clamped.data() + found.clamped.size(), true));
  auto add = [&out](std::string const& name, shape_t const& shape, auto const* numbers) {
    auto array = xt::xarray<double>::from_shape(shape);
    std::transform(numbers, numbers + array.size(), array.data(), [](auto const& x) { return static_cast<double>(x); });
    out.arrays.emplace_back(name, std::move(array));
  };
  auto add_tokens = [&](std::string const& name, auto const& tensor_of) {
    shape_t shape(tensor_of.shape().begin(), tensor_of.shape().end());
    if (!p.batched) {
      shape.erase(shape.begin() + 2);
      shape.erase(shape.begin());
    }
    add(name, shape, tensor_of.data());
  };
  auto add_memories = [&](std::string const& name, shape_t shape, auto part) {
    shape_t const outer = p.offsets ? shape_t{found.memories.size()} : p.batched ? shape_t{p.q.shape()[0], p.q.shape()[2]} : shape_t{};
    shape.insert(shape.begin(), outer.begin(), outer.end());
    std::vector<S> numbers;
    for (memory<S> const& m : found.memories) {
      auto const& one = part(m);
      numbers.insert(numbers.end(), one.data(), one.data() + one.size());
    }
    add(name, shape, numbers.data());
  };

  std::size_t const dx = p.q.shape()[3], dv = p.v.shape()[3];
  memory<S> const first = found.memories.empty() ? memory<S>{} : found.memories.front();
  add_tokens("o", found.o);
  add_tokens("eta", found.eta);
  add_tokens("gamma", found.gamma);
  add_memories(
      "s", {dx, dv}, [](memory<S> const& m) -> auto const& { return m.S; });
  if (p.options.normalized_read)
    add_memories(
        "z", {dx}, [](memory<S> const& m) -> auto const& { return *m.z; });
  if (p.offsets) return out;  // an empty sequence has no last key, and each its own number of pairs
  if (first.last_feature)
    add_memories(
        "carry_x", {dx}, [](memory<S> const& m) -> auto const& { return *m.last_feature; });
  if (p.rule.windowed) {
    auto const n = static_cast<std::size_t>(first.tail_x.rows());
    add_memories(
        "tail_x", {n, dx}, [](memory<S> const& m) -> auto const& { return m.tail_x; });
    add_memories(
        "tail_v", {n, dv}, [](memory<S> const& m) -> auto const& { return m.tail_y; });
  }
  return out;
}

template <class T>
results apply(problem const& p) {
  tensors<T> const in(p);
  return gathered<T>(p, p.offsets ? attend_end_to_end<T>(p, in.q, in.k, in.v, in.size, in.forget)
                                  : attend_heads<T>(p.rule, in.q, in.k, in.v, in.size, in.forget, p.options, in.entries));
}

}  // namespace fwa::program
