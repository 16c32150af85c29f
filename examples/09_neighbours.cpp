// SPDX-License-Identifier: Apache-2.0
// Published rules are points of the same equation, and so is one that nobody has named: a rule is a value, not code.
//
//   S_t = γ_t S_{t−1} + w_t x_t (y_t − ρ_t S_{t−1}ᵀx_t)ᵀ        ρ = 0 linear attention, 1 DeltaNet, γ_t gated DeltaNet
#include <fwa/fwa.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

using fwa::mat;

// Delta steps with a gate, one a value column, over a window of next-latent pairs; η and γ as given.
constexpr fwa::rule my_rule = {.name = "my-rule",
                               .rho = fwa::residual::gamma,
                               .per_column = true,
                               .windowed = true,
                               .law = fwa::step_law::given,
                               .pairing = fwa::pairing::shifted};

int main() {
  fwa::index_t const T = 100, d = 8, dv = 4;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  auto random = [&](fwa::index_t cols) -> mat<double> { return mat<double>::NullaryExpr(T, cols, [&] { return normal(generator); }); };
  mat<double> const q = random(d), k = random(d).rowwise().normalized(), v = random(dv);
  mat<double> const b = mat<double>::NullaryExpr(T, 1, [&] { return uniform(generator); });
  mat<double> const g = mat<double>::NullaryExpr(T, 1, [&] { return 0.5 + uniform(generator) / 2; });
  mat<double> const one = mat<double>::Constant(T, 1, 1.0);
  auto read = [&](fwa::rule const& r, mat<double> const& eta, mat<double> const& gamma, fwa::form form, mat<double> const& values) {
    fwa::options o;
    o.form = form;
    o.window = r.windowed ? 3 : 1;
    return fwa::attend(r, fwa::tokens<double>{q, k, values, fwa::steps<double>(eta, gamma)}, o).o;
  };
  double most = 0;
  auto show = [&most](char const* what, double difference) {
    std::printf("%-56s %.1e\n", what, difference);
    most = std::max(most, difference);
  };

  mat<double> const deltanet = read(fwa::delta_net, b, one, fwa::form::chunk, v);
  mat<double> S = mat<double>::Zero(d, dv), byhand(T, dv);
  for (fwa::index_t t = 0; t < T; ++t) {
    S += b(t, 0) * k.row(t).transpose() * (v.row(t) - k.row(t) * S).eval();
    byhand.row(t) = q.row(t) * S;
  }
  show("DeltaNet, chunked, against a loop", (deltanet - byhand).norm());
  show("gated DeltaNet with g = 1 against DeltaNet", (read(fwa::gated_delta_net, b, one, fwa::form::chunk, v) - deltanet).norm());
  // γ S + γ b x (v/γ − Sᵀx)ᵀ = γ S + b x (v − γ Sᵀx)ᵀ: the gate before the residual is a larger target after it
  mat<double> const larger = g.cwiseInverse().asDiagonal() * v;
  mat<double> const gated = read(fwa::gated_delta_net, b, g, fwa::form::chunk, v);
  show("gated DeltaNet against the delta rule with v / g",
       (gated - read(fwa::delta_net, g.cwiseProduct(b), g, fwa::form::chunk, larger)).norm());
  mat<double> const eta = b.replicate(1, dv), gamma = g.replicate(1, dv);
  show("my rule, chunked, against its recurrent form",
       (read(my_rule, eta, gamma, fwa::form::chunk, v) - read(my_rule, eta, gamma, fwa::form::recurrent, v)).norm());
  return most < 1e-11 ? 0 : 1;
}
