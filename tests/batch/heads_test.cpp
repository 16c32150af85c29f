// SPDX-License-Identifier: Apache-2.0
// Many heads: each is what it is alone, bit for bit, for any number of threads; the first head's error is the one that is told.
#include <fwa/batch/heads.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include "support/head.hpp"

#include <doctest/doctest.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <vector>

using namespace fwa;
using namespace fwa::test;

namespace {

struct batch {
  std::size_t batches, time, heads, d, dv;
  xt::xtensor<double, 4> q, k, v;
  xt::xarray<double> size, forget;
};

batch some_batch(rule const& r, std::size_t batches, std::size_t time, std::size_t heads, std::size_t d, std::size_t dv) {
  dice roll(7);
  batch b{batches,
          time,
          heads,
          d,
          dv,
          xt::xtensor<double, 4>({batches, time, heads, d}),
          xt::xtensor<double, 4>({batches, time, heads, d}),
          xt::xtensor<double, 4>({batches, time, heads, dv}),
          {},
          {}};
  b.size = xt::xarray<double>::from_shape(r.per_column ? shape_t{batches, time, heads, dv} : shape_t{batches, time, heads});
  b.forget = xt::xarray<double>::from_shape(r.per_column && r.law == step_law::given ? shape_t{batches, time, heads, dv}
                                                                                     : shape_t{batches, time, heads});
  for (double& x : b.q) x = roll.uniform(-1, 1);
  for (double& x : b.k) x = roll.uniform(-1, 1);
  for (double& x : b.v) x = roll.uniform(-1, 1);
  for (double& x : b.size) x = roll.uniform(0, 1);
  for (double& x : b.forget) x = roll.uniform(0, 1);
  return b;
}

/// Head h of batch entry b, copied out.
head<double> head_of(rule const& r, batch const& all, std::size_t b, std::size_t h) {
  auto rows = [&](double const* data, std::size_t width) {
    mat<double> m(static_cast<index_t>(all.time), static_cast<index_t>(width));
    for (std::size_t t = 0; t < all.time; ++t)
      for (std::size_t j = 0; j < width; ++j)
        m(static_cast<index_t>(t), static_cast<index_t>(j)) = data[((b * all.time + t) * all.heads + h) * width + j];
    return m;
  };
  return {rows(all.q.data(), all.d),
          rows(all.k.data(), all.d),
          rows(all.v.data(), all.dv),
          rows(all.size.data(), r.per_column ? all.dv : 1),
          rows(all.forget.data(), r.per_column && r.law == step_law::given ? all.dv : 1),
          r.law};
}

[[maybe_unused]] bool same(heads_outcome<double> const& a, heads_outcome<double> const& b) {
  bool all = a.o == b.o && a.S == b.S && a.eta == b.eta && a.gamma == b.gamma && a.clamped == b.clamped;
  for (std::size_t i = 0; i < a.memories.size(); ++i) all = all && identical(a.memories[i], b.memories[i]);
  return all && a.memories.size() == b.memories.size();
}

}  // namespace

TEST_CASE("heads_are_independent: each is what it is alone, and continues from its own memory") {
  std::vector<rule> rules(std::begin(falcon_rules), std::end(falcon_rules));
  rules.push_back(delta_net);
  rules.push_back({"steps of each column", residual::zero, true, false, step_law::given, pairing::same_step});
  for (std::size_t const time : {std::size_t{21}, std::size_t{1}})
    for (rule const& r : rules) {
      INFO(std::string(r.name));
      options o;
      o.window = r.windowed ? 3 : 1;
      o.chunk = 8;
      batch const all = some_batch(r, 2, time, 3, 5, 4);
      heads_outcome<double> const first = attend_heads<double>(r, all.q, all.k, all.v, all.size, all.forget, o);
      heads_outcome<double> const second = attend_heads<double>(r, all.q, all.k, all.v, all.size, all.forget, o, first.memories);
      for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t h = 0; h < 3; ++h) {
          head<double> const one = head_of(r, all, b, h);
          outcome<double> const alone = attend<double>(r, one.all(), o), more = attend<double>(r, one.all(), o, alone.memory);
          CHECK(identical(first.memories[b * 3 + h], alone.memory));
          CHECK(identical(second.memories[b * 3 + h], more.memory));
          for (std::size_t t = 0; t < time; ++t) {
            auto const at = static_cast<index_t>(t);
            for (std::size_t j = 0; j < 4; ++j) {
              CHECK(first.o(b, t, h, j) == alone.o(at, static_cast<index_t>(j)));
              CHECK(second.o(b, t, h, j) == more.o(at, static_cast<index_t>(j)));
            }
            CHECK((r.per_column ? first.eta(b, t, h, 1) : first.eta(b, t, h)) == alone.eta(at, r.per_column ? 1 : 0));
            CHECK((r.per_column ? first.gamma(b, t, h, 1) : first.gamma(b, t, h)) == alone.gamma(at, r.per_column ? 1 : 0));
            CHECK((r.per_column ? first.clamped(b, t, h, 1) : first.clamped(b, t, h)) == alone.clamped(at, r.per_column ? 1 : 0));
          }
          for (std::size_t i = 0; i < 5; ++i) CHECK(first.S(b, h, i, 2) == alone.memory.S(static_cast<index_t>(i), 2));
        }
    }
}

