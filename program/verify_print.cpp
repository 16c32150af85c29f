// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include <algorithm>
#include <sstream>

namespace fwa::program {
namespace {

template <class A>
std::string text(A const& a) {
  std::ostringstream out;
  out << a;
  return out.str();
}

}  // namespace

std::string sentence(std::string const& name, verify::disagreement const& d) {
  std::ostringstream out;
  out << name << ": " << d.form << " is not the recurrence at " << d.of << ", chunk " << d.C << ", p = " << d.prime << ", seed " << d.seed;
  return out.str();
}

void print(std::ostream& out, std::string const& name, verify::certificate const& c) {
  out << name << ": " << c.of << ", chunk " << c.C << '\n';
  if (c.found) {
    out << "  DOES NOT HOLD. " << sentence(name, *c.found) << '\n';
    return;
  }
  auto list = [&](bool paper) {
    std::string forms = "recurrent";
    for (verify::path f : c.forms)
      if (verify::is_paper(f) == paper) forms += " = " + text(f);
    return forms;
  };
  auto chance = [&](int degree) {
    out << "degree <= " << degree << " (measured); forms that differ pass with probability <= " << c.chance(degree) << '\n';
  };
  out << "  " << list(false) << " at " << c.points << " random points of each field; ";
  chance(c.degree);
  if (std::ranges::none_of(c.forms, verify::is_paper)) return;
  out << "  " << list(true) << " there, sqrt(eta) given; ";
  c.paper_degree ? chance(*c.paper_degree) : void(out << "decays are left in denominators, no probability\n");
}

nlohmann::ordered_json as_json(std::string const& name, verify::certificate const& c) {
  nlohmann::ordered_json out = {{"rule", name},
                                {"holds", !c.found},
                                {"tokens", c.of.T},
                                {"dx", c.of.d},
                                {"dv", c.of.dv},
                                {"window", c.of.B},
                                {"chunk", c.C},
                                {"timing", c.of.when == timing::read_after_write ? "raw" : "rbw"},
                                {"sentinel", c.of.sentinel},
                                {"pairs_before", c.of.before},
                                {"points", c.points}};
  for (std::uint64_t p : verify::primes) out["primes"].push_back(p);
  for (verify::path f : c.forms) out["forms"].push_back(text(f));
  if (c.found)
    out["smallest"] = {{"form", text(c.found->form)}, {"tokens", c.found->of.T}, {"dx", c.found->of.d},     {"dv", c.found->of.dv},
                       {"window", c.found->of.B},     {"chunk", c.found->C},     {"prime", c.found->prime}, {"seed", c.found->seed}};
  else
    out["degree"] = c.degree, out["chance"] = c.chance(c.degree);
  if (c.paper_degree) out["paper_degree"] = *c.paper_degree, out["paper_chance"] = c.chance(*c.paper_degree);
  return out;
}

}  // namespace fwa::program
