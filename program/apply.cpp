// SPDX-License-Identifier: Apache-2.0
#include "apply.hpp"

#include <fwa/contract.hpp>
#include "commands.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

namespace fwa::program {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::string folder, form = "chunked", scalar = "f64", device = "cpu", out;
  index_t chunk = 0;
  bool scan = false, json = false;
};

results apply_over(std::string const& scalar, problem const& p, bool on_device) {
#ifdef FWA_CUDA
  if (on_device) {
    if (scalar == "f64") return apply_on_device<double>(p);
    if (scalar == "f32") return apply_on_device<float>(p);
    if (scalar == "bf16") return apply_on_device<Eigen::bfloat16>(p);
    refuse("apply", "--device cuda computes over f64, f32 or bf16, not ", scalar);
  }
#endif
  require(!on_device, "apply", "--device cuda: not built into this program");
  if (scalar == "f64") return apply<double>(p);
  if (scalar == "f32") return apply<float>(p);
  if (scalar == "f16") return apply<Eigen::half>(p);
  if (scalar == "bf16") return apply<Eigen::bfloat16>(p);
  if (scalar == "f80") return apply<long double>(p);
  return apply<digits_50>(p);
}

void run(arguments const& a, bool chunk_given) {
  require(!a.scan || a.form == "chunked", "apply", "--scan goes with --form chunked, not with ", a.form);
  problem p = read_problem(a.folder);
  p.options.form = a.form == "recurrent" ? form::recurrent : a.form == "masked" ? form::masked : a.scan ? form::chunk_scan : form::chunk;
  if (chunk_given) p.options.chunk = a.chunk;
  std::error_code error;
  require(!fs::equivalent(a.folder, a.out, error), "apply", "--out ", a.out, ": is the folder of the case");

  results const found = apply_over(a.scalar, p, a.device == "cuda");
  bool const narrow = a.scalar == "f32" || a.scalar == "f16" || a.scalar == "bf16";
  write(found, a.out, narrow);

  if (!a.json) return;
  nlohmann::ordered_json summary = {
      {"status", "done"},     {"case", a.folder},         {"rule", p.rule.name},      {"form", a.form},
      {"scan", a.scan},       {"chunk", p.options.chunk}, {"scalar", a.scalar},       {"window", p.options.window},
      {"tokens", p.tokens()}, {"heads", p.heads()},       {"clamped", found.clamped}, {"out", a.out}};
  for (auto const& [name, array] : found.arrays) summary["files"].push_back(name + ".npy");
  std::cout << summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace

void add_apply(CLI::App& app) {
  auto const a = std::make_shared<arguments>();
  CLI::App* const command = app.add_subcommand("apply", "read the tokens of a case and write outputs, step sizes, decays and memory");
  command->add_option("case", a->folder, "folder with case.json and .npy arrays")->required();
  command->add_option("--out", a->out, "folder for o.npy, s.npy, eta.npy, gamma.npy and the memory")->required();
  command->add_option("--form", a->form, "how to compute")->check(CLI::IsMember({"recurrent", "masked", "chunked"}))->capture_default_str();
  CLI::Option const* const chunk =
      command->add_option("--chunk", a->chunk, "tokens a chunk; absent: as the case says, else 64")->check(whole_number);
  command->add_flag("--scan", a->scan, "chunk boundaries by an associative scan");
  command->add_option("--scalar", a->scalar, "numbers to compute with")
      ->check(CLI::IsMember({"f64", "f32", "f16", "bf16", "f80", "d50"}))
      ->capture_default_str();
  command->add_option("--device", a->device, "where to compute")->check(CLI::IsMember({"cpu", "cuda"}))->capture_default_str();
  command->add_flag("--json", a->json, "a summary for machines on standard output");
  command->callback([a, chunk] { run(*a, chunk->count() > 0); });
}

}  // namespace fwa::program
