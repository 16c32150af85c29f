// SPDX-License-Identifier: Apache-2.0
// attend.hpp — the front door: keys and values in, readings and a memory out.
//
// Laws: continuation, packing, causality.
#pragma once

#include "reader.hpp"

#include <span>
#include <utility>
#include <vector>

namespace fwa {

template <class T>
struct outcome {
  mat<T> o;                              ///< (T, dv)
  fwa::memory<accumulator_t<T>> memory;  ///< continues the sequence
  mat<accumulator_t<T>> eta, gamma;      ///< (T, 1) or (T, dv)
  mat<bool> clamped;                     ///< where the decay floor acted
};

/// Reads a sequence.
/// @param r a rule of the tables in rule/   @param in one head   @param entry where an earlier call ended; default: fresh
/// @throws contract_error naming what, where and the value
template <token T>
[[nodiscard]] outcome<T> attend(rule const& r, tokens<T> const& in, options const& o = {}, memory<accumulator_t<T>> const& entry = {}) {
  using S = accumulator_t<T>;
  reader<T> head(r, in.q.cols(), in.v.cols(), o, entry);
  index_t const count = in.q.rows(), columns = in.drive.size.cols();
  outcome<T> out{mat<T>(count, in.v.cols()), {}, mat<S>(count, columns), mat<S>(count, columns), mat<bool>(count, columns)};
  head.read(in, out.o, [&out](index_t first, plan<S> const& p) { p.copy_to(first, out.eta, out.gamma, out.clamped); });
  out.memory = head.memory();
  return out;
}

/// Reads N sequences laid end to end: tokens [offsets[i], offsets[i+1]) are sequence i. Nothing crosses from one to the next.
/// @param offsets N + 1 of them, from 0 to T, none smaller than the one before   @param entries none, or one a sequence
/// @return one outcome a sequence; an empty sequence has no outputs and leaves its entry memory as it is (S = 0 where none)
template <token T>
[[nodiscard]] std::vector<outcome<T>> attend_packed(rule const& r, tokens<T> const& in, std::span<index_t const> offsets,
                                                    options const& o = {}, std::span<memory<accumulator_t<T>> const> entries = {}) {
  constexpr std::string_view who = "attend_packed";
  index_t const count = in.q.rows();
  require(!offsets.empty() && offsets.front() == 0, who, "offsets must start with 0");
  for (std::size_t i = 1; i < offsets.size(); ++i)
    require(offsets[i - 1] <= offsets[i], who, "offsets[", i, "] must be at least ", offsets[i - 1], ", but is ", offsets[i]);
  require(offsets.back() == count, who, "the last offset must be the number of tokens ", count, ", but is ", offsets.back());
  require(entries.empty() || entries.size() + 1 == offsets.size(), who, "there are ", offsets.size() - 1, " sequences, but ",
          entries.size(), " memories");
  check<accumulator_t<T>>(who, r, o, memory<accumulator_t<T>>{}, in.q.cols(), in.v.cols());
  check<T>(who, r, o, in, count, in.q.cols(), in.v.cols());
  require_finite(who, "q", in.q);  // here, so that rows are counted from the first token of all
  require_finite(who, "k", in.k);
  require_finite(who, "v", in.v);
  std::vector<outcome<T>> out;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    index_t const first = offsets[i], n = offsets[i + 1] - first;
    tokens<T> const part{in.q.middleRows(first, n),
                         in.k.middleRows(first, n),
                         in.v.middleRows(first, n),
                         {in.drive.law, in.drive.size.middleRows(first, n), in.drive.forget.middleRows(first, n)}};
    try {
      out.push_back(attend<T>(r, part, o, entries.empty() ? memory<accumulator_t<T>>{} : entries[i]));
    } catch (contract_error const& e) {
      refuse(who, "sequence ", i, ": ", e.what());
    }
  }
  return out;
}

}  // namespace fwa
