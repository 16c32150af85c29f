// SPDX-License-Identifier: Apache-2.0
#include <fwa/attend.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace fwa {
namespace {

using test::head;
using test::some_head;

constexpr form all_forms[] = {form::recurrent, form::masked, form::chunk, form::chunk_scan};
constexpr index_t d = 4, dv = 3;

options choices(rule const& r, pairing how, form f = form::recurrent) {
  options o;
  o.window = r.windowed ? 4 : 1;
  o.chunk = 5;
  o.pairing = how;
  o.form = f;
  return o;
}

memory<double> some_state() {
  memory<double> m;
  m.S = test::dice(7).matrix(d, dv);
  return m;
}

/// The outputs of all calls, one below the other, each continuing the one before.
outcome<double> in_pieces(rule const& r, head<double> const& h, options const& o, std::vector<index_t> const& cuts,
                          memory<double> const& entry = {}) {
  outcome<double> all{mat<double>(h.count(), dv), entry, {}, {}, {}};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    auto const piece = attend<double>(r, h.slice(cuts[i], cuts[i + 1] - cuts[i]).all(), o, all.memory);
    all.o.middleRows(cuts[i], piece.o.rows()) = piece.o;
    all.memory = piece.memory;
  }
  return all;
}

TEST_CASE("continuation: cut anywhere, the recurrent form gives the same bits") {
  index_t const count = 13;
  for (rule const& r : falcon_rules)
    for (auto how : {pairing::shifted, pairing::same_step}) {
      auto const h = some_head(r, count, d, dv, 1);
      options const o = choices(r, how);
      auto const whole = attend<double>(r, h.all(), o, some_state());
      std::vector<index_t> every;
      for (index_t cut = 0; cut <= count; ++cut) {
        every.push_back(cut);
        auto const two = in_pieces(r, h, o, {0, cut, count}, some_state());
        CHECK(test::identical(two.o, whole.o));
        CHECK(test::identical(two.memory, whole.memory));
      }
      auto const singles = in_pieces(r, h, o, every, some_state());
      CHECK(test::identical(singles.o, whole.o));
      CHECK(test::identical(singles.memory, whole.memory));
    }
}

TEST_CASE("continuation: in every form, across calls of any length") {
  index_t const count = 29;
  for (rule const& r : falcon_rules)
    for (form f : all_forms)
      for (auto how : {pairing::shifted, pairing::same_step}) {
        auto const h = some_head(r, count, d, dv, 2);
        auto const whole = attend<double>(r, h.all(), choices(r, how), some_state());
        for (std::vector<index_t> const& cuts : {std::vector<index_t>{0, 1, 2, 3, 29}, {0, 0, 14, 14, 29}, {0, 28, 29}, {0, 7, 20, 29}}) {
          auto const pieces = in_pieces(r, h, choices(r, how, f), cuts, some_state());
          CHECK_CLOSE(pieces.o, whole.o, test::forms);
          CHECK_SAME_MEMORY(pieces.memory, whole.memory, test::forms);
        }
      }
}

TEST_CASE("continuation: the normalised read carries its normaliser") {
  for (rule const& r : {falcon_1a, falcon_3a}) {
    auto const h = some_head(r, 20, d, dv, 3);
    options o = choices(r, pairing::shifted);
    o.normalized_read = 1e-3;
    o.feature = feature::elu_plus_one;
    auto const whole = attend<double>(r, h.all(), o);
    for (index_t cut : {1, 7, 19}) {
      auto const two = in_pieces(r, h, o, {0, cut, 20});
      CHECK(test::identical(two.o, whole.o));
      CHECK(test::identical(two.memory, whole.memory));
    }
    auto first = attend<double>(r, h.slice(0, 7).all(), o).memory;
    first.z->setConstant(0);
    CHECK(test::distance(attend<double>(r, h.slice(7, 13).all(), o, first).o, whole.o.bottomRows(13).eval()) > 1e-3);
  }
}

