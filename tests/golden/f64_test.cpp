// SPDX-License-Identifier: Apache-2.0
// Double precision against 60 digits: every golden case in every form, in one call, token by token, and split anywhere.
#include "cases.hpp"

using namespace fwa;
using namespace fwa::test;

namespace {

/// One result against the case; counts.
struct judge {
  golden_case const& c;
  mat<double> beta;
  long& comparisons;

  void operator()(std::string const& name, mat<double> const& got) const {
    ++comparisons;
    mat<double> const& want = c.want.at(name);
    std::string const wrong = name == "eta" || name == "gamma"
                                  ? step_mismatch(name, got, want, beta, name == "eta" ? golden_eta : golden_gamma, golden_gamma_above_one)
                                  : mismatch(got, want, golden);
    CHECK_EQ(wrong, std::string{});
  }
};

}  // namespace

TEST_CASE("golden: every form and chunk") {
  long comparisons = 0;
  std::vector<golden_case> const cases = golden_cases();
  for (golden_case const& c : cases) {
    head<double> const h = head_of<double>(c.problem);
    judge const see{c, h.size, comparisons};
    for (options const& o : ways(c.problem)) {
      std::string const where = describe(c, o);
      INFO(where);
      if (!c.problem.offsets) {
        each_of(c, attend<double>(c.problem.rule, h.all(), o, entry_of(c.problem)), see);
        continue;
      }
      std::vector<outcome<double>> const parts = attend_packed<double>(c.problem.rule, h.all(), *c.problem.offsets, o);
      mat<double> outputs(0, h.v.cols()), states(0, h.v.cols());
      for (outcome<double> const& part : parts) {
        outputs = (mat<double>(outputs.rows() + part.o.rows(), h.v.cols()) << outputs, part.o).finished();
        states = (mat<double>(states.rows() + part.memory.S.rows(), h.v.cols()) << states, part.memory.S).finished();
      }
      see("o", outputs);
      see("s", states);
    }
  }
  MESSAGE(cases.size() << " cases, " << comparisons << " comparisons");
}

TEST_CASE("golden: token by token, and in two reads split anywhere") {
  long comparisons = 0, splits = 0;
  for (golden_case const& c : golden_cases()) {
    if (c.problem.offsets) continue;
    INFO(c.name);
    head<double> const h = head_of<double>(c.problem);
    judge const see{c, h.size, comparisons};
    memory<double> const entry = entry_of(c.problem);
    index_t const d = h.k.cols(), dv = h.v.cols();

    outcome<double> stepped{
        mat<double>(h.count(), dv), {}, mat<double>(h.count(), h.size.cols()), mat<double>(h.count(), h.size.cols()), {}};
    reader<double> one(c.problem.rule, d, dv, c.problem.options, entry);
    for (index_t t = 0; t < h.count(); ++t) {
      stepped.o.row(t) = one.step(h.q.row(t), h.k.row(t), h.v.row(t), h.size.row(t), h.forget.row(t));
      stepped.eta.row(t) = one.last_plan().eta;
      stepped.gamma.row(t) = one.last_plan().schedule.gamma;
    }
    stepped.memory = one.memory();
    each_of(c, stepped, see);

    for (form const f : {form::recurrent, form::masked, form::chunk, form::chunk_scan})
      for (index_t n = 0; n <= h.count(); ++n) {
        options o = c.problem.options;
        o.form = f;
        outcome<double> const a = attend<double>(c.problem.rule, h.slice(0, n).all(), o, entry);
        outcome<double> const b = attend<double>(c.problem.rule, h.slice(n, h.count() - n).all(), o, a.memory);
        see("o", (mat<double>(h.count(), dv) << a.o, b.o).finished());
        each_of(c, b.memory, see);
        ++splits;
      }
  }
  MESSAGE(splits << " splits, " << comparisons << " comparisons");
}
