// SPDX-License-Identifier: Apache-2.0
// reference/naive.hpp — the whole map in plain loops: tokens and options in, readings and a memory out. Never optimised.
//
//   x_t = φ(k_{t−1}) or φ(k_t)      D_t = E_t + λ_t + ε      η_t = β_t / D_t      γ_t = max(1 − η_tλ_t, ε_γ)
//   S_t = γ_t S_{t−1} + (η_t / B_t) Σ_{j∈I_t} x_j (y_j − ρ_t S_{t−1}ᵀ x_j)ᵀ        o_t = S_tᵀφ(q_t) or S_{t−1}ᵀφ(q_t)
//
//   q, k (T, d)   v (T, dv)   size, forget: β (T, 1) or (T, dv) and λ (T, 1); or η and γ where the rule takes them as given
//
// A second writing of the mathematics, to judge the first by: it shares options, rules and the memory's shape with the rest of the
// library, and no arithmetic. One token at a time, one number at a time, the window kept as a list of pairs, λ_max of the window's
// second moment by Eigen's symmetric solver. Nothing is checked: what the library refuses has no meaning here.
#pragma once

#include "../form/memory.hpp"
#include "../matrix.hpp"
#include "../options.hpp"
#include "../rule/rule.hpp"
#include "../scalar.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <deque>
#include <utility>
#include <vector>

