// SPDX-License-Identifier: Apache-2.0
// The device against the host's recurrence in double: every rule, both forms, storage in double, float and bfloat16.
#include "on_device.hpp"

#include <fwa/refusal.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <Eigen/Eigenvalues>

#include <cstring>
#include <iostream>

namespace fwa::test {
namespace {

std::vector<rule> all_rules() {
  std::vector<rule> all(std::begin(falcon_rules), std::end(falcon_rules));
  all.insert(all.end(), std::begin(neighbour_rules), std::end(neighbour_rules));
  all.push_back({"gated-23", residual::gamma, true, true, step_law::given, pairing::same_step});
  return all;
}

TEST_CASE("every rule, form, timing and pairing is the host's recurrence") {
  double most = 0;
  std::uint64_t seed = 1;
  for (rule const& r : all_rules())
    for (index_t const window : {1, 2, 5}) {
      if (window > 1 && !r.windowed) continue;
      for (dimensions const& x : {dimensions{1, 1, 1, 1, 1}, {2, 67, 3, 5, 7}, {1, 130, 2, 16, 33}, {1, 64, 1, 24, 8}})
        for (timing const when : {timing::read_after_write, timing::read_before_write})
          for (pairing const pair : {pairing::shifted, pairing::same_step})
            for (options o : {how(form::recurrent), how(form::chunk, 16), how(form::chunk, 32), how(form::chunk, 64)}) {
              o.window = window;
              o.timing = when;
              o.pairing = pair;
              heads<double> const in = some_heads<double>(r, {x.batch, x.time, x.heads, x.d, x.dv, 0}, ++seed);
              double const error = compare(in, o);
              CAPTURE(r.name);
              CAPTURE(window);
              CAPTURE(x.time);
              CAPTURE(o.chunk);
              CHECK_LE(error, 1e-12);
              most = std::max(most, error);
            }
    }
  std::cout << "f64: largest error " << most << '\n';
}

TEST_CASE("float and bfloat16 storage") {
  double f32 = 0, bf16 = 0;
  std::uint64_t seed = 1000;
  for (rule const& r : all_rules())
    for (options o : {how(form::recurrent), how(form::chunk, 32), how(form::chunk, 64)})
      for (dimensions const& x : {dimensions{2, 67, 3, 5, 7}, {1, 200, 2, 64, 40}}) {
        o.window = r.windowed ? 4 : 1;
        device::sizes const n{x.batch, x.time, x.heads, x.d, x.dv, 0};
        double const narrow = compare(some_heads<float>(r, n, ++seed), o);
        double const half = compare(some_heads<__nv_bfloat16>(r, n, ++seed), o);
        CAPTURE(r.name);
        CAPTURE(x.time);
        CHECK_LE(narrow, 2e-5);
        CHECK_LE(half, 0x1p-8);
        f32 = std::max(f32, narrow);
        bf16 = std::max(bf16, half);
      }
  std::cout << "f32: largest error " << f32 << ", bf16: " << bf16 << '\n';
}

/// The largest error over its bound, of outputs and states, for the recurrent form with the steps that the device planned.
///
/// Of column j, s = ‖S_j‖, e bounds ‖Ŝ_j − S_j‖, any order of summation, u = 2^-24, gam(n) = nu / (1 − nu), no underflow:
///   errors of S go on by γI − ρw XXᵀ (X the keys of the window), whose norm c is max(|γ|, |γ − ρw λ_max|)
///   a prediction xᵀŜ_j: gam(d) ‖x‖ (s + e), a factor γ 1 more;  residual: |dr| ≤ |ρ| dp + u (|r| + |ρ| (‖x‖ e + dp))
///   e ← c e + gam(B + 1) |γ| (s + e) + Σ |w| ‖x‖ (dr + gam(B + 3) (|r| + |ρ| ‖x‖ e + dr))        |do| ≤ ‖q‖ (e + gam(d) (s + e))
/// An output stored as bfloat16 is rounded once more, by 2^-8. Here the exact numbers are doubles, whose roundings are 2^-29 of these.
template <class T>
double error_over_bound(heads<T> const& in, options const& o) {
  static_assert(std::is_same_v<accumulator_t<T>, float>);
  device::sizes const& n = in.n;
  constexpr double u = 0x1p-24;
  auto gam = [](index_t count) { return static_cast<double>(count) * u / (1 - static_cast<double>(count) * u); };
  kept<float> exit(n, o.window, false);
  found<T> const got = on_device(in, o, &exit);
  std::vector<float> const state = exit.state.get();
  double const stored_u = std::is_same_v<T, float> ? 0 : 0x1p-8;
  double most = 0;
  auto compare_to = [&](double error, double bound) { most = std::max(most, error <= 0 ? 0 : bound > 0 ? error / bound : HUGE_VAL); };
  for (index_t b = 0; b < n.batch; ++b)
    for (index_t h = 0; h < n.heads; ++h) {
      head<double> const one = in.one(b, h, 0, n.time);
      mat<double> const eta = rows_of(got.eta, n, b, h, 0, n.time, in.columns()),
                        gamma = rows_of(got.gamma, n, b, h, 0, n.time, in.columns());
      mat<double> const outputs = rows_of(got.o, n, b, h, 0, n.time, n.dv);
      bool const shifted = o.pairing.value_or(in.r.pairing) == pairing::shifted;
      mat<double> x = one.k, S = mat<double>::Constant(n.d, n.dv, 0.0);
      if (shifted) x.bottomRows(n.time - 1) = one.k.topRows(n.time - 1), x.row(0).setZero();
      std::vector<double> e(static_cast<std::size_t>(n.dv), 0.0);
      for (index_t t = 0; t < n.time; ++t) {
        index_t const B = std::min(o.window, shifted ? t : t + 1);
        mat<double> const X = x.middleRows(t + 1 - B, B), Y = one.v.middleRows(t + 1 - B, B), before = S, predicted = X * before;
        double const top = B == 0 ? 0 : Eigen::SelfAdjointEigenSolver<mat<double>>(X * X.transpose()).eigenvalues().maxCoeff();
        for (index_t j = 0; j < n.dv; ++j) {
          double& error = e[static_cast<std::size_t>(j)];
          index_t const column = in.columns() == 1 ? 0 : j;
          double const g = gamma(t, column), w = B == 0 ? 0 : eta(t, column) / static_cast<double>(B), s = before.col(j).norm();
          double const rho = in.r.rho == residual::zero ? 0 : in.r.rho == residual::gamma ? g : 1;
          double next = std::max(std::abs(g), std::abs(g - rho * w * top)) * error + gam(B + 1) * std::abs(g) * (s + error);
          S.col(j) *= g;
          for (index_t i = 0; i < B; ++i) {
            double const r = Y(i, j) - rho * predicted(i, j), length = X.row(i).norm();
            double const dp = gam(n.d + 1) * length * (s + error);
            double const dr = std::abs(rho) * dp + u * (std::abs(r) + std::abs(rho) * (length * error + dp));
            next += std::abs(w) * length * (dr + gam(B + 3) * (std::abs(r) + std::abs(rho) * length * error + dr));
            S.col(j) += w * r * X.row(i).transpose();
          }
          error = next;
          double const length = one.q.row(t).norm();
          double const want = one.q.row(t).dot(S.col(j)), bound = length * (error + gam(n.d) * (S.col(j).norm() + error));
          compare_to(std::abs(outputs(t, j) - want), bound + stored_u * (std::abs(want) + bound));
        }
      }
      mat<double> const left = matrix_at(state, (b * n.heads + h) * n.d * n.dv, n.d, n.dv);
      for (index_t j = 0; j < n.dv; ++j) compare_to((left - S).col(j).norm(), e[static_cast<std::size_t>(j)]);
    }
  return most;
}

TEST_CASE("float and bfloat16 storage, recurrent: no error exceeds its proved bound") {
  double f32 = 0, bf16 = 0;
  std::uint64_t seed = 1500;
  for (rule const& r : all_rules())
    for (dimensions const& x : {dimensions{2, 67, 3, 5, 7}, {1, 200, 2, 64, 40}}) {
      options o = how(form::recurrent);
      o.window = r.windowed ? 4 : 1;
      device::sizes const n{x.batch, x.time, x.heads, x.d, x.dv, 0};
      double const narrow = error_over_bound(some_heads<float>(r, n, ++seed), o);
      double const half = error_over_bound(some_heads<__nv_bfloat16>(r, n, ++seed), o);
      CAPTURE(r.name);
      CAPTURE(x.time);
      CHECK_LE(narrow, 1);
      CHECK_LE(half, 1);
      CHECK(narrow > 0);
      f32 = std::max(f32, narrow);
      bf16 = std::max(bf16, half);
    }
  std::cout << "recurrent, largest error over its bound: f32 " << f32 << ", bf16 " << bf16 << '\n';
}

TEST_CASE("features, value norm, scale-coupled ridge and the normalised read") {
  for (form const f : {form::recurrent, form::chunk})
    for (feature const phi : {feature::identity, feature::rms_norm, feature::l2_norm, feature::elu_plus_one, feature::relu}) {
      options o = how(f, 16);
      o.feature = phi;
      o.value_norm = true;
      o.ridge = ridge::scale_coupled;
      o.epsilon = 1e-3;
      CHECK_LE(compare(some_heads<double>(falcon_1, {2, 50, 2, 6, 9, 0}, 5), o), 1e-12);
      o.window = 3;
      CHECK_LE(compare(some_heads<double>(falcon_23, {2, 50, 2, 6, 9, 0}, 6), o), 1e-12);
      CHECK_LE(compare(some_heads<__nv_bfloat16>(falcon_3, {2, 50, 2, 6, 9, 0}, 6), o), 0x1p-8);
      if (phi != feature::elu_plus_one) continue;
      o.normalized_read = 1e-3;
      o.value_norm = false;
      CHECK_LE(compare(some_heads<double>(falcon_3a, {2, 50, 2, 6, 9, 0}, 7), o), 1e-12);
      o.denominator = denominator::sign_stable;
      o.timing = timing::read_before_write;
      CHECK_LE(compare(some_heads<double>(falcon_3a, {2, 50, 2, 6, 9, 0}, 8), o), 1e-11);
    }
}

TEST_CASE("strong decay, the clamp at every step, repeated keys with gains near 2") {
  for (form const f : {form::recurrent, form::chunk})
    for (rule const& r : falcon_rules) {
      options o = how(f, 64);
      o.window = r.windowed ? 3 : 1;
      device::sizes const n{1, 150, 2, 8, 12, 0};
      CHECK_LE(compare(some_heads<double>(r, n, 11, 1e9), o), 1e-12);  // ηλ ≫ 1
      heads<double> same = some_heads<double>(r, n, 12, 0);
      for (std::size_t i = 0; i < same.k.size(); ++i) same.k[i] = same.k[i % static_cast<std::size_t>(n.heads * n.d)];
      for (double& beta : same.size) beta = 2 - 1e-9;
      CHECK_LE(compare(same, o), 1e-10);  // the state's size is kept, not shrunk, so errors add up
    }
}

TEST_CASE("packed sequences: nothing crosses, empty ones keep S = 0") {
  for (form const f : {form::recurrent, form::chunk})
    for (rule const& r : falcon_rules) {
      options o = how(f, 16);
      o.window = r.windowed ? 4 : 1;
      heads<double> in = some_heads<double>(r, {1, 60, 2, 4, 9, 0}, 21);
      in.offsets = {0, 0, 1, 3, 3, 40, 60, 60};
      in.n.packed = 7;
      CHECK_LE(compare(in, o), 1e-12);
    }
  heads<float> many = some_heads<float>(falcon_3, {1, 70000, 1, 8, 8, 0}, 22);
  many.n.packed = 70000;
  for (index_t i = 0; i <= 70000; ++i) many.offsets.push_back(i);
  options o = how(form::recurrent);
  o.window = 3;
  kept<float> exit(many.n, o.window, false);
  found<float> const got = on_device(many, o, &exit);
  CHECK_EQ(got.refused, 0u);
  for (float const x : got.o) REQUIRE_EQ(x, 0.0f);  // the first token of a fresh shifted sequence reads S_0 = 0
  for (float const x : exit.state.get()) REQUIRE_EQ(x, 0.0f);
}

TEST_CASE("cutting a sequence anywhere changes nothing, token by token either") {
  for (form const f : {form::recurrent, form::chunk})
    for (rule const& r : all_rules())
      for (pairing const pair : {pairing::shifted, pairing::same_step}) {
        options o = how(f, 16);
        o.window = r.windowed ? 4 : 1;
        o.pairing = pair;
        heads<double> const in = some_heads<double>(r, {2, 40, 2, 5, 9, 0}, 31);
        kept<double> whole(in.n, o.window, false), parts(in.n, o.window, false);
        found<double> const at_once = on_device(in, o, &whole);
        index_t first = 0;
        for (index_t const length : {1, 1, 2, 17, 1, 0, 18}) {
          found<double> const part = on_device(in, o, &parts, first > 0, first, length);
          for (index_t b = 0; b < 2; ++b)
            for (index_t h = 0; h < 2; ++h)
              for (index_t t = 0; t < length; ++t) {
                // A part writes rows 0 … of each batch entry at the distances of the whole.
                auto const got = matrix_at(part.o, ((b * in.n.time + first + t) * 2 + h) * in.n.dv, 1, in.n.dv);
                CHECK_CLOSE(got, rows_of(at_once.o, in.n, b, h, first + t, 1, in.n.dv), 1e-12);
              }
          first += length;
        }
        CHECK_EQ(first, in.n.time);
        CHECK_CLOSE(matrix_at(parts.state.get(), 0, 1, in.n.units() * 45), matrix_at(whole.state.get(), 0, 1, in.n.units() * 45), 1e-12);
        CHECK(parts.pairs.get() == whole.pairs.get());
        CHECK(parts.last_feature.get() == whole.last_feature.get());
        CHECK(parts.tail_x.get() == whole.tail_x.get());
        CHECK(parts.tail_y.get() == whole.tail_y.get());
      }
}

TEST_CASE("the same call gives the same bits") {
  for (rule const& r : {falcon_1, falcon_2, falcon_3, falcon_1a, falcon_3a}) {
    options o = how(form::chunk);
    o.window = r.windowed ? 4 : 1;
    heads<__nv_bfloat16> const in = some_heads<__nv_bfloat16>(r, {2, 300, 3, 128, 128, 0}, 41);
    kept<float> memory(in.n, o.window, false);
    found<__nv_bfloat16> const first = on_device(in, o, &memory);
    auto const state = memory.state.get();
    for (int again = 0; again < 20; ++again) {
      found<__nv_bfloat16> const next = on_device(in, o, &memory);
      REQUIRE_EQ(std::memcmp(first.o.data(), next.o.data(), first.o.size() * 2), 0);
      REQUIRE(state == memory.state.get());
    }
  }
}

TEST_CASE("small: every portable kernel") {
  for (options o : {how(form::recurrent), how(form::chunk, 16), how(form::chunk, 64)}) {
    o.window = 3;
    o.value_norm = true;
    o.feature = feature::elu_plus_one;
    CHECK_LE(compare(some_heads<double>(falcon_23, {2, 70, 2, 6, 37, 0}, 55), o), 1e-12);
    o.value_norm = false;
    o.normalized_read = 1e-3;
    CHECK_LE(compare(some_heads<double>(falcon_3a, {2, 70, 2, 6, 9, 0}, 56), o), 1e-12);
    o = how(o.form, o.chunk);
    heads<double> in = some_heads<double>(falcon_1, {1, 60, 2, 4, 9, 0}, 57);
    in.offsets = {0, 0, 1, 3, 40, 60};
    in.n.packed = 5;
    CHECK_LE(compare(in, o), 1e-12);
    o.window = 4;
    in = some_heads<double>(falcon_3, {2, 40, 2, 5, 9, 0}, 58);
    kept<double> whole(in.n, o.window, false), parts(in.n, o.window, false);
    (void)on_device(in, o, &whole);
    (void)on_device(in, o, &parts, false, 0, 17);
    (void)on_device(in, o, &parts, true, 17, 23);
    CHECK_CLOSE(matrix_at(parts.state.get(), 0, 1, in.n.units() * 45), matrix_at(whole.state.get(), 0, 1, in.n.units() * 45), 1e-12);
  }
}

TEST_CASE("numbers that no rule takes are reported") {
  options const o = how(form::recurrent);
  heads<double> in = some_heads<double>(falcon_1, {1, 5, 1, 3, 2, 0}, 51);
  in.size[2] = 2.5;
  CHECK_EQ(on_device(in, o).refused, device::gain_out_of_range);
  in.size[2] = 1;
  in.forget[3] = -1;
  CHECK_EQ((on_device(in, o).refused & device::ridge_out_of_range), device::ridge_out_of_range);
  in.forget[3] = 0;
  in.k[0] = 1e200;
  CHECK_EQ((on_device(in, o).refused & device::energy_out_of_range), device::energy_out_of_range);
}

TEST_CASE("calls that do not go together are refused, CUDA's refusals name the call") {
  heads<double> const in = some_heads<double>(falcon_1, {1, 5, 1, 3, 2, 0}, 61);
  options o = how(form::chunk, 24);
  CHECK_THROWS_WITH_AS((void)on_device(in, o), "device::attend: chunk must be 16, 32 or 64, but is 24", contract_error);
  o = how(form::masked);
  CHECK_THROWS_AS((void)on_device(in, o), contract_error);
  device::call<double> empty;
  CHECK_THROWS_AS(device::attend<double>(falcon_1, how(form::recurrent), in.n, empty, nullptr), contract_error);
  CHECK_THROWS_WITH_AS(device::succeed(cudaErrorInvalidValue, "cudaMemcpy"), "cudaMemcpy: invalid argument (cudaErrorInvalidValue)",
                       device::cuda_error);
}

TEST_CASE("arrays of more than 2^31 entries") {
  std::size_t free = 0, total = 0;
  device::succeed(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (free < 30ull << 30) {
    MESSAGE("skipped: needs 30 GiB of device memory");
    return;
  }
  using T = __nv_bfloat16;
  device::sizes const n{1, (index_t(1) << 20) + 40, 16, 128, 128, 0};
  dice roll(71);
  std::size_t const period = (1u << 22) + 24, entries = static_cast<std::size_t>(n.tokens()) * 128;
  std::vector<T> some(period);
  for (T& x : some) x = stored<T>(roll.uniform(-1, 1));
  buffer<T> q(entries), o(entries), alone(static_cast<std::size_t>(n.time) * 128);
  buffer<T> const cycle(some);
  for (std::size_t at = 0; at < entries; at += period)
    device::succeed(cudaMemcpy(q.data() + at, cycle.data(), std::min(period, entries - at) * 2, cudaMemcpyDeviceToDevice), "cudaMemcpy");
  std::vector<float> gains(static_cast<std::size_t>(n.tokens()), 0.5f);
  buffer<float> size(gains), forget(gains), state(static_cast<std::size_t>(n.units()) * 128 * 128);
  device::call<T> c;
  c.q = c.k = c.v = device::dense(static_cast<T const*>(q.data()), n, 128);
  c.o = device::dense(o.data(), n, 128);
  c.size = c.forget = device::dense(static_cast<float const*>(size.data()), n, 1);
  c.exit.state = state.data();
  for (form const f : {form::recurrent, form::chunk}) {
    options const choices = how(f);
    workspace room(device::workspace_bytes<T>(falcon_1, choices, n));
    c.workspace = room.data();
    c.workspace_bytes = room.size();
    device::attend<T>(falcon_1, choices, n, c, nullptr);
    device::sizes last = n;  // the last head by itself, through the same array
    last.heads = 1;
    device::call<T> one = c;
    for (auto* r : {&one.q, &one.k, &one.v}) r->data += 15 * 128;
    one.size.data += 15;
    one.forget.data += 15;
    one.o = device::dense(alone.data(), last, 128);
    one.exit = {};
    device::attend<T>(falcon_1, choices, last, one, nullptr);
    device::succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::vector<T> got(128), want(128);
    for (index_t const t : {index_t(1), n.time / 2, n.time - 1}) {
      device::succeed(cudaMemcpy(got.data(), o.data() + (t * 16 + 15) * 128, 256, cudaMemcpyDeviceToHost), "cudaMemcpy");
      device::succeed(cudaMemcpy(want.data(), alone.data() + t * 128, 256, cudaMemcpyDeviceToHost), "cudaMemcpy");
      CHECK_EQ(std::memcmp(got.data(), want.data(), 256), 0);
      CHECK(std::isfinite(number(got[0])));
    }
  }
}

}  // namespace
}  // namespace fwa::test
