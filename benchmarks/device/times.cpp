// SPDX-License-Identifier: Apache-2.0
// Times of the device on the shapes of docs/benchmarks_device.md: events around one call, and replays of a graph of calls; medians.
// usage: device_times [FILE.json [JOB]]     JOB: its row of the table alone, once, for profilers
#include <fwa/device/array.cuh>
#include <fwa/device/call.cuh>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

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

/// The first word that is a version; what it cannot read is "unknown".
std::string driver_version() {
  std::ifstream in("/proc/driver/nvidia/version");
  for (std::string word; in >> word;)
    if (word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string::npos) return word;
  return "unknown";
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
  int runtime = 0;
  succeed(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
  succeed(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  cudaStream_t stream;
  succeed(cudaStreamCreate(&stream), "cudaStreamCreate");
  std::string const driver = driver_version();
  std::printf("%s, driver %s, runtime %d\n", card.name, driver.c_str(), runtime);
  std::ostringstream json;
  json << "{\"card\": \"" << card.name << "\", \"driver\": \"" << driver << "\", \"runtime\": " << runtime << ", \"times_us\": [";

  {
    std::size_t const bytes = std::size_t(1) << 30;
    device::array<char> a(bytes), b(bytes);
    a.fill(1);
    double const us = by_events(
        [&] { succeed(cudaMemcpyAsync(b.data(), a.data(), bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync"); }, stream, 10);
    std::printf("copy of 1 GiB: %.0f GB/s read and written\n", 2 * static_cast<double>(bytes) / us * 1e-3);
    json << "{\"what\": \"copy 1 GiB\", \"events\": " << us << "}";
  }

  device::sizes const one{1, 16384, 16, 128, 128, 0}, eight{8, 2048, 16, 128, 128, 0};
  using device::kernels;
  std::vector<job> const jobs = {{falcon_1, 1, one, kernels::fastest},
                                 {falcon_1, 1, eight, kernels::fastest},
                                 {falcon_1a, 1, one, kernels::fastest},
                                 {falcon_1a, 1, eight, kernels::fastest},
                                 {falcon_2, 1, eight, kernels::fastest},
                                 {falcon_2a, 1, eight, kernels::fastest},
                                 {falcon_3, 4, eight, kernels::fastest},
                                 {falcon_3a, 4, eight, kernels::fastest},
                                 {falcon_2, 1, one, kernels::fastest},
                                 {falcon_3, 4, one, kernels::fastest},
                                 {falcon_3a, 4, one, kernels::fastest},
                                 {delta_net, 1, one, kernels::fastest},
                                 {delta_net, 1, eight, kernels::fastest},
                                 {gated_delta_net, 1, one, kernels::fastest},
                                 {gated_delta_net, 1, eight, kernels::fastest},
                                 {retnet, 1, one, kernels::fastest},
                                 {retnet, 1, eight, kernels::fastest},
                                 {falcon_1, 1, eight, kernels::portable},
                                 {falcon_2, 1, eight, kernels::portable},
                                 {falcon_3, 4, eight, kernels::portable},
                                 {falcon_3a, 4, eight, kernels::portable},
                                 {falcon_1, 1, eight, kernels::portable, form::recurrent},
                                 {falcon_2, 1, eight, kernels::portable, form::recurrent},
                                 {falcon_3, 4, eight, kernels::portable, form::recurrent},
                                 {falcon_3a, 4, eight, kernels::portable, form::recurrent}};
  std::printf("%-16s %2s %22s %10s %12s %12s\n", "rule", "B", "batch, tokens, heads", "kernels", "events us", "graph us");
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
    auto drive = [&](index_t width, float from, float to) {
      std::vector<float> some(static_cast<std::size_t>(n.tokens() * width));
      for (float& x : some) x = from + (to - from) * unit(bits);
      return some;
    };
    index_t const columns = j.r.per_column ? n.dv : 1;
    auto const entries = static_cast<std::size_t>(n.tokens()) * 128;
    device::array<T> q(tokens(128)), k(tokens(128)), v(tokens(128)), o(entries);
    // Steps that are given stay below 1 / ‖x‖², about 1 / 128.
    bool const given = j.r.law == step_law::given;
    device::array<float> size(given ? drive(columns, 0, 1.f / 160) : drive(columns, 0, 1)),
        forget(given ? drive(columns, 0.95f, 1) : drive(1, 0, 8)), state(static_cast<std::size_t>(n.units()) * 128 * 128);
    options choices;
    choices.window = j.window;
    choices.chunk = 64;
    choices.form = j.form;
    device::call<T> c;
    c.q = device::dense<T const>(q.data(), n, 128), c.k = device::dense<T const>(k.data(), n, 128);
    c.v = device::dense<T const>(v.data(), n, 128), c.o = device::dense(o.data(), n, 128);
    c.size = device::dense<float const>(size.data(), n, columns);
    c.forget = device::dense<float const>(forget.data(), n, given ? columns : 1);
    c.exit.state = state.data();
    c.workspace_bytes = device::workspace_bytes<T>(j.r, choices, n, j.which);
    device::array<char> workspace(c.workspace_bytes);
    c.workspace = workspace.data();
    auto run = [&] { device::attend<T>(j.r, choices, n, c, stream, j.which); };
    run();
    succeed(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    if (once_only) return 0;
    double const once = by_events(run, stream, 3);
    bool const slow = once > 3000;
    double const events = slow ? once : by_events(run, stream, 30), graph = slow ? once : by_graph(run, stream, 15, 4);
    std::string const shape = std::to_string(n.batch) + ", " + std::to_string(n.time) + ", " + std::to_string(n.heads);
    std::printf("%-16s %2d %22s %10s %12.1f %12.1f\n", std::string(j.r.name).c_str(), static_cast<int>(j.window), shape.c_str(),
                j.form == form::recurrent ? "recurrent"
                : j.portable()            ? "portable"
                                          : "fastest",
                events, graph);
    std::fflush(stdout);
    json << ", {\"rule\": \"" << j.r.name << "\", \"window\": " << j.window << ", \"batch\": " << n.batch << ", \"tokens\": " << n.time
         << ", \"heads\": " << n.heads << ", \"portable\": " << (j.portable() ? "true" : "false") << ", \"form\": \""
         << (j.form == form::recurrent ? "recurrent" : "chunk") << "\""
         << ", \"events\": " << events << ", \"graph\": " << graph << "}";
  }
  json << "]}\n";
  if (count > 1) std::ofstream(words[1]) << json.str();
} catch (std::exception const& e) {
  std::fprintf(stderr, "device_times: %s\n", e.what());
  return 1;
}
