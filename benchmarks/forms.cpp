// SPDX-License-Identifier: Apache-2.0
// forms.cpp — one head, one core, d = dv = 128, C = 64: every rule and form beside a large product and beside Falcon-1.
//
//   us_per_token     median
//   gemm_fraction    the form's flop rate over that of Eigen's 512³ product: flops of the formula, all products dense
//   gemm_executed    the same of the flops that the code executes: it skips most of what a mask hides
//   times_beside     its time a token over that of the head it is set beside: chunked Falcon-1 of 1,024 tokens, or its own rule
//
// A round times all three in turn, each over calls in a row, and the medians are of ratios within a round, so what slows the machine
// slows numerator and denominator alike.
#include "head.hpp"

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

std::atomic<long> allocations = 0;

}  // namespace

// Counts what Eigen and the standard library take from the heap.
extern "C" void* __libc_malloc(std::size_t);  // NOLINT: glibc's name
extern "C" void* malloc(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

namespace {

using namespace fwa;

template <class S>
constexpr char const* scalar_name = sizeof(S) == 4 ? "f32" : "f64";

constexpr int rounds = 21;

/// @param beside what times_beside divides by
template <class S>
void read(benchmark::State& state, rule const& r, options const& o, index_t T, rule const& beside) {
  peak<S> product;
  head<S> timed(r, o, T), other(beside, {}, 1024);
  std::vector<double> time, fraction, executed, ratio;
  for (auto _ : state) {
    double const rate = product.flops_per_second(), base = other.read_time(), t = timed.read_time();
    time.push_back(t);
    flops const work = timed.flops();
    fraction.push_back(work.form / static_cast<double>(T) / t / rate);
    executed.push_back(work.executed / static_cast<double>(T) / t / rate);
    ratio.push_back(t / base);
    state.SetIterationTime(t * static_cast<double>(T));
  }
  state.counters["us_per_token"] = 1e6 * median(time);
  state.counters["gemm_fraction"] = median(fraction);
  state.counters["gemm_executed"] = median(executed);
  state.counters["times_beside"] = median(ratio);
}

/// Time a token of Falcon-3 for B = 2 … 16, and the worst relative distance from the straight line through it.
template <class S>
void window_line(benchmark::State& state) {
  std::vector<double> const B = {2, 4, 6, 8, 10, 12, 14, 16};
  std::vector<head<S>> heads;
  for (double b : B) {
    options o;
    o.window = static_cast<index_t>(b);
    heads.emplace_back(falcon_3, o, 1024);
  }
  std::vector<std::vector<double>> time(B.size());
  for (auto _ : state) {
    double total = 0;
    for (std::size_t i = 0; i < B.size(); ++i) {
      time[i].push_back(heads[i].read_time());
      total += time[i].back();
    }
    state.SetIterationTime(total * 1024);
  }
  double const n = static_cast<double>(B.size());
  double b1 = 0, b2 = 0, t1 = 0, bt = 0;
  for (std::size_t i = 0; i < B.size(); ++i) {
    double const t = median(time[i]);
    b1 += B[i], b2 += B[i] * B[i], t1 += t, bt += B[i] * t;
  }
  double const slope = (n * bt - b1 * t1) / (n * b2 - b1 * b1), start = (t1 - slope * b1) / n;
  double worst = 0;
  for (std::size_t i = 0; i < B.size(); ++i) {
    double const t = median(time[i]), line = start + slope * B[i];
    worst = std::max(worst, std::abs(t - line) / line);
    state.counters["us_per_token_B" + std::to_string(static_cast<int>(B[i]))] = 1e6 * t;
  }
  state.counters["worst_deviation"] = worst;
}

/// One token at a time, after a warm-up of one; the heap and the resident set must not see how many.
template <class S>
void stream(benchmark::State& state, rule const& r, index_t B) {
  auto peak_kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss);
  };
  options o;
  o.window = B;
  head<S> one(r, o, 1024);
  index_t tokens = 0;
  for (index_t t = 0; t < one.tokens(); ++t) one.step(t);
  double const resident = peak_kilobytes();
  long const before = allocations;
  if (before == 0) state.SkipWithError("allocations are not counted");
  for (auto _ : state) one.step(tokens++ % one.tokens());
  state.counters["allocations"] = static_cast<double>(allocations - before);
  state.counters["peak_rss_growth_kb"] = peak_kilobytes() - resident;
  state.counters["tokens"] = static_cast<double>(tokens);
  state.counters["us_per_token"] =
      benchmark::Counter(1e-6 * static_cast<double>(tokens), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

options with(form f, index_t B = 1) {
  options o;
  o.form = f;
  o.window = B;
  return o;
}

template <class S>
void add() {
  std::string const scalar = std::string("/") + scalar_name<S>;
  auto add_read = [&scalar](std::string const& name, rule const& r, options const& o, index_t T, rule const& beside = falcon_1) {
    benchmark::RegisterBenchmark((name + scalar).c_str(), [=](benchmark::State& state) { read<S>(state, r, o, T, beside); })
        ->UseManualTime()
        ->Iterations(rounds)
        ->Unit(benchmark::kMillisecond);
  };
  for (auto const& [r, B] : {std::pair{falcon_1, 1},
                             {falcon_1a, 1},
                             {falcon_2, 1},
                             {falcon_2a, 1},
                             {falcon_3, 4},
                             {falcon_3a, 4},
                             {falcon_23, 4},
                             {falcon_23a, 4}})
    add_read("chunk/" + std::string(r.name) + (B > 1 ? "/B=" + std::to_string(B) : ""), r, with(form::chunk, B), 1024);
  for (rule const& r : neighbour_rules) add_read("chunk/" + std::string(r.name), r, with(form::chunk), 1024);
  for (rule const& r : {falcon_1, falcon_1a}) {
    add_read("chunk/" + std::string(r.name) + "/T=4096", r, with(form::chunk), 4096);
    add_read("recurrent/" + std::string(r.name), r, with(form::recurrent), 1024);
    add_read("masked/" + std::string(r.name), r, with(form::masked), 1024);
    add_read("chunk_scan/" + std::string(r.name), r, with(form::chunk_scan), 1024);
  }
  benchmark::RegisterBenchmark(("window_line/falcon-3" + scalar).c_str(), window_line<S>)
      ->UseManualTime()
      ->Iterations(rounds)
      ->Unit(benchmark::kMillisecond);
  for (auto const& [r, B] : {std::pair{falcon_1, 1}, {falcon_2, 1}, {falcon_3, 4}})
    benchmark::RegisterBenchmark(("stream/" + std::string(r.name) + scalar).c_str(), [r = r, B = B](benchmark::State& state) {
      stream<S>(state, r, B);
    })->Unit(benchmark::kMicrosecond);
  for (index_t T : {4096, 16384, 65536, 262144}) add_read("length/falcon-1/T=" + std::to_string(T), falcon_1, with(form::chunk), T);
}

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // pages once touched stay: a product of this size takes its room anew each time
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  Eigen::setNbThreads(1);
  benchmark::AddCustomContext("compiler", FWA_COMPILER);
  add<float>();
  add<double>();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
