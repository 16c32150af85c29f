// SPDX-License-Identifier: Apache-2.0
// device/plan.cuh — align and step: features, energies, step sizes and decays by the host's formulas.
//
// Laws: step_bounds, zero_denominator_is_no_op.
#pragma once

#include "../align/feature.hpp"
#include "../step/bisection.hpp"
#include "../step/gain.hpp"
#include "view.cuh"

#include <limits>

namespace fwa::device {

/// Weights and decays of a form: (place, columns).
template <class A>
struct schedule {
  A const *weight, *gamma;
  index_t columns;  // 1 or dv
  residual rho;

  [[nodiscard]] __device__ A at(A const* m, index_t place, index_t j) const { return m[place * columns + (columns == 1 ? 0 : j)]; }
};

namespace detail {

template <class A>
struct row_of {
  A* data;
  index_t n;
  FWA_HOST_DEVICE A& operator()(index_t i) const { return data[i]; }
  FWA_HOST_DEVICE index_t size() const { return n; }
  FWA_HOST_DEVICE void operator/=(A const& a) const {
    for (index_t i = 0; i < n; ++i) data[i] /= a;
  }
};

/// φ of every row into [batch, time, head, width] without gaps; a thread a row.
template <class T, class A>
__global__ void features(sizes n, rows<T const> from, index_t width, A* to, feature phi, A epsilon) {
  index_t const all = n.tokens(), stride = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += stride) {
    index_t const h = i % n.heads, t = i / n.heads % n.time, b = i / n.heads / n.time;
    T const* row = from.data + b * from.batch + t * from.time + h * from.head;
    for (index_t e = 0; e < width; ++e) to[i * width + e] = static_cast<A>(row[e]);
    apply_feature<A>(phi, epsilon, row_of<A>{to + i * width, width});
  }
}

template <class A>
struct step_settings {
  step_law law;
  residual rho;
  bool scale_coupled, clamp, any_gain;
  A epsilon, floor;
};

template <class A>
struct plan_arrays {
  A *weight, *gamma;  // (place, columns)
  A* eta;             // where wanted
  unsigned char* clamped;
  unsigned* refused;
  index_t columns;
};

/// η and γ of a token, or of one of its columns, and what is wrong with them.
template <class A>
struct token_step {
  A eta = A(0), gamma = A(1);
  bool clamped = false;
  unsigned refused = 0;

  /// There is no pair to write; what is given for the token must be in range nevertheless.
  __device__ void write_nothing() {
    eta = A(0);
    gamma = A(1);
    clamped = false;
    refused &= ~unsigned(energy_out_of_range);
  }
};

/// @param nonzero called where D = 0: whether a feature is not 0
template <class A, class Nonzero>
__device__ token_step<A> step_of(step_settings<A> const& how, A size, A forget, A E, Nonzero&& nonzero) {
  token_step<A> s;
  if (how.law == step_law::given) {
    s.eta = size;
    s.gamma = forget;
  } else {
    A const lambda = how.scale_coupled ? forget * E : forget, D = E + lambda + how.epsilon;
    bool const outside = !(D - D == A(0)) || (D == A(0) && nonzero());
    if (!(forget >= A(0))) s.refused |= ridge_out_of_range;
    if (!(size - size == A(0)) || (!how.any_gain && !(size >= A(0) && size < A(2)))) s.refused |= gain_out_of_range;
    s.eta = outside ? std::numeric_limits<A>::quiet_NaN() : step_size(size, D);
    if (!outside) s.gamma = carry(size, E, lambda, how.epsilon, D, s.eta);
    s.clamped = !outside && how.clamp && clamp_acts(s.gamma, how.floor);
    if (s.clamped) s.gamma = how.floor;
  }
  if (!(s.eta - s.eta == A(0)) || !(s.gamma - s.gamma == A(0))) s.refused |= energy_out_of_range;
  return s;
}

template <class In, class A>
__device__ A dot(either_row<In, A> a, either_row<In, A> b, index_t n) {
  A sum(0);
  for (index_t e = threadIdx.x % 32; e < n; e += 32) sum += a[e] * b[e];
  return sum_over_lanes<1>(sum);
}

/// E_t, in all lanes of a warp.   @param room B² + 3B numbers of this warp
template <class In, class A>
__device__ A energy(view<In, A> const& in, unit_span const& s, index_t t, residual rho, A* room) {
  index_t const n = in.window(s, t), oldest = t + 1 - n;
  if (n == 0) return A(0);
  if (n == 1 || rho == residual::zero) {
    A sum(0);
    for (index_t i = oldest; i <= t; ++i) sum += dot(in.x(s, i), in.x(s, i), in.n.d);
    return n == 1 ? sum : sum / static_cast<A>(static_cast<int>(n));
  }
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j <= i; ++j) {
      A const inner = dot(in.x(s, oldest + i), in.x(s, oldest + j), in.n.d);
      if (threadIdx.x % 32 == 0) room[i * n + j] = inner;
    }
  A top(0);
  if (threadIdx.x % 32 == 0) {
    A* const rest = room + n * n;
    top = fwa::detail::bisection<A, A, fwa::detail::one_number<A>>{n, room, rest, rest + n, rest + 2 * n}.solve();
  }
  return __shfl_sync(0xffffffffu, top, 0) / static_cast<A>(static_cast<int>(n));
}