TEST_CASE("every part of the memory matters") {
  auto const h = some_head(falcon_3, 20, d, dv, 4);
  options const o = choices(falcon_3, pairing::shifted);
  mat<double> const want = attend<double>(falcon_3, h.all(), o).o.bottomRows(10);
  memory<double> const whole = attend<double>(falcon_3, h.slice(0, 10).all(), o).memory;
  auto without = [&](std::function<void(memory<double>&)> drop) {
    memory<double> m = whole;
    drop(m);
    return test::distance(attend<double>(falcon_3, h.slice(10, 10).all(), o, m).o, want);
  };
  CHECK(without([](auto&) {}) == 0);
  CHECK(without([](auto& m) { m.S.setZero(); }) > 1e-3);
  CHECK(without([](auto& m) { m.tail_x.resize(0, 0), m.tail_y.resize(0, 0); }) > 1e-3);
  CHECK(without([](auto& m) { m.tail_x = m.tail_x.bottomRows(2).eval(), m.tail_y = m.tail_y.bottomRows(2).eval(); }) > 1e-3);
  CHECK(without([](auto& m) { m.tail_x.resize(0, 0), m.tail_y.resize(0, 0), m.last_feature.reset(); }) > 1e-3);
  CHECK(without([](auto& m) { m.last_feature->setZero(); }) > 1e-3);  // fresh means absent, not zero
}

TEST_CASE("a memory in other numbers has the same parts") {
  memory<double> m = some_state();
  m.tail_x = test::dice(8).matrix(2, d);
  m.tail_y = test::dice(9).matrix(2, dv);
  for (int part = 0; part < 2; ++part) {
    m.last_feature.reset();
    m.z.reset();
    (part == 0 ? m.last_feature : m.z) = row<double>::LinSpaced(d, 1, 2);
    CHECK(test::identical(m.cast<long double>().cast<double>(), m));
  }
}

TEST_CASE("a fresh shifted sequence reads a given state before it touches it") {
  memory<double> const entry = some_state();
  for (rule const& r : falcon_rules)
    for (form f : all_forms)
      for (auto when : {timing::read_after_write, timing::read_before_write}) {
        auto const h = some_head(r, 1, d, dv, 5, 100);
        options o = choices(r, pairing::shifted, f);
        o.timing = when;
        auto const got = attend<double>(r, h.all(), o, entry);
        CHECK(test::identical(got.memory.S, entry.S));
        CHECK_CLOSE(got.o, (h.q * entry.S).eval(), test::forms);
        CHECK((got.eta.array() == 0).all());
        CHECK((got.gamma.array() == 1).all());
        CHECK(!got.clamped.any());
        CHECK(got.memory.tail_x.rows() == 0);
        CHECK(*got.memory.last_feature == h.k.row(0));
      }
}

TEST_CASE("the sentinel stands in feature space, where phi(0) need not be 0") {
  auto const h = some_head(falcon_1, 1, d, dv, 5, 100);
  options o;
  o.feature = feature::elu_plus_one;
  CHECK(test::identical(attend<double>(falcon_1, h.all(), o, some_state()).memory.S, some_state().S));
}

TEST_CASE("causality: what comes later leaves what came earlier as it was, bit for bit") {
  index_t const count = 21;
  for (rule const& r : falcon_rules)
    for (index_t t : {0, 1, 10, 19}) {
      auto const h = some_head(r, count, d, dv, 6);
      auto changed = some_head(r, count, d, dv, 60);
      for (auto member : {&head<double>::q, &head<double>::k, &head<double>::v, &head<double>::size, &head<double>::forget})
        (changed.*member).topRows(t + 1) = (h.*member).topRows(t + 1);
      for (auto how : {pairing::shifted, pairing::same_step}) {
        options const o = choices(r, how);
        auto const a = attend<double>(r, h.all(), o, some_state()), b = attend<double>(r, changed.all(), o, some_state());
        CHECK(test::identical(a.o.topRows(t + 1).eval(), b.o.topRows(t + 1).eval()));
        CHECK(!test::identical(a.o, b.o));
        options const chunked = choices(r, how, form::chunk);
        CHECK_CLOSE(attend<double>(r, changed.all(), chunked, some_state()).o.topRows(t + 1).eval(), a.o.topRows(t + 1).eval(),
                    test::forms);
      }
    }
}

