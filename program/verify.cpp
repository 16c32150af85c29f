// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include "case.hpp"
#include "commands.hpp"

#include <fwa/contract.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fwa::program {
namespace {

struct arguments {
  std::string folder, rule = "all";
  index_t tokens = 1037, dx = 16, dv = 8, window = 4, chunk = 64;
  int points = 2;
  std::uint64_t seed = 1;
  bool json = false;
};

struct question {
  std::string name;
  verify::shape of;
  index_t chunk;
};

/// The sizes, the rule and the boundary of a case; its numbers do not matter.
question question_of(problem const& p) {
  verify::shape s = verify::shape_of(p.rule, p.options.window);
  bool const fresh = p.entries.empty() || !p.entries.front().last_feature;
  s.T = static_cast<index_t>(p.tokens());
  s.d = static_cast<index_t>(p.q.shape()[3]);
  s.dv = static_cast<index_t>(p.v.shape()[3]) + (p.options.normalized_read ? 1 : 0);
  s.before = p.entries.empty() ? 0 : p.entries.front().tail_x.rows();
  s.sentinel = fresh && p.options.pairing.value_or(p.rule.pairing) == pairing::shifted;
  s.when = p.options.timing;
  return {std::string(p.rule.name), s, p.options.chunk};
}

/// Continued sequences, for which windows are full from the first token on.
std::vector<question> questions_of(arguments const& a) {
  std::vector<question> out;
  for (rule const& r : verify::corners)
    if (a.rule == "all" || a.rule == r.name)
      for (timing when : {timing::read_after_write, timing::read_before_write}) {
        verify::shape s = verify::shape_of(r, a.window);
        s.T = a.tokens, s.d = a.dx, s.dv = a.dv, s.before = s.B - 1, s.when = when;
        out.push_back({std::string(r.name), s, a.chunk});
      }
  return out;
}

void run(arguments const& a) {
  std::vector<question> const questions = a.folder.empty() ? questions_of(a) : std::vector{question_of(read_problem(a.folder))};
  std::optional<std::string> wrong;
  auto certificates = nlohmann::ordered_json::array();
  for (question const& q : questions) {
    verify::certificate const c = certified(q.of, q.chunk, a.points, a.seed);
    a.json ? certificates.push_back(as_json(q.name, c)) : print(std::cout, q.name, c);
    if (c.found && !wrong) wrong = sentence(q.name, *c.found);
  }
  if (a.json) std::cout << nlohmann::ordered_json{{"status", wrong ? "wrong" : "done"}, {"certificates", certificates}}.dump() << '\n';
  if (wrong) throw does_not_hold(*wrong);
  if (!a.json) std::cout << "all forms agree, p = 2^61 - 1 and 2^59 - 55; forms that differ by a multiple of both primes would pass\n";
}

}  // namespace

void add_verify(CLI::App& app) {
  auto const a = std::make_shared<arguments>();
  CLI::App* const command = app.add_subcommand("verify", "certify over prime fields that all forms compute the same");
  CLI::Option* const folder = command->add_option("case", a->folder, "folder of a case, for its rule and sizes; else as the options say");
  std::vector<std::string> names = {"all"};
  for (rule const& r : verify::corners) names.emplace_back(r.name);
  for (CLI::Option* o : {command->add_option("--rule", a->rule, "rule")->check(CLI::IsMember(names)),
                         command->add_option("--tokens", a->tokens, "T")->check(whole_number),
                         command->add_option("--dx", a->dx, "entries of a key")->check(whole_number),
                         command->add_option("--dv", a->dv, "entries of a value")->check(whole_number),
                         command->add_option("--window", a->window, "B, for the rules that have one")->check(whole_number),
                         command->add_option("--chunk", a->chunk, "C")->check(whole_number)})
    o->capture_default_str()->excludes(folder);
  command->add_option("--points", a->points, "random problems in each field")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--seed", a->seed, "of the first problem")->capture_default_str();
  command->add_flag("--json", a->json, "certificates for machines on standard output");
  command->callback([a] { run(*a); });
}

}  // namespace fwa::program
