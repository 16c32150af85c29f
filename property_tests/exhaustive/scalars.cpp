// SPDX-License-Identifier: Apache-2.0
// scalars — the scalar maps of a step for every input that a format has. Prints "exhaustive max" for each; ends with status 1 where a claim
// does not hold.
//
//   every binary32 α in [0, 1):   1 − α through carry;   log1p(−α) and exp of it, by which form/paper/ carries decays
//   every pair (β, λ), β in [0, 2) and λ ≥ 0 finite, of half and of bfloat16, four energies each:   step_size, carry, clamp_acts
//
// Not covered: pairs of binary32 or binary64; energies between those four, ε > 0; exp at arguments that no log1p(−α) is.
#include <fwa/number/digits.hpp>
#include <fwa/step/gain.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <thread>
#include <vector>

namespace {

using namespace fwa;

constexpr double u = 0x1p-24;  // unit roundoff of binary32, in which 16-bit formats are summed too

int failures = 0;
void claim(bool holds, char const* what) {
  if (holds) return;
  std::printf("DOES NOT HOLD: %s\n", what);
  ++failures;
}

/// Splits [0, count) over the threads; join(a, b) adds b's findings to a's.
template <class Found, class F>
Found over(std::uint64_t count, F&& f) {
  std::uint64_t const parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Found> found(parts);
  std::vector<std::thread> threads;
  for (std::uint64_t p = 0; p < parts; ++p) threads.emplace_back([&, p] { f(count * p / parts, count * (p + 1) / parts, found[p]); });
  for (std::thread& t : threads) t.join();
  for (std::uint64_t p = 1; p < parts; ++p) found[0].add(found[p]);
  return found[0];
}

struct worst {
  double error = 0;  // in u
  float at = 0;

  void see(double e, float x) {
    if (!(e <= error) && !std::isnan(error)) error = e, at = x;  // NaN is worse than any number
  }
  void add(worst const& o) { see(o.error, o.at); }
};

struct decays {
  worst carry, by_log, over_bound;
  std::uint64_t rises = 0, outside = 0;

  void add(decays const& o) {
    carry.add(o.carry);
    by_log.add(o.by_log);
    over_bound.add(o.over_bound);
    rises += o.rises, outside += o.outside;
  }
};

struct one_decay {
  float carry, log, by_log;
};

one_decay decay_at(float alpha) {
  float const log = std::log1p(-alpha);
  return {carry<float>(alpha, 0, 1, 0, 1, step_size<float>(alpha, 1)), log, std::exp(log)};
}

void every_alpha() {
  constexpr std::uint64_t count = std::bit_cast<std::uint32_t>(1.0f);
  auto const found = over<decays>(count, [](std::uint64_t first, std::uint64_t last, decays& f) {
    one_decay before = first == 0 ? one_decay{1, 0, 1} : decay_at(std::bit_cast<float>(static_cast<std::uint32_t>(first - 1)));
    for (std::uint64_t bits = first; bits < last; ++bits) {
      float const alpha = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      one_decay const d = decay_at(alpha);
      double const exact = 1 - static_cast<double>(alpha);
      f.rises += d.carry > before.carry || d.log > before.log || d.by_log > before.by_log;
      f.outside += !(d.carry > 0 && d.carry <= 1 && d.log <= 0 && d.by_log > 0 && d.by_log <= 1);
      f.carry.see(std::abs(static_cast<double>(d.carry) - exact) / exact / u, alpha);
      double const error = std::abs(static_cast<double>(d.by_log) - exact) / exact / u;
      f.by_log.see(error, alpha);
      f.over_bound.see(error / (2 - 2 * static_cast<double>(d.log)), alpha);
      before = d;
    }
  });
  auto in_50_digits = [](worst const& w, float got) {
    digits_50 const exact = 1 - digits_50(w.at);
    return static_cast<double>(digits_50(abs(digits_50(got) - exact) / exact)) / u;
  };
  std::printf("binary32 alpha in [0, 1): %llu inputs\n", static_cast<unsigned long long>(count));
  std::printf("  carry: exhaustive max %.4f u at %a\n", in_50_digits(found.carry, decay_at(found.carry.at).carry),
              static_cast<double>(found.carry.at));
  std::printf("  exp(log1p(-alpha)): exhaustive max %.4f u at %a; of (2 + 2 |log gamma|) u at most %.4f\n",
              in_50_digits(found.by_log, decay_at(found.by_log.at).by_log), static_cast<double>(found.by_log.at), found.over_bound.error);
  claim(found.rises == 0, "carry, log1p(-alpha) and its exp never rise with alpha");
  claim(found.outside == 0, "decays lie in (0, 1], logarithms are not positive");
  claim(found.carry.error <= 1.0001, "the carry of one product is correctly rounded but for the ties of double");
  claim(found.over_bound.error <= 1, "exp(log1p(-alpha)) is within (2 + 2 |log gamma|) u");
}

struct steps {
  worst eta, stable, plain;
  std::uint64_t clamped = 0, overflow = 0, underflow = 0, outside = 0;

