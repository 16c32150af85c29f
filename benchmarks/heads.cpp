// SPDX-License-Identifier: Apache-2.0
// heads.cpp — many heads on several threads: tensors [1, 1024, heads, 128] of chunked Falcon-1, wall time.
#include <fwa/batch/heads.hpp>
#include <fwa/fwa.hpp>

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstddef>

namespace {

void heads(benchmark::State& state) {
  using namespace fwa;
  auto const count = static_cast<std::size_t>(state.range(0));
  std::size_t const T = 1024, d = 128;
  omp_set_num_threads(static_cast<int>(state.range(1)));
  auto random = [](auto& tensor) { Eigen::Map<row<float>>(tensor.data(), static_cast<index_t>(tensor.size())).setRandom(); };
  xt::xtensor<float, 4> q = xt::xtensor<float, 4>::from_shape({1, T, count, d}), k = q, v = q;
  for (auto* tensor : {&q, &k, &v}) random(*tensor);
  xt::xarray<float> const beta = xt::ones<float>({std::size_t(1), T, count}), lambda = 0.1F * beta;
  for (auto _ : state) benchmark::DoNotOptimize(attend_heads<float>(falcon_1, q, k, v, beta, lambda));
  state.counters["us_per_token"] = benchmark::Counter(1e-6 * static_cast<double>(count * T),
                                                      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(heads)->ArgNames({"heads", "threads"})->ArgsProduct({{1, 4, 16}, {1, 2}})->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
