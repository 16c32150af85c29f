// SPDX-License-Identifier: Apache-2.0
// scalars — the scalar maps of a step for every input that a format has. Prints "exhaustive max" for each and what is not covered; ends
// with status 1 where a claim does not hold.
//
//   every binary32 γ in (0, 2)                 log γ and exp of it, the decay of one token as form/paper/ carries it by logarithms
//   every binary32 β in [0, 2), two (E, λ, ε)  step_size, carry; clamp_acts at two floors
//   every pair (β, λ), β in [0, 2), λ ≥ 0 finite, of half and of bfloat16, four E                the same
//
// The ruler is double, whose own errors are below 2^-25 u, its log and exp taken as within a unit in the last place; the largest error of
// log is measured once more in 50 digits. Where double does not tell on which side of a floor a carry lies, fractions do.
#include <fwa/form/paper/renormalise.hpp>
#include <fwa/number/digits.hpp>
#include <fwa/number/rational.hpp>
#include <fwa/step/gain.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
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
constexpr double least_normal = std::numeric_limits<float>::min();

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

float binary32(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
constexpr std::uint64_t below_two = std::bit_cast<std::uint32_t>(2.0f);

struct logarithms {
  worst log, exp, both, over_bound;
  std::uint64_t falls = 0, outside = 0;

  void add(logarithms const& o) {
    log.add(o.log);
    exp.add(o.exp);
    both.add(o.both);
    over_bound.add(o.over_bound);
    falls += o.falls, outside += o.outside;
  }
};

/// c of one token, as many tokens at a time as γ has columns.
row<float> decays_of(row<float> const& gamma) {
  schedule<float> plan;
  plan.gamma = gamma;
  return paper::decays(plan, 0, 1, paper::prefix::log_space).row(1);
}

/// With log and exp within 2 u, one unit in the last place, and t = |log γ| ≤ 104: |c / γ − 1| ≤ e^{2ut} (1 + 2u) − 1 ≤ (2 + 2t) u (1 +
/// 2^-16). Where c is subnormal its last place is that of 2^-126, so errors are measured relative to max(γ, 2^-126).
void every_gamma() {
  constexpr std::uint64_t together = 4096;
  auto const found = over<logarithms>(below_two / together, [&](std::uint64_t first, std::uint64_t last, logarithms& f) {
    float log_before = -HUGE_VALF, before = 0;
    for (std::uint64_t block = first; block < last; ++block) {
      row<float> gamma(together);
      for (std::uint64_t i = 0; i < together; ++i)
        gamma(static_cast<index_t>(i)) = binary32(std::max<std::uint64_t>(1, block * together + i));
      row<float> const c = decays_of(gamma);
      for (index_t i = 0; i < gamma.size(); ++i) {
        float const log = std::log(gamma(i));
        double const g = gamma(i), exact = std::log(g), of_log = std::exp(static_cast<double>(log)), got = c(i);
        f.falls += log < log_before || c(i) < before;
        f.outside += !(c(i) > 0 && (g < 1 ? log < 0 && c(i) <= 1 : g > 1 ? log > 0 && c(i) >= 1 : log == 0 && c(i) == 1));
        if (exact != 0) f.log.see(std::abs((static_cast<double>(log) - exact) / exact) / u, gamma(i));
        f.exp.see(std::abs(got - of_log) / std::max(of_log, least_normal) / u, gamma(i));
        double const error = std::abs(got - g) / std::max(g, least_normal) / u;
        f.both.see(error, gamma(i));
        f.over_bound.see(error / (2 + 2 * std::abs(exact)), gamma(i));
        log_before = log;
        before = c(i);
      }
    }
  });
  std::printf("binary32 gamma in (0, 2): %llu inputs\n", static_cast<unsigned long long>(below_two - 1));
  digits_50 const exact = log(digits_50(found.log.at));
  std::printf("  log gamma: exhaustive max %.4f u at %a\n", static_cast<double>(digits_50(abs(std::log(found.log.at) / exact - 1))) / u,
              static_cast<double>(found.log.at));
  std::printf("  exp of it: exhaustive max %.4f u at gamma = %a\n", found.exp.error, static_cast<double>(found.exp.at));
  std::printf("  decay by logarithms: exhaustive max %.4f u at %a; of (2 + 2 |log gamma|) u at most %.4f\n", found.both.error,
              static_cast<double>(found.both.at), found.over_bound.error);
  claim(found.falls == 0, "log gamma and its exp never fall as gamma rises");
  claim(found.outside == 0, "decays are positive and on gamma's side of 1, logarithms on that of 0; both exact at 1");
  claim(found.log.error <= 2, "log is within a unit in the last place, 2 u");
  claim(found.exp.error <= 2, "exp is within a unit in the last place, 2 u");
  claim(found.over_bound.error <= 1 + 0x1p-16, "a decay by logarithms is within (2 + 2 |log gamma|) u");
}

/// All of a step but its gain, and the roundings that η and the quotient γ meet there.
struct setting {
  float E, lambda, epsilon;
  int of_eta, of_quotient;
};

constexpr std::array floors = {1e-6f, 0.5f};

struct steps {
  worst eta, stable, plain;  // plain: of its bound
  std::uint64_t overflow = 0, underflow = 0, outside = 0, rises = 0;
  struct clamp {
    std::uint64_t acts = 0, ties = 0, open = 0, wrong = 0;
  };
  std::array<clamp, floors.size()> clamps;

  void add(steps const& o) {
    eta.add(o.eta);
    stable.add(o.stable);
    plain.add(o.plain);
    overflow += o.overflow, underflow += o.underflow, outside += o.outside, rises += o.rises;
    for (std::size_t i = 0; i < floors.size(); ++i) {
      clamps[i].acts += o.clamps[i].acts, clamps[i].ties += o.clamps[i].ties;
      clamps[i].open += o.clamps[i].open, clamps[i].wrong += o.clamps[i].wrong;
    }
  }
};

double gam(int n) { return n * u / (1 - n * u); }

bool subnormal(double x) { return x != 0 && std::abs(x) < least_normal; }

/// One step.   @return γ, not clamped
float take(steps& f, float beta, setting const& s) {
  float const D = s.E + s.lambda + s.epsilon, eta = step_size(beta, D), raw = carry(beta, s.E, s.lambda, s.epsilon, D, eta);
  double const gain = beta, ridge = s.lambda, E = s.E, epsilon = s.epsilon, sum = E + ridge + epsilon, rest = (1 - gain) * ridge;
  double const size = sum == 0 ? 0 : gain / sum, alpha = size * ridge, gamma = sum == 0 ? 1 : (E + rest + epsilon) / sum;
  if (size > static_cast<double>(std::numeric_limits<float>::max())) {  // a reader refuses it
    ++f.overflow;
    f.outside += std::isfinite(eta);
    return raw;
  }
  f.outside += !(eta >= 0 && std::isfinite(eta) && raw >= -1 && raw <= 1);
  if (subnormal(size) || subnormal(alpha) || subnormal(rest) || (beta <= 1 && subnormal(gamma))) {
    ++f.underflow;
    return raw;
  }
  double const bound = beta <= 1 ? gam(s.of_quotient) * gamma : u * std::abs(gamma) + gam(s.of_eta + 1) * (1 + u) * alpha,
               error = std::abs(static_cast<double>(raw) - gamma);
  if (size != 0) f.eta.see(std::abs(static_cast<double>(eta) - size) / size / u, beta);
  if (beta > 1)
    f.plain.see(error / bound, beta);
  else if (gamma != 0)
    f.stable.see(error / gamma / u, beta);
  else
    f.outside += raw != 0;
  for (std::size_t i = 0; i < floors.size(); ++i) {
    double const floor = floors[i];
    bool const acts = clamp_acts(raw, floors[i]);
    bool below = gamma <= floor;
    f.clamps[i].acts += acts;
    f.outside += !acts && raw < floors[i];
    if (std::abs(gamma - floor) <= bound + 0x1p-48) {
      rational const over = sum == 0 ? rational(1) : rational(s.E) + rational(s.lambda) + rational(s.epsilon),
                     exact = over - rational(beta) * (sum == 0 ? rational(0) : rational(s.lambda)), at_floor = over * rational(floors[i]);
      if (over * rational(raw) != exact) {  // which side of the floor is left to rounding
        ++f.clamps[i].open;
        continue;
      }
      below = exact <= at_floor;
      f.clamps[i].ties += exact == at_floor;
    }
    f.clamps[i].wrong += acts != below;
  }
  return raw;
}

void report(steps const& f, setting const& s) {
  std::printf("  at %llu eta overflows, at %llu eta, eta lambda, gamma or (1 - beta) lambda is subnormal and no error is claimed\n",
              static_cast<unsigned long long>(f.overflow), static_cast<unsigned long long>(f.underflow));
  std::printf("  eta: exhaustive max %.4f u; gamma, beta <= 1: %.4f u; beta > 1: %.4f of u |gamma| + %d u alpha\n", f.eta.error,
              f.stable.error, f.plain.error, s.of_eta + 1);
  for (std::size_t i = 0; i < floors.size(); ++i)
    std::printf("  floor %g: the clamp acts at %llu, ties at %llu; at %llu rounding decides\n", static_cast<double>(floors[i]),
                static_cast<unsigned long long>(f.clamps[i].acts), static_cast<unsigned long long>(f.clamps[i].ties),
                static_cast<unsigned long long>(f.clamps[i].open));
  claim(f.outside == 0, "steps are finite and not negative unless they overflow, carries lie in [-1, 1], clamped ones in [floor, 1]");
  claim(f.eta.error * u <= gam(s.of_eta) * (1 + 0x1p-24), "eta is within its roundings");
  claim(f.stable.error * u <= gam(s.of_quotient) * (1 + 0x1p-24), "gamma is within its roundings for beta <= 1");
  claim(f.plain.error <= 1 + 0x1p-24, "gamma is within its bound for beta > 1");
  for (steps::clamp const& c : f.clamps) claim(c.wrong == 0, "the clamp acts where gamma <= floor in exact arithmetic, a tie included");
}

void every_gain(setting const& s) {
  steps const found = over<steps>(below_two, [&](std::uint64_t first, std::uint64_t last, steps& f) {
    steps seen_already;
    float before = first == 0 ? 1 : take(seen_already, binary32(first - 1), s);
    for (std::uint64_t bits = first; bits < last; ++bits) {
      float const raw = take(f, binary32(bits), s);
      f.rises += raw > before;
      before = raw;
    }
  });
  std::printf("binary32 beta in [0, 2), E = %g, lambda = %g, epsilon = %g: %llu inputs\n", static_cast<double>(s.E),
              static_cast<double>(s.lambda), static_cast<double>(s.epsilon), static_cast<unsigned long long>(below_two));
  report(found, s);
  claim(found.rises == 0, "a carry never rises with beta");
}

template <class Narrow>
void every_pair(char const* name) {
  auto at = [](std::uint64_t bits) { return static_cast<float>(Eigen::numext::bit_cast<Narrow>(static_cast<std::uint16_t>(bits))); };
  std::uint64_t gains = 0, ridges = 0;
  while (at(gains) < 2) ++gains;
  while (std::isfinite(at(ridges))) ++ridges;
  steps found;
  std::array const energies = {0.0f, 0x1p-10f, 1.0f, 100.0f};
  for (float E : energies)
    found.add(over<steps>(gains, [&](std::uint64_t first, std::uint64_t last, steps& f) {
      for (std::uint64_t b = first; b < last; ++b)
        for (std::uint64_t l = 0; l < ridges; ++l) take(f, at(b), {E, at(l), 0, 2, 5});
    }));
  std::printf("%s (beta, lambda), E in {0, 2^-10, 1, 100}, epsilon = 0: %llu inputs\n", name,
              static_cast<unsigned long long>(energies.size() * gains * ridges));
  report(found, {0, 0, 0, 2, 5});
  claim(found.clamps[1].ties > 0, "some carries are 0.5 exactly");
}

}  // namespace

int main() {
  every_gamma();
  every_gain({0, 1, 0, 0, 1});
  every_gain({0.6f, 3, 0.01f, 3, 7});
  every_pair<Eigen::half>("half");
  every_pair<Eigen::bfloat16>("bfloat16");
  std::printf(
      "not covered: maps over binary64; pairs of binary32; binary32 gains at other E, lambda, epsilon than those; 16-bit pairs at other "
      "energies or\nepsilon > 0; other floors; errors and clamps where a term is subnormal; exp of sums of logarithms, of more than one "
      "token; log and exp of\nother C libraries\n");
  std::printf(failures == 0 ? "all claims hold\n" : "%d claims do not hold\n", failures);
  return failures == 0 ? 0 : 1;
}
