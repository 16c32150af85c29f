// SPDX-License-Identifier: Apache-2.0
// The kernels made for Hopper against the host's recurrence in double of the same bf16 numbers; elsewhere the portable ones run, and pass.
// They round T, W, U, N, R and S to bf16, 2^-9 each, so outputs and states are held to 2^-8 of their norms.
#include "on_device.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <cstring>
#include <iostream>

namespace fwa::test {
namespace {

using T = __nv_bfloat16;

TEST_CASE("scalar rules in chunks of 64 tokens of 128 entries") {
  double most = 0;
  std::uint64_t seed = 500;
  for (rule const& r : {falcon_1, falcon_1a, delta_net, gated_delta_net, linear_attention, retnet})
    for (index_t const time : {1, 63, 64, 65, 200, 577})
      for (timing const when : {timing::read_after_write, timing::read_before_write})
        for (pairing const pair : {pairing::shifted, pairing::same_step}) {
          options o = how(form::chunk);
          o.timing = when;
          o.pairing = pair;
          double const error = compare(some_heads<T>(r, {2, time, 3, 128, 128, 0}, ++seed), o, true);
          CAPTURE(r.name);
          CAPTURE(time);
          CHECK_LE(error, 0x1p-8);
          most = std::max(most, error);
        }
  std::cout << "Hopper, scalar rules: largest error " << most << '\n';
}

TEST_CASE("half the value columns a block, or all of them") {
  CHECK_LE(compare(some_heads<T>(falcon_1, {1, 300, 5, 128, 128, 0}, 601), how(form::chunk), true), 0x1p-8);
  CHECK_LE(compare(some_heads<T>(falcon_1, {10, 130, 16, 128, 128, 0}, 602), how(form::chunk), true), 0x1p-8);
}

TEST_CASE("strong decay, the clamp at every step, repeated keys with gains near 2") {
  options const o = how(form::chunk);
  for (rule const& r : {falcon_1, falcon_1a}) {
    CHECK_LE(compare(some_heads<T>(r, {1, 200, 2, 128, 128, 0}, 611, 1e9), o, true), 0x1p-8);
    CHECK_LE(compare(some_heads<T>(r, {1, 200, 2, 128, 128, 0}, 612, 40), o, true), 0x1p-8);
    heads<T> same = some_heads<T>(r, {1, 200, 2, 128, 128, 0}, 613, 0.0);
    for (std::size_t i = 0; i < same.k.size(); ++i) same.k[i] = same.k[i % 256];
    for (float& beta : same.size) beta = 1.999f;
    CHECK_LE(compare(same, o, true), 0x1p-6);  // the writes of 200 tokens add up along one key
  }
}

TEST_CASE("an entry state, and the same call gives the same bits") {
  options const o = how(form::chunk);
  heads<T> const in = some_heads<T>(falcon_1, {2, 300, 16, 128, 128, 0}, 621);
  kept<float> memory(in.n, 1, false), other(in.n, 1, false);
  found<T> const first = on_device(in, o, &memory);
  auto const state = memory.state.get();
  for (int again = 0; again < 100; ++again) {
    found<T> const next = on_device(in, o, &other);
    REQUIRE_EQ(std::memcmp(first.o.data(), next.o.data(), first.o.size() * 2), 0);
    REQUIRE(state == other.state.get());
  }
  found<T> const portable = on_device(in, o, &other, false, 0, -1, device::kernels::portable);
  CHECK_LE(error_of(matrix_at(first.o, 0, 1, static_cast<index_t>(first.o.size())),
                    matrix_at(portable.o, 0, 1, static_cast<index_t>(portable.o.size()))),
           0x1p-7);
}

}  // namespace
}  // namespace fwa::test
