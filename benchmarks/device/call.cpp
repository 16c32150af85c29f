// SPDX-License-Identifier: Apache-2.0
// The device's call as C has it, of dense bf16 arrays: what peers.py loads, so that peers read the same bytes, by the same clock.
#include <fwa/device/call.cuh>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

extern "C" {

struct fwa_shape {
  char const* rule;
  std::int64_t window, batch, time, heads;
};

/// Where q, k, v, o, β or η, λ or γ, the state that is left and the workspace lie on the device.
struct fwa_arrays {
  void const *q, *k, *v;
  void* o;
  float const *size, *forget;
  float* state;
  void* workspace;
  std::size_t workspace_bytes;
};
}

namespace {

using namespace fwa;
using T = __nv_bfloat16;
constexpr index_t width = 128;

rule rule_of(std::string const& name) {
  for (auto const& [first, last] :
       {std::pair{std::begin(falcon_rules), std::end(falcon_rules)}, std::pair{std::begin(neighbour_rules), std::end(neighbour_rules)}})
    if (rule const* const found = std::find_if(first, last, [&](rule const& r) { return r.name == name; }); found != last) return *found;
  throw std::invalid_argument("no rule is called " + name);
}

options options_of(fwa_shape const& s) {
  options o;
  o.window = s.window;
  return o;
}

device::sizes sizes_of(fwa_shape const& s) { return {s.batch, s.time, s.heads, width, width, 0}; }

std::string failure;

template <class F>
char const* answer(F&& run) try {
  run();
  return nullptr;
} catch (std::exception const& e) {
  return (failure = e.what()).c_str();
}

}  // namespace

/// Each answers null, or why it failed.
extern "C" char const* fwa_workspace(fwa_shape const* s, std::size_t* bytes) {
  return answer([&] { *bytes = device::workspace_bytes<T>(rule_of(s->rule), options_of(*s), sizes_of(*s)); });
}

extern "C" char const* fwa_attend(fwa_shape const* s, fwa_arrays const* a, cudaStream_t stream) {
  return answer([&] {
    rule const r = rule_of(s->rule);
    device::sizes const n = sizes_of(*s);
    index_t const columns = r.per_column ? width : 1;
    device::call<T> c;
    c.q = device::dense(static_cast<T const*>(a->q), n, width);
    c.k = device::dense(static_cast<T const*>(a->k), n, width);
    c.v = device::dense(static_cast<T const*>(a->v), n, width);
    c.o = device::dense(static_cast<T*>(a->o), n, width);
    c.size = device::dense(a->size, n, columns);
    c.forget = device::dense(a->forget, n, r.law == step_law::given ? columns : 1);
    c.exit.state = a->state;
    c.workspace = a->workspace;
    c.workspace_bytes = a->workspace_bytes;
    device::attend<T>(r, options_of(*s), n, c, stream);
  });
}
