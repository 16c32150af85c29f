// SPDX-License-Identifier: Apache-2.0
// Claim every_class_is_drawn: what the generators say that may be special about a case, they draw: each class in one case of a hundred at
// least, at any size of case. Otherwise a property would be silent about it.
#include "support/for_all.hpp"
#include "support/one_write.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

/// Draws cases as a property would, from seeds 0, 1, …, and counts.
template <class Draw>
void drawn(std::string const& what, int cases, std::vector<std::string> const& never, Draw&& draw) {
  auto const any = rc::gen::exec(std::forward<Draw>(draw));
  std::map<std::string, int> count;
  for (int i = 0; i < cases; ++i)
    for (auto const& [name, is] : any(rc::Random(static_cast<std::uint64_t>(i)), i % rc::kNominalSize).value()) count[name] += is;
  std::cout << what << ": " << cases << " cases";
  for (auto const& each : count) {
    std::string const& name = each.first;
    int const n = each.second;
    std::cout << "; " << name << ' ' << n;
    CAPTURE(what);
    CAPTURE(name);
    if (std::ranges::find(never, name) == never.end())
      CHECK(n * 100 >= cases);
    else
      CHECK(n == 0);
  }
  std::cout << '\n';
}

}  // namespace

TEST_CASE("problems of every corner") {
  for (rule const& r : corners) {
    drawn("any_problem, " + std::string(r.name), 1000, {}, [&r] { return classes_of(any_problem(any_shape(r, 5, 2, 2, 3))); });
    std::vector<std::string> never;
    if (!r.windowed) never = {"continued"};
    drawn("any_shape, " + std::string(r.name), 1000, never, [&r] {
      shape const s = any_shape(r, 5, 2, 2, 3);
      return classes_of(s, any_chunk(s.T));
    });
  }
}

TEST_CASE("single writes, with and without clamp") {
  for (residual rho : {residual::one, residual::zero}) {
    drawn("any_write, clamped", 1000, {"decay below 0"}, [rho] { return classes_of(any_write(rho, true)); });
    drawn("any_write, not clamped", 1000, {"clamped", "tie", "just clamped", "just not clamped"},
          [rho] { return classes_of(any_write(rho, false)); });
  }
}
