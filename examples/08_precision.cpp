// SPDX-License-Identifier: Apache-2.0
// One template, several scalars: how far 16, 32 and 64 bits drift from 50 decimal digits, in units of the rounding of what is
// summed. Tokens of 16 bits are summed in float, so their own rounding shows once and does not grow.
#include <fwa/fwa.hpp>
#include <fwa/number/digits.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <random>

namespace {

fwa::index_t const T = 256, d = 16, dv = 4;

template <class Stored>
fwa::mat<fwa::digits_50> read(fwa::mat<double> const& k, fwa::mat<double> const& v) {
  using S = fwa::accumulator_t<Stored>;
  fwa::mat<Stored> const keys = k.cast<T_>(), values = v.cast<T_>();
  fwa::mat<S> const beta = fwa::mat<S>::Constant(T, 1, S(0.5)), lambda = fwa::mat<S>::Constant(T, 1, S(0.25));
  auto const out = fwa::attend(fwa::falcon_1, fwa::tokens<Stored>{keys, keys, values, fwa::gains<S>(beta, lambda)});
  return out.o.template cast<S>().template cast<fwa::digits_50>();
}

double farthest(fwa::mat<fwa::digits_50> const& a, fwa::mat<fwa::digits_50> const& b) {
  double most = 0;
  for (fwa::index_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(static_cast<double>(a.data()[i] - b.data()[i])));
  return most;
}

}  // namespace

int main() {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  // Numbers of 8 bits, so that every scalar starts from the same keys and values.
  auto random = [&](fwa::index_t cols) -> fwa::mat<double> {
    return fwa::mat<double>::NullaryExpr(T, cols, [&] { return double(static_cast<float>(Eigen::bfloat16(float(normal(generator))))); });
  };
  fwa::mat<double> const k = random(d), v = random(dv);
  fwa::mat<fwa::digits_50> const exact = read<fwa::digits_50>(k, v);
  double const u16 = 1.0 / 256, u32 = std::numeric_limits<float>::epsilon() / 2, u64 = std::numeric_limits<double>::epsilon() / 2;
  double const e16 = farthest(read<Eigen::bfloat16>(k, v), exact), e32 = farthest(read<float>(k, v), exact);
  double const e64 = farthest(read<double>(k, v), exact);
  std::printf("scalar      max |o - exact|   in units of u\n");
  std::printf("bfloat16    %15.1e   %13.1f\nfloat       %15.1e   %13.1f\ndouble      %15.1e   %13.1f\n", e16, e16 / u16, e32, e32 / u32,
              e64, e64 / u64);
  return e16 < 4 * u16 && e32 < 64 * u32 && e64 < 64 * u64 ? 0 : 1;
}
