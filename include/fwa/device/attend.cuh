// SPDX-License-Identifier: Apache-2.0
// device/attend.cuh — the front door of the device.
//
//   k, v ──align──▶ pairs (x, y) ──step──▶ schedule (η, γ, w) ──form──▶ outputs, memory                as reader.hpp, on a stream
//
// Where no faster kernel is made for a call, the portable ones read it: recurrent.cuh and span.cuh.
// Laws: forms_agree, continuation, packing.
#pragma once

#include "../check_options.hpp"
#include "../refusal.hpp"
#include "call.cuh"
#include "hopper/launch.cuh"
#include "plan.cuh"
#include "recurrent.cuh"
#include "span.cuh"
#include "view.cuh"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace fwa::device {
namespace detail {

inline constexpr std::string_view who = "device::attend";

/// Hands out parts of a workspace; without one, only counts.
class arena {
 public:
  explicit arena(void* base) : base_(static_cast<std::byte*>(base)) {}

  template <class U>
  [[nodiscard]] U* take(index_t count) {
    std::size_t const at = used_;
    used_ += (static_cast<std::size_t>(count) * sizeof(U) + 255) / 256 * 256;
    return base_ == nullptr ? nullptr : reinterpret_cast<U*>(base_ + at);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

/// Warps that plan: as many as a device runs at once, fewer where each needs much room for the eigenvalues of a large window.
[[nodiscard]] inline index_t planning_warps(sizes const& n, index_t B) {
  index_t const room = B * B + 3 * B, most = std::clamp<index_t>((index_t(1) << 27) / room, 4, 16384);
  return std::min(std::max<index_t>(n.tokens(), 1), most);
}

inline constexpr index_t most_span_blocks = 2048;

/// Parts of the workspace of the portable kernels.
template <class T>
struct portable_room {
  using A = accumulator_t<T>;
  A *q = nullptr, *k = nullptr, *v = nullptr, *weight, *gamma, *wide = nullptr, *windows, *gram = nullptr;

  portable_room(arena& from, rule const& r, options const& o, sizes const& n, bool keeps_gamma) {
    index_t const count = n.tokens(), columns = r.per_column ? n.dv : 1;
    if (o.feature != feature::identity) {
      q = from.take<A>(count * n.d);
      k = from.take<A>(count * n.d);
    }
    if (o.feature != feature::identity || o.value_norm) v = from.take<A>(count * n.dv);
    if (o.value_norm && q == nullptr) {
      q = from.take<A>(count * n.d);
      k = from.take<A>(count * n.d);
    }
    weight = from.take<A>(count * columns);
    gamma = keeps_gamma ? from.take<A>(count * columns) : nullptr;
    if (o.normalized_read) wide = from.take<A>(count * (n.dv + 1));
    windows =
        from.take<A>(o.window > 1 && r.rho != residual::zero ? planning_warps(n, o.window) * (o.window * o.window + 3 * o.window) : 1);
    if (o.form == form::chunk)
      gram = from.take<A>(std::min(most_span_blocks, n.units() * (n.dv / columns_a_warp + 1)) * span_gram(o.chunk, o.window));
  }
};

[[nodiscard]] inline dim3 grid(index_t blocks, char const* kernel) {
  require(blocks <= std::numeric_limits<int>::max(), who, kernel, " would need ", blocks, " blocks");
  return dim3(static_cast<unsigned>(blocks));
}

/// What a block may have of shared memory.
[[nodiscard]] inline std::size_t shared_limit() {
  int device = 0, bytes = 0;
  succeed(cudaGetDevice(&device), "cudaGetDevice");
  succeed(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  succeed(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), "cudaFuncSetAttribute");
}

template <class A>
[[nodiscard]] step_settings<A> settings(rule const& r, options const& o) {
  return {r.law, r.rho, o.ridge == ridge::scale_coupled, o.clamp, o.any_gain, static_cast<A>(o.epsilon), static_cast<A>(o.epsilon_gamma)};
}

/// Last features and tails, where they are wanted.
template <class T, class In, class A>
void leave_edges(call<T> const& c, view<In, A> const& in, cudaStream_t stream) {
  if (c.exit.last_feature == nullptr && c.exit.tail_x == nullptr && c.exit.tail_y == nullptr && c.exit.pairs == nullptr) return;
  leave<In, A><<<grid(std::min<index_t>(in.n.units(), 1 << 20), "leave"), 128, 0, stream>>>(in, c.exit);
  launched("leave");
}

/// Step: weights and decays of all tokens.
template <class In, class T>
[[nodiscard]] schedule<accumulator_t<T>> make_schedule(rule const& r, options const& o, call<T> const& c,
                                                       view<In, accumulator_t<T>> const& in, portable_room<T> const& room,
                                                       cudaStream_t stream) {
  using A = accumulator_t<T>;
  index_t const columns = r.per_column ? in.n.dv : 1;
  A* const gamma = c.gamma != nullptr ? c.gamma : room.gamma;
  if (in.n.tokens() > 0) {
    index_t const warps = planning_warps(in.n, o.window);
    dim3 const blocks = grid((warps + 3) / 4, "plan");
    unsigned const threads = 32 * static_cast<unsigned>(std::min<index_t>(warps, 4));
    plan<In, A><<<blocks, threads, 0, stream>>>(in, c.size, c.forget, settings<A>(r, o),
                                                {room.weight, gamma, c.eta, c.clamped, c.refused, columns}, room.windows);
    launched("plan");
  }
  return {room.weight, gamma, columns, r.rho};
}

/// Step and form of tokens that are stored as In.
template <class In, class T>
void read_aligned(rule const& r, options const& o, call<T> const& c, view<In, accumulator_t<T>> const& in, portable_room<T> const& room,
                  cudaStream_t stream) {
  using A = accumulator_t<T>;
  sizes const& n = in.n;
  index_t const width = n.dv + (o.normalized_read ? 1 : 0);
  schedule<A> const weights = make_schedule<In, T>(r, o, c, in, room, stream);
  output<T, A> const out{c.o, room.wide};
  bool const early = o.timing == timing::read_before_write;
  if (o.form == form::recurrent) {
    std::size_t const bytes = static_cast<std::size_t>((n.d + o.window) * columns_a_warp) * sizeof(A);
    require(bytes <= shared_limit(), who, "keys of ", n.d, " entries and a window of ", o.window, " need ", bytes,
            " bytes of shared memory, but a block has ", shared_limit());
    allow_shared(recurrent<In, T, A>, bytes);
    recurrent<In, T, A><<<grid(n.units() * ((width + columns_a_warp - 1) / columns_a_warp), "recurrent"), 32, bytes, stream>>>(
        in, weights, early, width, out, c.exit);
    launched("recurrent");
  } else {
    auto bytes = [&](index_t warps) {
      return static_cast<std::size_t>(span_rows(n.d, o.chunk, o.window) * warps * columns_a_warp) * sizeof(A);
    };
    index_t warps = std::min<index_t>(4, (width + columns_a_warp - 1) / columns_a_warp);
    while (warps > 1 && bytes(warps) > shared_limit()) --warps;
    require(bytes(warps) <= shared_limit(), who, "keys of ", n.d, " entries, a window of ", o.window, " and chunks of ", o.chunk, " need ",
            bytes(warps), " bytes of shared memory, but a block has ", shared_limit(), "; the recurrent form needs less");
    allow_shared(span<In, T, A>, bytes(warps));
    index_t const jobs = n.units() * ((width + warps * columns_a_warp - 1) / (warps * columns_a_warp));
    span<In, T, A><<<grid(std::min(jobs, most_span_blocks), "span"), 32 * static_cast<unsigned>(warps), bytes(warps), stream>>>(
        in, weights, early, width, o.chunk, out, c.exit, room.gram);
    launched("span");
  }
  if (o.normalized_read && n.tokens() > 0) {
    divide<T, A><<<grid(std::min<index_t>((n.tokens() * n.dv + 255) / 256, 1 << 16), "divide"), 256, 0, stream>>>(
        n, room.wide, c.o, static_cast<A>(*o.normalized_read), o.denominator == denominator::sign_stable);
    launched("divide");
  }
  leave_edges(c, in, stream);
}

template <class T>
void check_call(rule const& r, options const& o, sizes const& n, call<T> const& c) {
  require(n.batch >= 0 && n.time >= 0 && n.heads >= 0 && n.packed >= 0, who, "sizes must not be negative");
  require(n.packed == 0 || n.batch == 1, who, "packed sequences lie in one batch entry, not in ", n.batch);
  require((n.packed == 0) == (c.offsets == nullptr), who, "offsets go with packed sequences");
  if (n.tokens() > 0)
    require(c.q.data != nullptr && c.k.data != nullptr && c.v.data != nullptr && c.size.data != nullptr && c.forget.data != nullptr &&
                c.o.data != nullptr,
            who, "q, k, v, ", r.law == step_law::given ? "eta, gamma" : "beta, lambda", " and o must not be null");
  bool const shifted = o.pairing.value_or(r.pairing) == pairing::shifted;
  if (c.entry.pairs != nullptr) {
    require(!shifted || c.entry.last_feature != nullptr, who, "an entry memory of shifted pairs needs its last features");
    require(o.window == 1 || (c.entry.tail_x != nullptr && c.entry.tail_y != nullptr), who, "an entry memory of a window needs its tails");
  }
  require(c.exit.pairs == nullptr || o.window == 1 || (c.exit.tail_x != nullptr && c.exit.tail_y != nullptr), who,
          "an exit memory of a window needs room for its tails");
  require(o.normalized_read.has_value() || (c.entry.z == nullptr && c.exit.z == nullptr), who,
          "the memory has a normaliser z, but the read is not normalised");
  require(!o.normalized_read || c.entry.state == nullptr || c.entry.z != nullptr, who,
          "a normalised read that continues a state needs its normaliser z");
}

template <class T>
void check_choices(rule const& r, options const& o, sizes const& n) {
  check_options<accumulator_t<T>>(who, r, o, n.d, n.dv);
  require(o.form == form::recurrent || o.form == form::chunk, who, "the device has the recurrent and the chunk form");
  require(o.form == form::recurrent || o.chunk == 16 || o.chunk == 32 || o.chunk == 64, who, "chunk must be 16, 32 or 64, but is ",
          o.chunk);
}

}  // namespace detail

template <class T>
std::size_t workspace_bytes(rule const& r, options const& o, sizes const& n, kernels which) {
  detail::check_choices<T>(r, o, n);
  detail::arena count(nullptr);
  detail::portable_room<T>(count, r, o, n, true);
  std::size_t bytes = count.used();
  if constexpr (std::is_same_v<T, __nv_bfloat16>)
    if (which == kernels::fastest) {
      detail::arena fast(nullptr);
      (void)hopper::room(fast, hopper::way_of(r, o, n), n);
      bytes = std::max(bytes, fast.used());
    }
  return bytes;
}

template <class T>
void attend(rule const& r, options const& o, sizes const& n, call<T> const& c, cudaStream_t stream, kernels which) {
  using namespace detail;
  using A = accumulator_t<T>;
  check_choices<T>(r, o, n);
  check_call(r, o, n, c);
  std::size_t const needed = workspace_bytes<T>(r, o, n, which);
  require(c.workspace_bytes >= needed, who, "the workspace must have ", needed, " bytes, but has ", c.workspace_bytes);
  require(c.workspace != nullptr, who, "the workspace must not be null");
  if (n.units() == 0) return;
  arena from(c.workspace);
  if constexpr (std::is_same_v<T, __nv_bfloat16>)
    if (hopper::way const how = hopper::way_of(r, o, n);
        which == kernels::fastest && n.tokens() > 0 && how != hopper::way::none && hopper::reads(r, c)) {
      view<T, A> const in{n, c.offsets, c.q, c.k, c.v, c.entry, o.window, o.pairing.value_or(r.pairing) == pairing::shifted};
      hopper::plan_call const plan{c.size, c.forget, settings<A>(r, o), {nullptr, c.gamma, c.eta, c.clamped, c.refused, 1}};
      bool const early = o.timing == timing::read_before_write;
      if (how == hopper::way::swept && r.per_column) {
        portable_room<T> const room(from, r, o, n, true);
        A* const gamma = c.gamma != nullptr ? c.gamma : room.gamma;
        bool const quick = o.window == 1 && n.tokens() < index_t(1) << 32;
        if (quick) {
          hopper::plan_columns<><<<grid((n.tokens() + 7) / 8, "plan_columns"), 256, 0, stream>>>(in, plan, room.weight, gamma);
          launched("plan_columns");
        }
        hopper::attend_spans(in, plan,
                             quick ? schedule<A>{room.weight, gamma, n.dv, r.rho} : make_schedule<T, T>(r, o, c, in, room, stream), early,
                             c, stream);
      } else {
        hopper::attend(how, in, plan, hopper::room(from, how, n), early, c, stream);
      }
      return leave_edges(c, in, stream);
    }
  portable_room<T> const room(from, r, o, n, true);
  bool const shifted = o.pairing.value_or(r.pairing) == pairing::shifted;
  if (room.q == nullptr) {
    view<T, A> const in{n, c.offsets, c.q, c.k, c.v, c.entry, o.window, shifted};
    return read_aligned<T, T>(r, o, c, in, room, stream);
  }
  if (n.tokens() > 0) {
    dim3 const blocks = grid(std::min<index_t>((n.tokens() + 127) / 128, 1 << 16), "features");
    A const epsilon = static_cast<A>(o.feature_epsilon);
    features<T, A><<<blocks, 128, 0, stream>>>(n, c.q, n.d, room.q, o.feature, epsilon);
    features<T, A><<<blocks, 128, 0, stream>>>(n, c.k, n.d, room.k, o.feature, epsilon);
    features<T, A><<<blocks, 128, 0, stream>>>(n, c.v, n.dv, room.v, o.value_norm ? feature::rms_norm : feature::identity, epsilon);
    launched("features");
  }
  view<A, A> const in{
      n,        c.offsets, dense<A const>(room.q, n, n.d), dense<A const>(room.k, n, n.d), dense<A const>(room.v, n, n.dv), c.entry,
      o.window, shifted};
  read_aligned<A, T>(r, o, c, in, room, stream);
}

}  // namespace fwa::device