/// Whether a feature of the window is not 0.
template <class In, class A>
__device__ bool any_feature(view<In, A> const& in, unit_span const& s, index_t t) {
  bool any = false;
  for (index_t i = t + 1 - in.window(s, t); i <= t; ++i) {
    auto const x = in.x(s, i);
    for (index_t e = threadIdx.x % 32; e < in.n.d; e += 32) any = any || !(x[e] == A(0));
  }
  return __any_sync(0xffffffffu, any);
}

/// A warp a token.
template <class In, class A>
__global__ void plan(view<In, A> in, rows<A const> size, rows<A const> forget, step_settings<A> how, plan_arrays<A> out, A* room) {
  index_t const all = in.n.tokens(), warps = static_cast<index_t>(gridDim.x) * (blockDim.x / 32);
  index_t const warp = static_cast<index_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  int const lane = threadIdx.x % 32;
  unsigned refused = 0;
  for (index_t place = warp; place < all; place += warps) {
    index_t const h = place % in.n.heads, token = place / in.n.heads % in.n.time, b = place / in.n.heads / in.n.time;
    unit_span const s = in.span_of_token(b, token, h);
    index_t const t = token - s.first, B = in.window(s, t);
    bool const writes_nothing = t == 0 && in.sentinel(s), given = how.law == step_law::given;
    A const *sizes_here = in.at(size, s, t), *forgets_here = in.at(forget, s, t);
    A const E = given ? A(0) : energy(in, s, t, how.rho, room + warp * (in.B * in.B + 3 * in.B));
    bool const nonzero = given || !(E == A(0)) || any_feature(in, s, t);
    for (index_t j = lane; j < out.columns; j += 32) {
      token_step<A> step = step_of(how, sizes_here[j], forgets_here[given ? j : 0], E, [&] { return nonzero; });
      if (writes_nothing) step.write_nothing();
      refused |= step.refused;
      index_t const at = place * out.columns + j;
      if (out.eta != nullptr) out.eta[at] = step.eta;
      out.gamma[at] = step.gamma;
      out.weight[at] = B > 1 ? step.eta / static_cast<A>(static_cast<int>(B)) : step.eta;
      if (out.clamped != nullptr) out.clamped[at] = step.clamped;
    }
    __syncwarp();
  }
  if (refused != 0 && out.refused != nullptr) atomicOr(out.refused, refused);
}

/// Divides by zᵀq ± ε, a thread an entry.   @param wide (place, dv + 1)
template <class T, class A>
__global__ void divide(sizes n, A const* wide, rows<T> o, A epsilon, bool sign_stable) {
  index_t const all = n.tokens() * n.dv, stride = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += stride) {
    index_t const j = i % n.dv, place = i / n.dv, h = place % n.heads, t = place / n.heads % n.time, b = place / n.heads / n.time;
    A const* row = wide + place * (n.dv + 1);
    A const zq = row[n.dv];
    o.data[b * o.batch + t * o.time + h * o.head + j] = static_cast<T>(row[j] / (sign_stable && zq < A(0) ? zq - epsilon : zq + epsilon));
  }
}

/// Last feature and tail of every unit, a block a unit. In place: a thread keeps to its columns and reads no row that it wrote.
template <class In, class A>
__global__ void leave(view<In, A> in, memory<A> exit) {
  for (index_t unit = blockIdx.x; unit < in.n.units(); unit += gridDim.x) {
    unit_span const s = in.span(unit);
    index_t const rows_kept = in.B - 1, available = s.before + s.count - (s.count > 0 && in.sentinel(s) ? 1 : 0);
    index_t const kept = rows_kept < available ? rows_kept : available;
    for (index_t e = threadIdx.x; e < in.n.d; e += blockDim.x) {
      if (exit.tail_x != nullptr)
        for (index_t r = 0; r < rows_kept; ++r)
          exit.tail_x[(unit * rows_kept + r) * in.n.d + e] = r < rows_kept - kept ? A(0) : in.x(s, s.count - rows_kept + r)[e];
      if (exit.last_feature != nullptr) {
        A const before = s.fresh || in.entry.last_feature == nullptr ? A(0) : in.entry.last_feature[unit * in.n.d + e];
        exit.last_feature[unit * in.n.d + e] = s.count > 0 ? static_cast<A>(in.at(in.k, s, s.count - 1)[e]) : before;
      }
    }
    if (exit.tail_y != nullptr)
      for (index_t e = threadIdx.x; e < in.n.dv; e += blockDim.x)
        for (index_t r = 0; r < rows_kept; ++r)
          exit.tail_y[(unit * rows_kept + r) * in.n.dv + e] = r < rows_kept - kept ? A(0) : in.y(s, s.count - rows_kept + r)[e];
    __syncthreads();
    if (threadIdx.x == 0 && exit.pairs != nullptr) exit.pairs[unit] = s.count == 0 && s.fresh ? -1 : static_cast<int>(kept);
  }
}

}  // namespace detail
}  // namespace fwa::device
