// SPDX-License-Identifier: Apache-2.0
// Two more scalars on the golden cases: float against double on the same rounded inputs, and long double, whose results are
// golden to one unit of double.
#include "cases.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

/// Calls see(name, got, want) for the results that two scalars give for one problem.
template <class A, class B, class See>
void each_pair(outcome<A> const& got, outcome<B> const& want, See see) {
  see("o", got.o, want.o);
  see("s", got.memory.S, want.memory.S);
  see("eta", got.eta, want.eta);
  see("gamma", got.gamma, want.gamma);
  if (want.memory.z) see("z", *got.memory.z, *want.memory.z);
}

}  // namespace

TEST_CASE("golden: float is double, to float's rounding") {
  double most = 0;
  for (golden_case const& c : golden_cases()) {
    if (c.problem.offsets) continue;
    program::problem rounded = c.problem;
    for (xt::xarray<double>* a : {&rounded.q, &rounded.k, &rounded.v, &rounded.size, &rounded.forget})
      for (double& x : *a) x = static_cast<float>(x);
    memory<double> entry = entry_of(c.problem);
    auto round = [](auto& m) { m = m.template cast<float>().template cast<double>().eval(); };
    round(entry.S);
    round(entry.tail_x);
    round(entry.tail_y);
    if (entry.z) round(*entry.z);
    if (entry.last_feature) round(*entry.last_feature);
    rounded.entries = {entry};
    head<float> const narrow = head_of<float>(rounded);
    head<double> const wide = head_of<double>(rounded);
    for (options const& o : ways(c.problem)) {
      std::string const where = describe(c, o);
      INFO(where);
      each_pair(attend<float>(c.problem.rule, narrow.all(), o, entry_of(rounded).cast<float>()),
                attend<double>(c.problem.rule, wide.all(), o, entry), [&](char const* name, auto const& got, auto const& want) {
                  INFO(name);
                  CHECK_CLOSE(got, want, golden_float);
                  most = std::max(most, distance(got, want) / std::max(1.0, magnitude(want)));
                });
    }
  }
  MESSAGE("largest difference " << most);
}

TEST_CASE("golden: long double, rounded to double, is golden") {
  double most = 0;
  for (golden_case const& c : golden_cases()) {
    if (c.problem.offsets) continue;
    head<long double> const h = head_of<long double>(c.problem);
    for (form const f : {form::recurrent, form::masked, form::chunk}) {
      options o = c.problem.options;
      o.form = f;
      std::string const where = describe(c, o);
      INFO(where);
      each_of(c, attend<long double>(c.problem.rule, h.all(), o, entry_of(c.problem).cast<long double>()),
              [&](std::string const& name, mat<long double> const& got) {
                INFO(name);
                CHECK_CLOSE(got, c.want.at(name), golden_long_double);
                most = std::max(most, distance(got, c.want.at(name)) / std::max(1.0, magnitude(c.want.at(name))));
              });
    }
  }
  MESSAGE("largest difference " << most);
}