TEST_CASE("no tokens: no outputs, and the memory is what it was") {
  for (rule const& r : falcon_rules)
    for (form f : all_forms)
      for (auto how : {pairing::shifted, pairing::same_step}) {
        options const o = choices(r, how, f);
        auto const h = some_head(r, 9, d, dv, 7);
        auto const before = attend<double>(r, h.all(), o).memory;
        auto const after = attend<double>(r, h.slice(0, 0).all(), o, before);
        CHECK(after.o.rows() == 0);
        CHECK(after.o.cols() == dv);
        CHECK(after.eta.rows() == 0);
        CHECK(test::identical(after.memory, before));
        auto const fresh = attend<double>(r, h.slice(0, 0).all(), o);
        CHECK(!fresh.memory.last_feature);
        CHECK(test::identical(fresh.memory.S, mat<double>::Zero(d, dv).eval()));
      }
}

TEST_CASE("the masked form is one system, whatever the length: the bits of masked()") {
  for (rule const& r : {falcon_1, falcon_1a, falcon_2, falcon_3}) {
    auto const h = some_head(r, 90, d, dv, 8);
    options const o = choices(r, r.pairing, form::masked);
    pairs<double> const p = align<double>(h.k, h.v, r.pairing);
    auto const plan = make_plan<double>(r.rho, p, h.all().drive, o).schedule;
    reading<double> const want = masked<double>(h.q, p, plan, o.timing, mat<double>::Zero(d, dv));
    auto const got = attend<double>(r, h.all(), o);
    CHECK(test::identical(got.o, want.o));
    CHECK(test::identical(got.memory.S, want.S));
  }
}

TEST_CASE("packing: each sequence as if it were alone") {
  std::vector<index_t> const offsets = {0, 0, 1, 8, 8, 20, 21, 21};
  for (rule const& r : falcon_rules)
    for (form f : all_forms) {
      options const o = choices(r, pairing::shifted, f);
      auto const h = some_head(r, 21, d, dv, 8);
      std::vector<memory<double>> entries;
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i) entries.push_back(attend<double>(r, some_head(r, 6, d, dv, i).all(), o).memory);
      for (int given = 0; given < 2; ++given) {
        auto const all = attend_packed<double>(r, h.all(), offsets, o,
                                               given ? std::span<memory<double> const>(entries) : std::span<memory<double> const>{});
        REQUIRE(all.size() == offsets.size() - 1);
        for (std::size_t i = 0; i < all.size(); ++i) {
          index_t const n = offsets[i + 1] - offsets[i];
          auto const one = attend<double>(r, h.slice(offsets[i], n).all(), o, given ? entries[i] : memory<double>{});
          CHECK(test::identical(all[i].o, one.o));
          CHECK(test::identical(all[i].eta, one.eta));
          CHECK(test::identical(all[i].memory, one.memory));
          if (n == 0 && !given) CHECK((all[i].memory.S.array() == 0).all());
        }
      }
    }
  CHECK(attend_packed<double>(falcon_1, some_head(falcon_1, 0, d, dv, 1).all(), std::vector<index_t>{0}).empty());
}

TEST_CASE("the schedule that an outcome reports covers every token of a long read") {
  auto const h = some_head(falcon_2, 300, d, dv, 9, 50);
  options o;
  o.epsilon_gamma = 0.25;
  auto const want = test::naively(falcon_2, h, o);
  for (form f : all_forms) {
    o.form = f;
    auto const got = attend<double>(falcon_2, h.all(), o);
    CHECK_CLOSE(got.eta, want.eta, test::forms);
    CHECK_CLOSE(got.gamma, want.gamma, test::forms);
    CHECK(test::identical(got.clamped, want.clamped));
    CHECK(got.clamped.any());
    CHECK(!got.clamped.all());
    CHECK_CLOSE(got.o, want.o, test::forms);
  }
}

}  // namespace
}  // namespace fwa