#ifdef _OPENMP
TEST_CASE("threads_change_nothing: heads on one thread and on several") {
  for (form const f : {form::recurrent, form::masked, form::chunk, form::chunk_scan}) {
    options o;
    o.form = f;
    o.window = 4;
    batch const all = some_batch(falcon_3, 3, 70, 5, 33, 40);
    int const before = omp_get_max_threads();
    omp_set_num_threads(1);
    heads_outcome<double> const one = attend_heads<double>(falcon_3, all.q, all.k, all.v, all.size, all.forget, o);
    for (int const n : {2, 3, 8}) {
      omp_set_num_threads(n);
      CHECK(same(one, attend_heads<double>(falcon_3, all.q, all.k, all.v, all.size, all.forget, o)));
    }
    omp_set_num_threads(before);
  }
}
#endif

TEST_CASE("heads: tokens are read in place") {
  xt::xtensor<double, 4> const q({2, 5, 3, 4}, 1.0);
  detail::head_layout const layout{2, 5, 3};
  view<double> const rows(layout.read(q.data(), 4, 4));
  CHECK(rows.data() == q.data() + (1 * 5 * 3 + 1) * 4);
  CHECK(rows.outerStride() == 12);
  CHECK(detail::head_layout{2, 0, 3}.offset(4, 4) == 0);  // an array without entries may have no address
}

TEST_CASE("heads: none, and heads without tokens") {
  for (auto const& [batches, time, heads] : {std::tuple{0, 3, 2}, std::tuple{2, 3, 0}, std::tuple{2, 0, 3}}) {
    batch const all =
        some_batch(falcon_2, static_cast<std::size_t>(batches), static_cast<std::size_t>(time), static_cast<std::size_t>(heads), 4, 3);
    heads_outcome<double> const out = attend_heads<double>(falcon_2, all.q, all.k, all.v, all.size, all.forget);
    CHECK(out.o.size() == 0);
    CHECK(out.memories.size() == static_cast<std::size_t>(batches * heads));
    CHECK(std::all_of(out.S.begin(), out.S.end(), [](double x) { return x == 0; }));
    for (memory<double> const& m : out.memories) CHECK(!m.last_feature);
  }
}

TEST_CASE("heads: none, but options all the same; states that no memory holds") {
  batch const none = some_batch(falcon_1, 0, 3, 2, 4, 3);
  options o;
  o.chunk = 0;
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, none.q, none.k, none.v, none.size, none.forget, o), contract_error);
  batch const huge = some_batch(falcon_1, std::size_t(1) << 31, 0, std::size_t(1) << 31, 1, 1);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, huge.q, huge.k, huge.v, huge.size, huge.forget), contract_error);
}

TEST_CASE("heads: the first head that is refused is the one named, whatever the threads do") {
  batch all = some_batch(falcon_1, 2, 9, 4, 3, 2);
  all.size(1, 3, 2) = 2.5;
  all.size(1, 8, 1) = -1;
  for (int repeat = 0; repeat < 20; ++repeat) try {
      (void)attend_heads<double>(falcon_1, all.q, all.k, all.v, all.size, all.forget);
      FAIL("accepted");
    } catch (contract_error const& e) {
      CHECK(std::string(e.what()).starts_with("attend_heads: batch 1, head 1: "));
      CHECK(std::string(e.what()).ends_with("beta[8, 0] must be in [0, 2), but is -1"));
    }
}

TEST_CASE("heads: shapes that disagree are refused") {
  batch const a = some_batch(falcon_1, 2, 9, 4, 3, 2), b = some_batch(falcon_1, 2, 8, 4, 3, 2), c = some_batch(falcon_2, 2, 9, 4, 3, 2);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, b.k, a.v, a.size, a.forget), contract_error);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, b.v, a.size, a.forget), contract_error);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, a.v, b.size, a.forget), contract_error);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, a.v, c.size, a.forget), contract_error);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_2, a.q, a.k, a.v, a.size, a.forget), contract_error);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, a.v, a.size, b.forget), contract_error);
  batch const more = some_batch(falcon_1, 3, 9, 4, 3, 2);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, a.v, more.size, a.forget), contract_error);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, a.v, a.size, more.forget), contract_error);
  std::vector<memory<double>> const few(3);
  CHECK_THROWS_AS((void)attend_heads<double>(falcon_1, a.q, a.k, a.v, a.size, a.forget, {}, few), contract_error);
}
