// SPDX-License-Identifier: Apache-2.0
// Times of the device on the shapes of docs/benchmarks_device.md: events around one call, and replays of a graph of calls; medians.
// usage: device_times [FILE.json [JOB]]     JOB: its row of the table alone, once, for profilers
#include <fwa/device/call.cuh>
#include <fwa/rule/falcon.hpp>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace fwa;
using T = __nv_bfloat16;
using device::succeed;

template <class U>
U* allocate(std::size_t n) {
  void* room = nullptr;
  succeed(cudaMalloc(&room, std::max<std::size_t>(n, 1) * sizeof(U)), "cudaMalloc");
  succeed(cudaMemset(room, 0xff, std::max<std::size_t>(n, 1) * sizeof(U)), "cudaMemset");
  return static_cast<U*>(room);
}

template <class U>
U* copied(std::vector<U> const& from) {
  U* const to = allocate<U>(from.size());
  succeed(cudaMemcpy(to, from.data(), from.size() * sizeof(U), cudaMemcpyHostToDevice), "cudaMemcpy");
  return to;
}

double median(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] * 1e3;
}

/// Microseconds of one call.
template <class F>
double by_events(F&& run, cudaStream_t stream, int repeats) {
  cudaEvent_t begin, end;
  succeed(cudaEventCreate(&begin), "cudaEventCreate");
  succeed(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int i = 0; i < repeats + 3; ++i) {
    succeed(cudaEventRecord(begin, stream), "cudaEventRecord");
    run();
    succeed(cudaEventRecord(end, stream), "cudaEventRecord");
    succeed(cudaEventSynchronize(end), "cudaEventSynchronize");
    float ms = 0;
    succeed(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (i >= 3) times.push_back(ms);
  }
  return median(times);
}

/// Microseconds of one call in a graph of `calls` of them.
template <class F>
double by_graph(F&& run, cudaStream_t stream, int repeats, int calls) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  succeed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < calls; ++i) run();
  succeed(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  succeed(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  double const all = by_events([&] { succeed(cudaGraphLaunch(exec, stream), "cudaGraphLaunch"); }, stream, repeats);
  succeed(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  succeed(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return all / calls;
}

struct job {
  rule r;
  index_t window;
  device::sizes n;
  device::kernels which;
  fwa::form form = form::chunk;
  bool portable() const { return which == device::kernels::portable; }
};

}  // namespace

int main(int count, char** words) try {
  cudaDeviceProp card{};
  int driver = 0, runtime = 0;
  succeed(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
  succeed(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  succeed(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  cudaStream_t stream;
  succeed(cudaStreamCreate(&stream), "cudaStreamCreate");
  std::printf("%s, driver %d, runtime %d\n", card.name, driver, runtime);
  std::ostringstream json;
  json << "{\"card\": \"" << card.name << "\", \"driver\": " << driver << ", \"runtime\": " << runtime << ", \"times_us\": [";

  {
    std::size_t const bytes = std::size_t(1) << 30;
    char *a = allocate<char>(bytes), *b = allocate<char>(bytes);
    double const us =
        by_events([&] { succeed(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync"); }, stream, 10);
    std::printf("copy of 1 GiB: %.0f GB/s read and written\n", 2 * static_cast<double>(bytes) / us * 1e-3);
    json << "{\"what\": \"copy 1 GiB\", \"events\": " << us << "}";
    cudaFree(a), cudaFree(b);
  }

  device::sizes const one{1, 16384, 16, 128, 128, 0}, eight{8, 2048, 16, 128, 128, 0};
  using device::kernels;
  std::vector<job> const jobs = {{falcon_1, 1, one, kernels::fastest},
                                 {falcon_1, 1, eight, kernels::fastest},
                                 {falcon_1a, 1, one, kernels::fastest},
                                 {falcon_1a, 1, eight, kernels::fastest},
                                 {falcon_2, 1, eight, kernels::fastest},
                                 {falcon_3, 4, eight, kernels::fastest},
                                 {falcon_3a, 4, eight, kernels::fastest},
                                 {falcon_2, 1, one, kernels::fastest},
                                 {falcon_3, 4, one, kernels::fastest},
                                 {falcon_3a, 4, one, kernels::fastest},
                                 {falcon_1, 1, eight, kernels::portable},
                                 {falcon_2, 1, eight, kernels::portable},
                                 {falcon_3, 4, eight, kernels::portable},
                                 {falcon_3a, 4, eight, kernels::portable},
                                 {falcon_1, 1, eight, kernels::portable, form::recurrent},
                                 {falcon_2, 1, eight, kernels::portable, form::recurrent},
                                 {falcon_3, 4, eight, kernels::portable, form::recurrent},
                                 {falcon_3a, 4, eight, kernels::portable, form::recurrent}};
  std::printf("%-12s %2s %22s %10s %12s %12s\n", "rule", "B", "batch, tokens, heads", "kernels", "events us", "graph us");
  for (std::size_t row = 0; row < jobs.size(); ++row) {
    bool const once_only = count > 2;
    if (once_only && row != std::stoul(words[2])) continue;
    job const& j = jobs[row];
    device::sizes const& n = j.n;
    std::mt19937 bits(1);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> unit(0, 1);
    auto tokens = [&](index_t width) {
      std::vector<T> some(static_cast<std::size_t>(n.tokens() * width));
      std::vector<T> cycle((1u << 20) + 72);
      for (T& x : cycle) x = __float2bfloat16(normal(bits));
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = cycle[i % cycle.size()];
      return some;
    };
    auto drive = [&](index_t width, float scale) {
      std::vector<float> some(static_cast<std::size_t>(n.tokens() * width));
      for (float& x : some) x = scale * unit(bits);
      return some;
    };
    index_t const columns = j.r.per_column ? n.dv : 1;
    T *q = copied(tokens(128)), *k = copied(tokens(128)), *v = copied(tokens(128)),
      *o = allocate<T>(static_cast<std::size_t>(n.tokens()) * 128);
    float *beta = copied(drive(columns, 1)), *lambda = copied(drive(1, 8)),
          *state = allocate<float>(static_cast<std::size_t>(n.units()) * 128 * 128);
    options choices;
    choices.window = j.window;
    choices.chunk = 64;
    choices.form = j.form;
    device::call<T> c;
    c.q = device::dense<T const>(q, n, 128), c.k = device::dense<T const>(k, n, 128), c.v = device::dense<T const>(v, n, 128);
    c.o = device::dense(o, n, 128);
    c.size = device::dense<float const>(beta, n, columns), c.forget = device::dense<float const>(lambda, n, 1);
    c.exit.state = state;
    c.workspace_bytes = device::workspace_bytes<T>(j.r, choices, n, j.which);
    c.workspace = allocate<char>(c.workspace_bytes);
    auto run = [&] { device::attend<T>(j.r, choices, n, c, stream, j.which); };
    run();
    succeed(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    if (once_only) return 0;
    double const once = by_events(run, stream, 3);
    bool const slow = once > 3000;
    double const events = slow ? once : by_events(run, stream, 30), graph = slow ? once : by_graph(run, stream, 15, 4);
    std::string const shape = std::to_string(n.batch) + ", " + std::to_string(n.time) + ", " + std::to_string(n.heads);
    std::printf("%-12s %2d %22s %10s %12.1f %12.1f\n", std::string(j.r.name).c_str(), static_cast<int>(j.window), shape.c_str(),
                j.form == form::recurrent ? "recurrent"
                : j.portable()            ? "portable"
                                          : "fastest",
                events, graph);
    std::fflush(stdout);
    json << ", {\"rule\": \"" << j.r.name << "\", \"window\": " << j.window << ", \"batch\": " << n.batch << ", \"tokens\": " << n.time
         << ", \"heads\": " << n.heads << ", \"portable\": " << (j.portable() ? "true" : "false") << ", \"form\": \""
         << (j.form == form::recurrent ? "recurrent" : "chunk") << "\""
         << ", \"events\": " << events << ", \"graph\": " << graph << "}";
    for (void* p : {static_cast<void*>(q), static_cast<void*>(k), static_cast<void*>(v), static_cast<void*>(o), static_cast<void*>(beta),
                    static_cast<void*>(lambda), static_cast<void*>(state), c.workspace})
      cudaFree(p);
  }
  json << "]}\n";
  if (count > 1) std::ofstream(words[1]) << json.str();
} catch (std::exception const& e) {
  std::fprintf(stderr, "device_times: %s\n", e.what());
  return 1;
}
