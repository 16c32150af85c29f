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

fwa::index_t const T = 256, d = 16, dv = 4;

template <class S>
fwa::mat<S> read(fwa::mat<double> const& k, fwa::mat<double> const& v) {
  fwa::mat<S> const keys = k.cast<S>(), values = v.cast<S>();
  fwa::mat<S> const beta = fwa::mat<S>::Constant(T, 1, S(0.5)), lambda = fwa::mat<S>::Constant(T, 1, S(0.25));
  fwa::pairs<S> const p = fwa::align<S>(keys, values, fwa::pairing::shifted);
  fwa::plan<S> const plan = fwa::make_plan<S>(fwa::falcon_1.rho, p, fwa::gains<S>(beta, lambda), {});
  fwa::mat<S> const S_0 = fwa::mat<S>::Constant(d, dv, S(0));
  return fwa::recurrent<S>(keys, p, plan.schedule, fwa::timing::read_after_write, S_0).o;
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
  double const f32 = error(read<float>(k, v), exact), f64 = error(read<double>(k, v), exact);
  std::printf("largest error of an output, in units of u: float %.1f, double %.1f\n", f32, f64);
  return f32 < 64 && f64 < 64 ? 0 : 1;
}