namespace fwa::reference {

template <class S>
using numbers = std::vector<S>;

/// A feature and the value that is written under it.
template <class S>
struct written {
  numbers<S> x, y;
};

template <class S>
struct account {
  mat<S> o;               ///< (T, dv)
  mat<S> eta, gamma;      ///< (T, 1) or (T, dv)
  mat<bool> clamped;      ///< where the decay floor acted
  mat<S> lambda;          ///< (T, 1)
  fwa::memory<S> memory;  ///< continues the sequence
};

template <class S>
[[nodiscard]] numbers<S> row_of(mat<S> const& m, index_t t) {
  numbers<S> out;
  for (index_t j = 0; j < m.cols(); ++j) out.push_back(m(t, j));
  return out;
}

template <class S>
[[nodiscard]] S inner(numbers<S> const& a, numbers<S> const& b) {
  S sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// φ(u).
template <real S>
[[nodiscard]] numbers<S> feature_of(feature phi, double epsilon, numbers<S> u) {
  using std::exp;
  using std::sqrt;
  S const energy = inner(u, u), mean = energy / S(static_cast<int>(u.size()));
  for (S& c : u) {
    if (phi == feature::rms_norm && energy != S(0)) c /= sqrt(S(mean + S(epsilon)));
    if (phi == feature::l2_norm && energy != S(0)) c /= sqrt(S(energy + S(epsilon)));
    if (phi == feature::relu && c < S(0)) c = S(0);
    if (phi == feature::elu_plus_one) c = S(0) < c ? S(c + S(1)) : S(exp(c));
  }
  return u;
}

/// E_t of a window.
template <real S>
[[nodiscard]] S energy_of(residual rho, std::deque<written<S>> const& window) {
  if (window.empty()) return S(0);
  S const n(static_cast<int>(window.size()));
  if (rho == residual::zero || window.size() == 1) {
    S sum(0);
    for (written<S> const& p : window) sum += inner(p.x, p.x);
    return sum / n;
  }
  index_t const dx = static_cast<index_t>(window.front().x.size());
  mat<S> second(dx, dx);  // (1/n) Σ x xᵀ
  for (index_t i = 0; i < dx; ++i)
    for (index_t j = 0; j < dx; ++j) {
      second(i, j) = S(0);
      for (written<S> const& p : window) second(i, j) += p.x[static_cast<std::size_t>(i)] * p.x[static_cast<std::size_t>(j)] / n;
    }
  return Eigen::SelfAdjointEigenSolver<mat<S>>(second, Eigen::EigenvaluesOnly).eigenvalues()(dx - 1);
}

/// The whole sequence, token by token.
template <real S>
[[nodiscard]] account<S> naive(rule const& r, mat<S> const& q, mat<S> const& k, mat<S> const& v, mat<S> const& size, mat<S> const& forget,
                               options const& o, fwa::memory<S> const& entry = {}) {
  index_t const count = q.rows(), dx = q.cols(), dv = v.cols(), columns = size.cols();
  bool const shifted = o.pairing.value_or(r.pairing) == pairing::shifted, given = r.law == step_law::given;
  S const epsilon(o.epsilon), floor(o.epsilon_gamma);
  auto at = [](index_t i) { return static_cast<std::size_t>(i); };

  mat<S> state(dx, dv);
  numbers<S> z;
  for (index_t i = 0; i < dx; ++i) {
    for (index_t j = 0; j < dv; ++j) state(i, j) = entry.S.size() == 0 ? S(0) : entry.S(i, j);
    z.push_back(entry.z ? (*entry.z)(i) : S(0));
  }
  std::deque<written<S>> window;
  for (index_t i = 0; i < entry.tail_x.rows(); ++i) window.push_back({row_of<S>(entry.tail_x, i), row_of<S>(entry.tail_y, i)});
  bool fresh = !entry.last_feature;
  numbers<S> last = fresh ? numbers<S>(at(dx), S(0)) : row_of<S>(*entry.last_feature, 0);

  account<S> out{mat<S>(count, dv), mat<S>(count, columns), mat<S>(count, columns), mat<bool>(count, columns), mat<S>(count, 1), {}};
  auto read = [&](index_t t, numbers<S> const& seen) {
    S zq = inner(z, seen);
    if (o.normalized_read) zq += o.denominator == denominator::sign_stable && zq < S(0) ? S(-*o.normalized_read) : S(*o.normalized_read);
    for (index_t j = 0; j < dv; ++j) {
      S sum(0);
      for (index_t i = 0; i < dx; ++i) sum += state(i, j) * seen[at(i)];
      out.o(t, j) = o.normalized_read ? S(sum / zq) : sum;
    }
  };

  for (index_t t = 0; t < count; ++t) {
    numbers<S> const seen = feature_of<S>(o.feature, o.feature_epsilon, row_of<S>(q, t));
    numbers<S> const key = feature_of<S>(o.feature, o.feature_epsilon, row_of<S>(k, t));
    numbers<S> const value = feature_of<S>(o.value_norm ? feature::rms_norm : feature::identity, o.feature_epsilon, row_of<S>(v, t));
    if (o.timing == timing::read_before_write) read(t, seen);

    bool const nothing = shifted && fresh;  // the boundary sentinel
    if (!nothing) window.push_back({shifted ? last : key, value});
    if (static_cast<index_t>(window.size()) > o.window) window.pop_front();

    S const E = given || nothing ? S(0) : energy_of<S>(r.rho, window);
    S const lambda = given || nothing ? S(0) : o.ridge == ridge::absolute ? forget(t, 0) : S(forget(t, 0) * E);
    S const D = E + lambda + epsilon;
    out.lambda(t, 0) = lambda;
    for (index_t j = 0; j < columns; ++j) {
      S eta = given ? size(t, j) : D == S(0) ? S(0) : S(size(t, j) / D), gamma = given ? forget(t, j) : S(S(1) - eta * lambda);
      out.clamped(t, j) = !given && !nothing && o.clamp && gamma <= floor;
      if (out.clamped(t, j)) gamma = floor;
      out.eta(t, j) = nothing ? S(0) : eta;
      out.gamma(t, j) = nothing ? S(1) : gamma;
    }

    if (!nothing) {
      mat<S> next(dx, dv);
      S const n(static_cast<int>(window.size()));
      for (index_t j = 0; j < dv; ++j) {
        index_t const column = columns == 1 ? 0 : j;
        S const eta = out.eta(t, column), gamma = out.gamma(t, column);
        S const rho = r.rho == residual::zero ? S(0) : r.rho == residual::one ? S(1) : gamma;
        for (index_t i = 0; i < dx; ++i) next(i, j) = gamma * state(i, j);
        for (written<S> const& p : window) {
          S prediction(0);
          for (index_t i = 0; i < dx; ++i) prediction += state(i, j) * p.x[at(i)];
          S const left = p.y[at(j)] - rho * prediction;
          for (index_t i = 0; i < dx; ++i) next(i, j) += eta / n * p.x[at(i)] * left;
        }
      }
      for (index_t i = 0; i < dx; ++i) {
        z[at(i)] *= out.gamma(t, 0);
        for (written<S> const& p : window) z[at(i)] += out.eta(t, 0) / n * p.x[at(i)];
      }
      state = next;
    }
    last = key;
    fresh = false;
    if (o.timing == timing::read_after_write) read(t, seen);
  }

  auto as_row = [&](numbers<S> const& a) {
    row<S> m(static_cast<index_t>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) m(static_cast<index_t>(i)) = a[i];
    return m;
  };
  while (!window.empty() && static_cast<index_t>(window.size()) >= o.window) window.pop_front();
  out.memory.S = state;
  if (!fresh) out.memory.last_feature = as_row(last);
  if (o.normalized_read) out.memory.z = as_row(z);
  out.memory.tail_x.resize(static_cast<index_t>(window.size()), dx);
  out.memory.tail_y.resize(static_cast<index_t>(window.size()), dv);
  for (std::size_t i = 0; i < window.size(); ++i) {
    out.memory.tail_x.row(static_cast<index_t>(i)) = as_row(window[i].x);
    out.memory.tail_y.row(static_cast<index_t>(i)) = as_row(window[i].y);
  }
  return out;
}

}  // namespace fwa::reference
