// SPDX-License-Identifier: Apache-2.0
// Fifty digits, rounded once to double, are the golden values to the last bit.
#include "cases.hpp"

#include <fwa/number/digits.hpp>

using namespace fwa;
using namespace fwa::test;

TEST_CASE("golden: fifty digits agree to the last bit") {
  using S = digits_50;
  long comparisons = 0;
  std::vector<golden_case> const cases = golden_cases();
  for (golden_case const& c : cases) {
    head<S> const h = head_of<S>(c.problem);
    auto see = [&](std::string const& name, mat<S> const& got) {
      mat<double> const& want = c.want.at(name);
      REQUIRE(got.rows() == want.rows());
      REQUIRE(got.cols() == want.cols());
      for (index_t i = 0; i < got.rows(); ++i)
        for (index_t j = 0; j < got.cols(); ++j) {
          ++comparisons;
          if (static_cast<double>(got(i, j)) != want(i, j))
            FAIL_CHECK(name << '[' << i << ", " << j << "]: " << got(i, j) << " is not " << want(i, j));
        }
    };
    for (options const& o : ways(c.problem)) {
      if (o.form != form::recurrent && o.form != form::masked && o.chunk != 3 && o.chunk != 16) continue;  // one ragged, one long
      std::string const where = describe(c, o);
      INFO(where);
      if (!c.problem.offsets) {
        each_of(c, attend<S>(c.problem.rule, h.all(), o, entry_of(c.problem).cast<S>()), see);
        continue;
      }
      std::vector<outcome<S>> const parts = attend_packed<S>(c.problem.rule, h.all(), *c.problem.offsets, o);
      mat<S> outputs(h.count(), h.v.cols()), states(static_cast<index_t>(parts.size()) * h.k.cols(), h.v.cols());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        outputs.middleRows((*c.problem.offsets)[i], parts[i].o.rows()) = parts[i].o;
        states.middleRows(static_cast<index_t>(i) * h.k.cols(), h.k.cols()) = parts[i].memory.S;
      }
      see("o", outputs);
      see("s", states);
    }
  }
  MESSAGE(cases.size() << " cases, " << comparisons << " numbers");
}
