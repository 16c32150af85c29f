// SPDX-License-Identifier: Apache-2.0
// The forms ask of a scalar what `ring` says, the paper's forms and the step what `real` says, and nothing more: they compile over types
// that have nothing more, and give the numbers of the type inside.
#include "support/archetype.hpp"

#include "support/approx.hpp"
#include "support/head.hpp"
#include "support/problem.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace fwa::test {
namespace {

static_assert(ring<ring_archetype> && !field<ring_archetype>);
static_assert(real<real_archetype>);

/// The same numbers, out of their wrapping.
template <class M>
[[nodiscard]] auto unwrapped(M const& m) {
  return m.unaryExpr([](auto const& a) { return inside::of(a); }).eval();
}

TEST_CASE("every form, of a ring") {
  auto small = [](auto convert) {
    return [convert, bits = std::mt19937_64(2)](input) mutable { return convert(static_cast<int>(bits() % 5) - 2); };
  };
  for (rule const& r : corners)
    for (path f : paths) {
      shape s = shape_of(r, 2);
      s.T = 4;
      s.d = 2;
      s.dv = 2;
      s.before = s.B - 1;
      auto const got = solve(draw_problem<ring_archetype>(s, small([](int n) { return ring_archetype(n); })), f, 3);
      auto const want = solve(draw_problem<std::int64_t>(s, small([](int n) { return std::int64_t(n); })), path::recurrent, 3);
      CAPTURE(r.name);
      CHECK(identical(unwrapped(got.o), want.o));
      CHECK(identical(unwrapped(got.S), want.S));
    }
}

TEST_CASE("attention from keys to outputs, every rule, form and feature map; the paper's forms") {
  using R = real_archetype;
  auto wrapped = [](mat<double> const& m) { return mat<R>(m.unaryExpr([](double x) { return R(x); })); };
  for (rule const& r : falcon_rules)
    for (form f : {form::recurrent, form::masked, form::chunk, form::chunk_scan})
      for (feature phi : {feature::identity, feature::rms_norm, feature::l2_norm, feature::elu_plus_one, feature::relu}) {
        options o;
        o.window = r.windowed ? 3 : 1;
        o.form = f;
        o.chunk = 4;
        o.feature = phi;
        head<double> const h = some_head(r, 9, 3, 2, 1);
        head<R> const inner{wrapped(h.q), wrapped(h.k), wrapped(h.v), wrapped(h.size), wrapped(h.forget), h.law};
        mat<R> out(9, 2);
        reader<R>(r, 3, 2, o).read(inner.all(), out);
        CAPTURE(r.name);
        CHECK_CLOSE(unwrapped(out), attend<double>(r, h.all(), o).o, test::forms);
      }

  shape s = shape_of(falcon_1, 1);
  s.T = 5;
  auto const a = with_roots(draw_problem<R>(s, [n = 0](input) mutable { return R(0.125 * (++n % 7)); }));
  for (path f : paper_paths) CHECK_CLOSE(unwrapped(solve(a, f, 2).o), unwrapped(solve(a, path::recurrent, 2).o), test::forms);
}

}  // namespace
}  // namespace fwa::test
