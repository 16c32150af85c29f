// SPDX-License-Identifier: Apache-2.0
// golden/cases.hpp — the golden cases, and how results are held against them.
//
// A case is a problem and what 60 digits give for it, rounded once to double.
#pragma once

#include "../../program/case.hpp"
#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/attend.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fwa::test {

struct golden_case {
  std::string name;
  program::problem problem;
  std::map<std::string, mat<double>>
      want;  ///< o, s, eta, gamma, carry_x, tail_x, tail_v, z; a vector is a column, s of N sequences (N dx, dv)
};

inline mat<double> as_matrix(xt::xarray<double> const& a) {
  auto const cols = a.dimension() < 2 ? index_t(1) : static_cast<index_t>(a.shape().back());
  index_t rows = 1;
  for (std::size_t axis = 0; axis + (a.dimension() < 2 ? 0 : 1) < a.dimension(); ++axis) rows *= static_cast<index_t>(a.shape()[axis]);
  return Eigen::Map<mat<double> const>(a.data(), rows, cols);
}

inline std::vector<golden_case> golden_cases() {
  std::vector<golden_case> cases;
  for (auto const& folder : std::filesystem::directory_iterator(FWA_SOURCE_DIR "/tests/vectors")) {
    if (!folder.is_directory()) continue;
    golden_case c{folder.path().filename().string(), program::read_problem(folder.path()), {}};
    for (auto const& file : std::filesystem::directory_iterator(folder.path()))
      if (std::string const stem = file.path().stem().string(); stem.starts_with("want_"))
        c.want[stem.substr(5)] = as_matrix(read_npy<double>(file.path()));
    cases.push_back(std::move(c));
  }
  std::ranges::sort(cases, {}, &golden_case::name);
  REQUIRE_GE(cases.size(), 100);
  return cases;
}

/// The tokens of a case in numbers of type T.
template <class T>
head<T> head_of(program::problem const& p) {
  using S = accumulator_t<T>;
  auto rows = [&]<class N>(xt::xarray<double> const& a, N) {
    index_t const cols = a.dimension() == 4 ? static_cast<index_t>(a.shape()[3]) : 1;
    return mat<N>(Eigen::Map<mat<double> const>(a.data(), static_cast<index_t>(p.tokens()), cols).template cast<N>());
  };
  return {rows(p.q, T()), rows(p.k, T()), rows(p.v, T()), rows(p.size, S()), rows(p.forget, S()), p.rule.law};
}

inline memory<double> entry_of(program::problem const& p) { return p.entries.empty() ? memory<double>{} : p.entries.front(); }

/// Forms and chunks that a case is tried in.
inline std::vector<options> ways(program::problem const& p) {
  std::vector<options> all;
  auto add = [&](form f, index_t chunk) {
    options o = p.options;
    o.form = f;
    o.chunk = chunk;
    all.push_back(o);
  };
  add(form::recurrent, 1);
  add(form::masked, 1);
  std::vector<index_t> chunks = {1, 3, 16, 64};
  if (p.chunk && std::ranges::find(chunks, *p.chunk) == chunks.end()) chunks.push_back(*p.chunk);
  for (form const f : {form::chunk, form::chunk_scan})
    for (index_t const C : chunks) add(f, C);
  return all;
}

inline std::string describe(golden_case const& c, options const& o) {
  char const* const names[] = {"recurrent", "masked", "chunk", "chunk_scan"};
  return c.name + ", " + names[static_cast<int>(o.form)] + ", C = " + std::to_string(o.chunk);
}

/// Calls see(name, got) for each result of which the case tells the value.
template <class S, class See>
void each_of(golden_case const& c, memory<S> const& m, See see) {
  auto maybe = [&](char const* name, auto const& got) {
    if (c.want.contains(name)) see(name, mat<S>(got));
  };
  REQUIRE(m.last_feature.has_value() == c.want.contains("carry_x"));
  REQUIRE(m.z.has_value() == c.want.contains("z"));
  maybe("s", m.S);
  if (m.last_feature) maybe("carry_x", m.last_feature->transpose());
  if (m.z) maybe("z", m.z->transpose());
  if (c.want.contains("tail_x") || m.tail_x.rows() > 0) {
    REQUIRE(c.want.contains("tail_x"));
    REQUIRE(m.tail_x.rows() == c.want.at("tail_x").rows());
    if (m.tail_x.rows() == 0) return;
    see("tail_x", m.tail_x);
    see("tail_v", m.tail_y);
  }
}

template <class T, class See>
void each_of(golden_case const& c, outcome<T> const& got, See see) {
  see("o", got.o);
  see("eta", got.eta);
  see("gamma", got.gamma);
  each_of(c, got.memory, see);
}

/// η: relative, entry by entry. γ: relative where β ≤ 1, absolute elsewhere. Empty where it holds.
template <class M>
std::string step_mismatch(std::string const& name, M const& got, mat<double> const& want, mat<double> const& beta, double relative,
                          double absolute) {
  if (got.rows() != want.rows() || got.cols() != want.cols()) return name + " has another shape";
  for (index_t t = 0; t < want.rows(); ++t)
    for (index_t j = 0; j < want.cols(); ++j) {
      double const allowed = name == "eta" || beta(t, j) <= 1 ? relative * std::abs(want(t, j)) : absolute;
      double const found = std::abs(static_cast<double>(got(t, j) - static_cast<typename M::Scalar>(want(t, j))));
      if (!(found <= allowed)) {
        std::ostringstream out;
        out.precision(17);
        out << name << '[' << t << ", " << j << "] = " << static_cast<double>(got(t, j)) << ", want " << want(t, j);
        return out.str();
      }
    }
  return {};
}

}  // namespace fwa::test
