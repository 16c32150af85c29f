// SPDX-License-Identifier: Apache-2.0
// From gain and ridge to step size and decay.
//
//   D = E + λ + ε      η = β / D      γ = max(1 − ηλ, ε_γ)      λ̂ = (1 − γ) / η, the ridge that was really applied
//
// One key of energy E = ‖x‖² = 4 throughout; the last rows ask for more decay than the floor allows.
#include <fwa/fwa.hpp>

#include <cmath>
#include <cstdio>

int main() {
  struct {
    double beta, lambda;
  } const asked[] = {{1.0, 0}, {0.5, 0}, {1.0, 4}, {0.5, 4}, {0, 4}, {1.5, 12}, {1.9, 8}, {1.9, 1000}};
  fwa::index_t const T = std::size(asked);
  fwa::mat<double> k(T, 2), beta(T, 1), lambda(T, 1), v = fwa::mat<double>::Constant(T, 1, 1.0);
  for (fwa::index_t t = 0; t < T; ++t) {
    k.row(t) << 2 * std::cos(double(t)), 2 * std::sin(double(t));
    beta(t, 0) = asked[t].beta;
    lambda(t, 0) = asked[t].lambda;
  }
  fwa::options o;
  o.pairing = fwa::pairing::same_step;
  o.epsilon_gamma = 0.01;
  auto const out = fwa::attend(fwa::falcon_1, fwa::tokens<double>{k, k, v, fwa::gains<double>(beta, lambda)}, o);

  bool right = true;
  std::printf("  beta   lambda      eta      gamma  clamped  effective ridge\n");
  for (fwa::index_t t = 0; t < T; ++t) {
    double const eta = out.eta(t, 0), gamma = out.gamma(t, 0), ridge = eta > 0 ? (1 - gamma) / eta : 0, raw = 1 - eta * lambda(t, 0);
    std::printf("%6.2f %8.1f %8.5f %10.5f  %7s  %15.3f\n", beta(t, 0), lambda(t, 0), eta, gamma, out.clamped(t, 0) ? "yes" : "", ridge);
    right = right && out.clamped(t, 0) == (raw <= o.epsilon_gamma) && std::abs(gamma - std::fmax(raw, o.epsilon_gamma)) < 1e-14;
    right = right && ridge <= lambda(t, 0) * (1 + 1e-14);
  }
  return right ? 0 : 1;
}
