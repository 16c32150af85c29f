// SPDX-License-Identifier: Apache-2.0
#include <fwa/reader.hpp>

#include "support/approx.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <algorithm>
#include <vector>

namespace fwa {
namespace {

constexpr index_t d = 4, dv = 3;

std::vector<rule> all_rules() {
  std::vector<rule> rules(std::begin(falcon_rules), std::end(falcon_rules));
  rules.insert(rules.end(), std::begin(neighbour_rules), std::end(neighbour_rules));
  return rules;
}

TEST_CASE("streaming_is_recurrent: token by token, the same bits as the batch call") {
  for (rule const& r : all_rules())
    for (auto when : {timing::read_after_write, timing::read_before_write})
      for (index_t B : {1, 2, 4}) {
        if (B > 1 && !r.windowed) continue;
        auto const h = test::some_head(r, 40, d, dv, 1);
        options o;
        o.window = B;
        o.timing = when;
        o.form = form::recurrent;
        o.feature = feature::rms_norm;
        auto const want = attend<double>(r, h.all(), o);
        reader<double> stream(r, d, dv, o);
        for (index_t t = 0; t < h.count(); ++t) {
          auto const one = h.slice(t, 1);
          CHECK(test::identical(stream.step(one.q, one.k, one.v, one.size, one.forget), want.o.row(t).eval()));
          CHECK(test::identical(stream.last_plan().eta, want.eta.row(t).eval()));
          CHECK(test::identical(stream.last_plan().schedule.gamma, want.gamma.row(t).eval()));
        }
        CHECK(test::identical(stream.memory(), want.memory));
      }
}

TEST_CASE("a normalised stream") {
  auto const h = test::some_head(falcon_3a, 20, d, dv, 2);
  options o;
  o.window = 3;
  o.form = form::recurrent;
  o.normalized_read = 1e-3;
  o.feature = feature::elu_plus_one;
  auto const want = attend<double>(falcon_3a, h.all(), o);
  reader<double> stream(falcon_3a, d, dv, o);
  for (index_t t = 0; t < 20; ++t) {
    auto const one = h.slice(t, 1);
    CHECK(test::identical(stream.step(one.q, one.k, one.v, h.size(t, 0), h.forget(t, 0)), want.o.row(t).eval()));
  }
  CHECK(test::identical(stream.memory(), want.memory));
}

TEST_CASE("reads and steps continue each other") {
  for (rule const& r : falcon_rules) {
    auto const h = test::some_head(r, 300, d, dv, 3);
    options o;
    o.window = r.windowed ? 4 : 1;
    o.chunk = 16;
    reader<double> mixed(r, d, dv, o);
    mat<double> out(300, dv);
    index_t first = 0;
    for (index_t n : {0, 1, 150, 1, 1, 0, 140, 7}) {
      if (n == 1) {
        auto const one = h.slice(first, 1);
        out.row(first) = mixed.step(one.q, one.k, one.v, one.size, one.forget);
      } else {
        mixed.read(h.slice(first, n).all(), out.middleRows(first, n));
      }
      first += n;
    }
    REQUIRE(first == 300);
    auto const want = attend<double>(r, h.all(), o);
    CHECK_CLOSE(out, want.o, test::forms);
    CHECK_SAME_MEMORY(mixed.memory(), want.memory, test::forms);
  }
}

TEST_CASE("segments change no bit: a read of any length is one map") {
  for (form f : {form::recurrent, form::chunk})
    for (index_t C : {16, 20, 100}) {
      index_t const cut = 20 * C > 700 ? 3 * C : 20 * C;
      auto const h = test::some_head(falcon_23, 700, d, dv, 4);
      options o;
      o.window = 3;
      o.chunk = C;
      o.form = f;
      auto const whole = attend<double>(falcon_23, h.all(), o);
      auto const first = attend<double>(falcon_23, h.slice(0, cut).all(), o);
      auto const second = attend<double>(falcon_23, h.slice(cut, 700 - cut).all(), o, first.memory);
      CHECK(test::identical(whole.o.topRows(cut).eval(), first.o));
      CHECK(test::identical(whole.o.bottomRows(700 - cut).eval(), second.o));
      CHECK(test::identical(whole.memory, second.memory));
    }
}

TEST_CASE("plans arrive segment by segment, and cover the tokens once; the forms of a whole sequence have one") {
  auto const h = test::some_head(falcon_1, 300, d, dv, 5);
  for (form f : {form::recurrent, form::chunk, form::masked, form::chunk_scan}) {
    options how;
    how.form = f;
    reader<double> head(falcon_1, d, dv, how);
    mat<double> o(300, dv);
    index_t next = 0;
    head.read(h.all(), o, [&](index_t first, plan<double> const& p) {
      CHECK(first == next);
      bool const whole = f == form::masked || f == form::chunk_scan;
      CHECK(p.eta.rows() == (whole ? 300 : std::min<index_t>(64, 300 - first)));
      next += p.eta.rows();
    });
    CHECK(next == 300);
  }
}

TEST_CASE("tokens may be blocks of larger matrices, and outputs too") {
  auto const h = test::some_head(falcon_1, 12, d, dv, 6);
  mat<double> wide = mat<double>::Zero(12, 20), out = mat<double>::Zero(14, 9);
  wide.middleCols(1, d) = h.q;
  wide.middleCols(6, d) = h.k;
  wide.middleCols(13, dv) = h.v;
  reader<double> head(falcon_1, d, dv);
  head.read({wide.middleCols(1, d), wide.middleCols(6, d), wide.middleCols(13, dv), {step_law::normalised, h.size, h.forget}},
            out.block(1, 2, 12, dv));
  CHECK(test::identical(out.block(1, 2, 12, dv).eval(), attend<double>(falcon_1, h.all()).o));
  CHECK(out.leftCols(2).isZero(0));
  CHECK(out.rightCols(4).isZero(0));
  CHECK(out.row(0).isZero(0));
}

TEST_CASE("the last output may be the next token's query, key or value; outputs of a read may share memory with values only") {
  auto const h = test::some_head(falcon_1, 6, 3, 3, 9);
  for (int role = 0; role < 3; ++role) {
    reader<double> itself(falcon_1, 3, 3), copied(falcon_1, 3, 3);
    row<double> const *last = &itself.step(h.q.row(0), h.k.row(0), h.v.row(0), 0.5, 0.1),
                      *other = &copied.step(h.q.row(0), h.k.row(0), h.v.row(0), 0.5, 0.1);
    for (index_t t = 1; t < 6; ++t) {
      row<double> const copy = *other;
      last = &itself.step(role == 0 ? view<double>(*last) : view<double>(h.q.row(t)),
                          role == 1 ? view<double>(*last) : view<double>(h.k.row(t)),
                          role == 2 ? view<double>(*last) : view<double>(h.v.row(t)), 0.5, 0.1);
      other = &copied.step(role == 0 ? copy : row<double>(h.q.row(t)), role == 1 ? copy : row<double>(h.k.row(t)),
                           role == 2 ? copy : row<double>(h.v.row(t)), 0.5, 0.1);
      CHECK(test::identical(*last, *other));
    }
    CHECK(test::identical(itself.memory(), copied.memory()));
  }
  mat<double> q = h.q, k = h.k, v = h.v;
  reader<double> head(falcon_1, 3, 3);
  CHECK_THROWS_AS(head.read({q, k, v, {step_law::normalised, h.size, h.forget}}, q), contract_error);
  CHECK_THROWS_AS(head.read({q, k, v, {step_law::normalised, h.size, h.forget}}, k), contract_error);
  mat<double> side_by_side(6, 6);
  side_by_side.leftCols(3) = h.q;
  reader<double> beside(falcon_1, 3, 3);
  beside.read({side_by_side.leftCols(3), k, v, {step_law::normalised, h.size, h.forget}}, side_by_side.rightCols(3));
  CHECK(test::identical(side_by_side.rightCols(3).eval(), attend<double>(falcon_1, h.all()).o));
  CHECK_THROWS_AS(beside.read({side_by_side.leftCols(3), k, v, {step_law::normalised, h.size, h.forget}}, side_by_side.middleCols(2, 3)),
                  contract_error);
  head.read({q, k, v, {step_law::normalised, h.size, h.forget}}, v);
  CHECK(test::identical(v, attend<double>(falcon_1, h.all()).o));
}

TEST_CASE("outputs may stand anywhere but on a query; with rows of another distance not even among its rows") {
  using rows_of = Eigen::Map<mat<double>, 0, Eigen::OuterStride<>>;
  std::vector<double> room(200);
  rows_of none(room.data(), 0, 3, Eigen::OuterStride<>(1));
  CHECK_NOTHROW(reader<double>(falcon_1, 3, 3).read({none, none, none, gains<double>(mat<double>(0, 1), mat<double>(0, 1))}, none));
  for (index_t count : {1, 2, 3})
    for (index_t width : {1, 3})
      for (index_t distance : {6, 7})
        for (std::size_t at = 80; at <= 120; ++at) {
          auto const h = test::some_head(falcon_1, count, 3, width, 10);
          rows_of q(&room[100], count, 3, Eigen::OuterStride<>(6)), o(&room[at], count, width, Eigen::OuterStride<>(distance));
          q = h.q;
          bool shared = false, refused = false;
          for (index_t i = 0; i < count * width; ++i)
            for (index_t j = 0; j < count * 3; ++j) shared = shared || &o(i / width, i % width) == &q(j / 3, j % 3);
          reader<double> head(falcon_1, 3, width);
          try {
            head.read({q, h.k, h.v, {h.law, h.size, h.forget}}, o);
          } catch (contract_error const&) {
            refused = true;
          }
          CAPTURE(at);
          CAPTURE(count);
          if (shared || distance == 6) CHECK(refused == shared);
          if (!refused) CHECK(test::identical(o, attend<double>(falcon_1, h.all()).o));
        }
}

}  // namespace
}  // namespace fwa
