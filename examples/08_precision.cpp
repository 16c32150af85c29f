// SPDX-License-Identifier: Apache-2.0
// One template, any scalar: how far float and double are from 50 decimal digits, in units of their own rounding u.
//
// Below the front door: align makes pairs, make_plan the schedule, a form the outputs; each over the scalar that is asked for.
#include <fwa/fwa.hpp>
#include <fwa/number/digits.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <random>

namespace {

fwa::index_t const T = 256, d = 16, dv = 4, C = 64;

template <class S>
struct outputs {
  fwa::mat<S> recurrent, chunked;
};

template <class S>
outputs<S> read(fwa::mat<double> const& k, fwa::mat<double> const& v) {
  fwa::mat<S> const keys = k.cast<S>(), values = v.cast<S>(), zero = fwa::mat<S>::Constant(d, dv, S(0));
  fwa::mat<S> const beta = fwa::mat<S>::Constant(T, 1, S(0.5)), lambda = fwa::mat<S>::Constant(T, 1, S(0.25));
  fwa::pairs<S> const p = fwa::align<S>(keys, values, fwa::pairing::shifted);
  fwa::schedule<S> const plan = fwa::make_plan<S>(fwa::falcon_1.rho, p, fwa::gains<S>(beta, lambda), {}).schedule;
  auto const raw = fwa::timing::read_after_write;
  return {fwa::recurrent<S>(keys, p, plan, raw, zero).o, fwa::chunked<S>(keys, p, plan, raw, C, zero).o};
}

/// max |got − exact| in units of u.
template <class S>
double error(fwa::mat<S> const& got, fwa::mat<fwa::digits_50> const& exact) {
  fwa::digits_50 most = 0;
  for (fwa::index_t i = 0; i < exact.size(); ++i)
    most = std::max<fwa::digits_50>(most, abs(fwa::digits_50(got.data()[i]) - exact.data()[i]));
  return static_cast<double>(most / (std::numeric_limits<S>::epsilon() / 2));
}

}  // namespace

int main() {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;  // float numbers, so that every scalar starts from the same ones
  auto random = [&](fwa::index_t cols) -> fwa::mat<double> {
    return fwa::mat<double>::NullaryExpr(T, cols, [&] { return double(normal(generator)); });
  };
  fwa::mat<double> const k = random(d), v = random(dv);
  auto const exact = read<fwa::digits_50>(k, v);
  auto const f32 = read<float>(k, v);
  auto const f64 = read<double>(k, v);
  double const found[] = {error(f32.recurrent, exact.recurrent), error(f32.chunked, exact.recurrent), error(f64.recurrent, exact.recurrent),
                          error(f64.chunked, exact.recurrent), error(exact.chunked, exact.recurrent)};
  std::printf("error in units of u     recurrent   chunked\n  float               %11.1f %9.1f\n", found[0], found[1]);
  std::printf("  double              %11.1f %9.1f\n  50 digits                       %9.1f\n", found[2], found[3], found[4]);
  return std::ranges::all_of(found, [](double e) { return e < 64; }) ? 0 : 1;  // false for NaN
}
