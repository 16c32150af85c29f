// SPDX-License-Identifier: Apache-2.0
#include "apply_with.hpp"

#include <fwa/check.hpp>
#include <fwa/device/array.cuh>
#include <fwa/device/call.cuh>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <type_traits>

namespace fwa::program {
namespace {

constexpr std::string_view who = "apply";

template <class T>
using as_stored = std::conditional_t<std::is_same_v<T, Eigen::bfloat16>, __nv_bfloat16, T>;

/// The memories of all units on the host, as the device lays them out.
template <class S>
struct flat_memories {
  std::vector<S> state, z, last, tail_x, tail_y;
  std::vector<int> pairs;

  flat_memories(device::sizes const& n, index_t B) {
    auto room = [&](index_t rows, index_t cols) { return std::vector<S>(static_cast<std::size_t>(n.units() * rows * cols), S(0)); };
    state = room(n.d, n.dv);
    z = last = room(n.d, 1);
    tail_x = room(B - 1, n.d);
    tail_y = room(B - 1, n.dv);
    pairs.assign(static_cast<std::size_t>(n.units()), -1);
  }
};

template <class S, class M>
void put(std::vector<S>& to, index_t at, M const& from) {
  mat<S> const rows = from;
  std::copy_n(rows.data(), rows.size(), to.data() + at);
}

/// Row r of a unit's part of an array, `rows` of them of this width.
template <class S>
[[nodiscard]] Eigen::Map<mat<S> const> part(std::vector<S> const& from, index_t unit, index_t rows, index_t width) {
  return {from.data() + unit * rows * width, rows, width};
}

/// What the reader refuses of one head.
template <class T>
void check_heads(problem const& p, tensors<T> const& in, device::sizes const& n) {
  using S = accumulator_t<T>;
  detail::head_layout const layout{n.batch, n.time, n.heads};
  index_t const columns = p.rule.per_column ? n.dv : 1, forget_columns = p.rule.law == step_law::given ? columns : 1;
  for (index_t i = 0; i < n.batch * n.heads; ++i) {
    tokens<T> const head{layout.read(in.q.data(), i, n.d),
                         layout.read(in.k.data(), i, n.d),
                         layout.read(in.v.data(), i, n.dv),
                         {p.rule.law, layout.read(in.size.data(), i, columns), layout.read(in.forget.data(), i, forget_columns)}};
    check<S>(who, p.rule, p.options, in.entries.empty() ? memory<S>{} : in.entries[static_cast<std::size_t>(i)], n.d, n.dv);
    check<T>(who, p.rule, p.options, head, n.time, n.d, n.dv);
    require_finite(who, "q", head.q);
    require_finite(who, "k", head.k);
    require_finite(who, "v", head.v);
  }
}

}  // namespace

template <class T>
results apply_on_device(problem const& p) {
  using S = accumulator_t<T>;
  using U = as_stored<T>;
  int devices = 0;
  cudaError_t const answer = cudaGetDeviceCount(&devices);
  require(answer == cudaSuccess && devices > 0, who, "--device cuda: ", answer == cudaSuccess ? "no device" : cudaGetErrorString(answer));
  tensors<T> const in(p);
  auto const extent = [&](std::size_t axis) { return static_cast<index_t>(in.q.shape()[axis]); };
  device::sizes n{extent(0), extent(1), extent(2), extent(3), static_cast<index_t>(in.v.shape()[3]), 0};
  check_heads<T>(p, in, n);
  if (p.offsets) n.packed = static_cast<index_t>(p.offsets->size()) - 1;
  index_t const B = p.options.window, columns = p.rule.per_column ? n.dv : 1;
  index_t const forget_columns = p.rule.law == step_law::given ? columns : 1;

  flat_memories<S> entry(n, B), left(n, B);
  bool const continues = !in.entries.empty(), normalised = p.options.normalized_read.has_value();
  for (index_t u = 0; continues && u < n.units(); ++u) {
    memory<S> const& m = in.entries[static_cast<std::size_t>(u)];
    index_t const tail = m.tail_x.rows();
    if (m.S.size() != 0) put(entry.state, u * n.d * n.dv, m.S);
    if (m.z) put(entry.z, u * n.d, *m.z);
    if (m.last_feature) put(entry.last, u * n.d, *m.last_feature);
    if (tail > 0) {
      put(entry.tail_x, (u * (B - 1) + B - 1 - tail) * n.d, m.tail_x);
      put(entry.tail_y, (u * (B - 1) + B - 1 - tail) * n.dv, m.tail_y);
    }
    entry.pairs[static_cast<std::size_t>(u)] = m.last_feature || tail > 0 ? static_cast<int>(tail) : -1;
  }

  device::array<U> q(in.q.data(), in.q.size()), k(in.k.data(), in.k.size()), v(in.v.data(), in.v.size()), o(in.v.size());
  device::array<S> size(in.size.data(), in.size.size()), forget(in.forget.data(), in.forget.size());
  device::array<S> eta(in.size.size()), gamma(in.size.size()), state(entry.state.data(), entry.state.size());
  device::array<S> z(entry.z.data(), entry.z.size()), last(entry.last.data(), entry.last.size());
  device::array<S> tail_x(entry.tail_x.data(), entry.tail_x.size()), tail_y(entry.tail_y.data(), entry.tail_y.size());
  device::array<int> pairs(entry.pairs.data(), entry.pairs.size());
  device::array<unsigned char> clamped(in.size.size());
  unsigned refused = 0;
  device::array<unsigned> refusals(&refused, 1);
  std::vector<index_t> const none(1, 0);
  std::vector<index_t> const& ends = p.offsets ? *p.offsets : none;
  device::array<index_t> offsets(ends.data(), ends.size());
  std::size_t const bytes = device::workspace_bytes<U>(p.rule, p.options, n);
  device::array<unsigned char> workspace(bytes);

  device::call<U> c;
  c.q = device::dense<U const>(q.data(), n, n.d);
  c.k = device::dense<U const>(k.data(), n, n.d);
  c.v = device::dense<U const>(v.data(), n, n.dv);
  c.o = device::dense(o.data(), n, n.dv);
  c.size = device::dense<S const>(size.data(), n, columns);
  c.forget = device::dense<S const>(forget.data(), n, forget_columns);
  if (p.offsets) c.offsets = offsets.data();
  c.exit = {state.data(), normalised ? z.data() : nullptr, last.data(), tail_x.data(), tail_y.data(), pairs.data()};
  if (continues) c.entry = c.exit;
  c.eta = eta.data();
  c.gamma = gamma.data();
  c.clamped = clamped.data();
  c.refused = refusals.data();
  c.workspace = workspace.data();
  c.workspace_bytes = bytes;
  device::attend<U>(p.rule, p.options, n, c, nullptr);
  device::succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  refusals.get(&refused);
  require((refused & device::energy_out_of_range) == 0, who,
          "the energy of the keys plus lambda and epsilon must stay in the scalar's range");
  require(refused == 0, who, "gains or ridges are out of range");

  heads_outcome<T> found;
  found.o.resize(in.v.shape());
  o.get(found.o.data());
  for (auto* array : {&found.eta, &found.gamma}) array->resize(in.size.shape());
  eta.get(found.eta.data());
  gamma.get(found.gamma.data());
  found.clamped.resize(in.size.shape());
  std::vector<unsigned char> acts(in.size.size());
  clamped.get(acts.data());
  std::transform(acts.begin(), acts.end(), found.clamped.data(), [](unsigned char a) { return a != 0; });
  state.get(left.state.data());
  z.get(left.z.data());
  last.get(left.last.data());
  tail_x.get(left.tail_x.data());
  tail_y.get(left.tail_y.data());
  pairs.get(left.pairs.data());
  for (index_t u = 0; u < n.units(); ++u) {
    memory<S> m;
    m.S = part(left.state, u, n.d, n.dv);
    if (normalised) m.z = part(left.z, u, 1, n.d);
    if (int const tail = left.pairs[static_cast<std::size_t>(u)]; tail >= 0) {
      m.last_feature = part(left.last, u, 1, n.d);
      m.tail_x = part(left.tail_x, u, B - 1, n.d).bottomRows(tail);
      m.tail_y = part(left.tail_y, u, B - 1, n.dv).bottomRows(tail);
    }
    found.memories.push_back(std::move(m));
  }
  return gathered<T>(p, found);
}

template results apply_on_device<double>(problem const&);
template results apply_on_device<float>(problem const&);
template results apply_on_device<Eigen::bfloat16>(problem const&);

}  // namespace fwa::program
