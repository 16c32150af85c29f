// SPDX-License-Identifier: Apache-2.0
// Any folder is a case or a refusal. A tame case (no number but 0 outside 1e-20 to 1e20, normalised steps, the clamp, a plain read) gives
// finite numbers by every form, any case the same files and shapes; a refusal leaves the output as it was.
#include "folder.hpp"

#include "../../program/apply.hpp"

#include <fwa/contract.hpp>

#include <cmath>

namespace {

using namespace fwa;

/// Beyond this, memory and time are what a fuzzer would find.
bool is_small(program::problem const& p) {
  double const tokens = static_cast<double>(p.q.shape()[0] * p.q.shape()[1] * p.q.shape()[2]), dx = static_cast<double>(p.q.shape()[3]),
               dv = static_cast<double>(p.v.shape()[3]);
  return static_cast<double>(p.heads()) * dx * dv < 1e5 && tokens * (dx + dv) < 1e5 && tokens * static_cast<double>(p.options.window) < 1e4;
}

/// Unless inputs are so large that true values overflow.
bool is_tame(program::problem const& p) {
  for (auto const* a : {&p.q, &p.k, &p.v, &p.size, &p.forget})
    for (double x : *a)
      if (x != 0 && !(std::abs(x) < 1e20 && std::abs(x) > 1e-20)) return false;
  for (auto const& m : p.entries)
    for (double x : m.S.reshaped())
      if (!(std::abs(x) < 1e20)) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::room const room;
  fuzz::fs::path const in = room.path / "case", out = room.path / "out";
  fuzz::unpack(data, size, in);
  auto const before = fuzz::contents(out);
  try {
    program::problem p = program::read_problem(in);
    if (!is_small(p)) return 0;
    p.options.form = form::recurrent;
    program::results const want = program::apply<double>(p);
    program::write(want, out.string(), false);
    bool const tame = is_tame(p) && p.rule.law == step_law::normalised && p.options.clamp;
    for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
      p.options.form = f;
      program::results const got = program::apply<double>(p);
      fuzz::must(got.arrays.size() == want.arrays.size(), "every form writes the same files");
      for (std::size_t i = 0; i < got.arrays.size(); ++i) {
        fuzz::must(got.arrays[i].second.shape() == want.arrays[i].second.shape(), "and shapes");
        if (tame && !p.options.normalized_read)
          for (double x : got.arrays[i].second) fuzz::must(std::isfinite(x), "finite numbers give finite numbers");
      }
    }
  } catch (contract_error const&) {
    fuzz::must(fuzz::contents(out) == before, "a refusal writes nothing");
  }
  return 0;
}
