// SPDX-License-Identifier: Apache-2.0
// case.hpp — one problem on disk: a folder with case.json and .npy arrays.
//
//   q, k [T, d]   v [T, dv]   beta [T] or [T, dv]   lambda [T]   (eta, gamma, both shaped as beta, for a rule that takes steps as given)
//   memory, where present: s0 [dx, dv]   z0, carry_x [dx]   tail_x [n, dx]   tail_v [n, dv]
//   offsets [N + 1]: N fresh sequences laid end to end
//
// With arrays of rank 4 the same for a batch of heads: q [batch, T, head, d] …, s0 [batch, head, dx, dv] ….
#pragma once

#include <fwa/batch/npy.hpp>
#include <fwa/form/memory.hpp>
#include <fwa/options.hpp>
#include <fwa/rule/rule.hpp>

#include <filesystem>
#include <optional>
#include <vector>

namespace fwa::program {

struct problem {
  fwa::rule rule;
  fwa::options options;
  std::optional<index_t> chunk;         ///< what the case asks for; options.chunk has it too
  bool batched = false;                 ///< the arrays on disk are of rank 4; here they always are, with one batch entry and head else
  xt::xarray<double> q, k, v;           ///< [batch, T, head, ·]
  xt::xarray<double> size;              ///< β or η, [batch, T, head] or [batch, T, head, dv]
  xt::xarray<double> forget;            ///< λ, [batch, T, head]; or γ, shaped as η
  std::vector<memory<double>> entries;  ///< none (fresh), or one a head
  std::optional<std::vector<index_t>> offsets;

  [[nodiscard]] std::size_t tokens() const { return q.shape()[1]; }
  [[nodiscard]] std::size_t heads() const { return q.shape()[0] * q.shape()[2]; }
};

/// Reads and checks a folder.   @throws contract_error that names the file, what it must be and what it is
[[nodiscard]] problem read_problem(std::filesystem::path const& folder);

}  // namespace fwa::program