  void add(steps const& o) {
    eta.add(o.eta);
    stable.add(o.stable);
    plain.add(o.plain);
    clamped += o.clamped, overflow += o.overflow, underflow += o.underflow, outside += o.outside;
  }
};

template <class Narrow>
void every_pair(char const* name) {
  constexpr float floor = 1e-6f;
  auto at = [](std::uint64_t bits) { return static_cast<float>(Eigen::numext::bit_cast<Narrow>(static_cast<std::uint16_t>(bits))); };
  std::uint64_t gains = 0, ridges = 0;
  while (at(gains) < 2) ++gains;
  while (std::isfinite(at(ridges))) ++ridges;
  std::uint64_t total = 0;
  steps all;
  for (float E : {0.0f, 0x1p-10f, 1.0f, 100.0f}) {
    all.add(over<steps>(gains, [&](std::uint64_t first, std::uint64_t last, steps& f) {
      for (std::uint64_t b = first; b < last; ++b)
        for (std::uint64_t l = 0; l < ridges; ++l) {
          float const beta = at(b), lambda = at(l), D = E + lambda + 0.0f;
          double const sum = static_cast<double>(E) + static_cast<double>(lambda), gain = static_cast<double>(beta);
          double const step = sum == 0 ? 0 : gain / sum, alpha = step * static_cast<double>(lambda);
          float const eta = step_size(beta, D), raw = carry(beta, E, lambda, 0.0f, D, eta);
          if (step > static_cast<double>(std::numeric_limits<float>::max())) {  // a reader refuses it
            ++f.overflow;
            f.outside += std::isfinite(eta);
            continue;
          }
          bool const acts = clamp_acts(raw, floor);
          float const gamma = acts ? floor : raw;
          f.clamped += acts;
          f.outside += !(eta >= 0 && std::isfinite(eta) && raw >= -1 && raw <= 1 && gamma >= floor && gamma <= 1 && acts == (raw <= floor));
          double const rest = (1 - gain) * static_cast<double>(lambda);
          auto subnormal = [](double x) { return x != 0 && std::abs(x) < static_cast<double>(std::numeric_limits<float>::min()); };
          double const kept = sum == 0 ? 1 : (static_cast<double>(E) + rest) / sum;  // γ for β ≤ 1
          if (subnormal(step) || subnormal(alpha) || subnormal(rest) || (beta <= 1 && subnormal(kept))) {
            ++f.underflow;
            continue;
          }
          if (step != 0) f.eta.see(std::abs(static_cast<double>(eta) - step) / step / u, beta);
          if (beta > 1)
            f.plain.see(std::abs(static_cast<double>(raw) - (1 - alpha)) / u / (std::abs(1 - alpha) + 4 * alpha), beta);
          else if (kept != 0)
            f.stable.see(std::abs(static_cast<double>(raw) - kept) / kept / u, beta);
        }
    }));
    total += gains * ridges;
  }
  std::printf(
      "%s (beta, lambda), E in {0, 2^-10, 1, 100}: %llu inputs, the clamp acts at %llu; at %llu eta overflows, at %llu eta, eta lambda, "
      "gamma or "
      "(1 - beta) lambda is "
      "subnormal and no error is claimed\n",
      name, static_cast<unsigned long long>(total), static_cast<unsigned long long>(all.clamped),
      static_cast<unsigned long long>(all.overflow), static_cast<unsigned long long>(all.underflow));
  std::printf("  eta: exhaustive max %.4f u; gamma, beta <= 1: %.4f u; beta > 1: %.4f of u |gamma| + 4 u alpha\n", all.eta.error,
              all.stable.error, all.plain.error);
  claim(all.outside == 0,
        "steps are finite and not negative unless they overflow, carries lie in [-1, 1], clamped ones in [floor, 1], and a tie clamps");
  claim(all.eta.error <= 3.0001, "eta is within 3 u");
  claim(all.stable.error <= 6.0001, "gamma is within 6 u for beta <= 1");
  claim(all.plain.error <= 1.0001, "gamma is within u |gamma| + 4 u alpha for beta > 1");
}

}  // namespace

int main() {
  every_alpha();
  every_pair<Eigen::half>("half");
  every_pair<Eigen::bfloat16>("bfloat16");
  std::printf(failures == 0 ? "all claims hold\n" : "%d claims do not hold\n", failures);
  return failures == 0 ? 0 : 1;
}
