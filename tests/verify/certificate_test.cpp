// SPDX-License-Identifier: Apache-2.0
// What a certificate rests on: which forms it asks, at which points, and how far it looks for a smaller case.
#include "support/fields.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

using namespace fwa;
using namespace fwa::verify;

namespace {

shape sized(rule const& r, index_t B, index_t T, index_t d, index_t dv) {
  shape s = shape_of(r, B);
  s.T = T, s.d = d, s.dv = dv, s.before = s.B - 1;
  return s;
}

template <class T>
concept prime = requires {
  T::modulus;
};

/// The library, noting what it is asked. In prime fields only.
struct witness {
  std::multiset<path>* asked;
  std::set<std::uint64_t>* firsts;  ///< q(0, 0) of each problem

  template <class T>
  reading<T> operator()(problem<T> const& a, path f, index_t C) const {
    if constexpr (prime<T>) {
      asked->insert(f);
      firsts->insert(a.q(0, 0).value());
      CHECK((a.sigma.size() > 0 || !is_paper(f)));
    }
    return solve(a, f, C);
  }
};

/// Wrong in one form, in one field or all, from some sizes on.
struct wrong {
  path form;
  shape from;
  index_t C = 1;
  std::uint64_t only = 0;

  template <class T>
  reading<T> operator()(problem<T> const& a, path f, index_t chunk) const {
    reading<T> r = solve(a, f, chunk);
    bool here = true;
    if constexpr (prime<T>) here = only == 0 || only == T::modulus;
    if (here && f == form && a.of.T >= from.T && a.of.B >= from.B && a.of.d >= from.d && a.of.dv >= from.dv && chunk >= C)
      r.S(0, 0) += T(1);
    return r;
  }
};

/// Of higher degree in the first output of one form.
struct of_higher_degree {
  path form;
  template <class T>
  reading<T> operator()(problem<T> const& a, path f, index_t C) const {
    reading<T> r = solve(a, f, C);
    if constexpr (!prime<T>)
      if (f == form) r.o(0, 0) = r.o(0, 0) * r.o(r.o.rows() - 1, 0) * r.o(r.o.rows() - 1, 0);
    return r;
  }
};

/// A question to WY over degrees in which some decays are variables, and nothing else is.
struct question {
  index_t T, d, dv;
  std::vector<index_t> decays;
  friend bool operator==(question const&, question const&) = default;
};

/// The library, noting those questions.
struct listener {
  std::vector<question>* asked;
  template <class T>
  reading<T> operator()(problem<T> const& a, path f, index_t C) const {
    if constexpr (!prime<T>) {
      auto constant = [](mat<T> const& m) { return m == mat<T>::Constant(m.rows(), m.cols(), T(1)); };
      if (f == path::wy && constant(a.q) && constant(a.p.x) && constant(a.p.y) && constant(a.sigma) && constant(a.S)) {
        asked->push_back({a.of.T, a.of.d, a.of.dv, {}});
        for (index_t k = 0; k < a.plan.gamma.size(); ++k)
          if (a.plan.gamma.data()[k] != T(1)) asked->back().decays.push_back(k);
      }
    }
    return solve(a, f, C);
  }
};

/// Wrong in the scan at the problem of seed 6 and four tokens.
struct wrong_at_one_point {
  int* asked;
  template <class T>
  reading<T> operator()(problem<T> const& a, path f, index_t C) const {
    reading<T> r = solve(a, f, C);
    if constexpr (std::is_same_v<T, prime_field<primes[0]>>) {
      *asked += f == path::recurrent && a.of.T == 4;
      if (f == path::scan && a.q == drawn<primes[0]>(a.of, 6).q) r.S(0, 0) += T(1);
    }
    return r;
  }
};

template <std::uint64_t P>
std::array<int, P> counts(int draws) {
  std::mt19937_64 bits(1);
  std::array<int, P> seen{};
  for (int i = 0; i < draws; ++i) ++seen[uniform<P>(bits).value()];
  return seen;
}

}  // namespace

TEST_CASE("numbers of a field are drawn evenly") {
  for (int n : counts<2>(6000)) CHECK(std::abs(n - 3000) < 200);  // 5 standard deviations: 194
  for (int n : counts<3>(6000)) CHECK(std::abs(n - 2000) < 200);
  for (int n : counts<5>(6000)) CHECK(std::abs(n - 1200) < 200);
  std::mt19937_64 bits(1);
  bool low = false, high = false;
  for (int i = 0; i < 100; ++i) {
    std::uint64_t const n = uniform<mersenne_61>(bits).value();
    low |= n<mersenne_61 / 8, high |= n> mersenne_61 / 8 * 7;
  }
  CHECK(low);
  CHECK(high);
}

TEST_CASE("forms of the paper where they are defined, a masked window while its unknowns are few") {
  using list = std::vector<path>;
  list const ring = {path::masked, path::chunk, path::scan}, unmasked = {path::chunk, path::scan};
  CHECK(forms_at(sized(falcon_1, 1, 5000, 2, 2)) == list{path::masked, path::chunk, path::scan, path::wy, path::tensor_inverse});
  CHECK(forms_at(sized(falcon_2, 1, 5000, 2, 2)) == list{path::masked, path::chunk, path::scan, path::wy});
  CHECK(forms_at(sized(falcon_23, 2, most_unknowns / 2, 2, 2)) == ring);
  CHECK(forms_at(sized(falcon_23, 2, most_unknowns / 2 + 1, 2, 2)) == unmasked);
  CHECK(forms_at(sized(falcon_3a, 4, 5000, 2, 2)) == ring);
  CHECK(forms_at(sized(falcon_23a, 4, 5000, 2, 2)) == ring);
  shape s = sized(falcon_23, 2, 5000, 2, 2);
  s.rho = residual::gamma;
  CHECK(forms_at(s) == unmasked);
}

TEST_CASE("every point in both fields, each another problem") {
  shape const s = sized(falcon_1, 1, 6, 2, 1);
  std::multiset<path> asked;
  std::set<std::uint64_t> firsts;
  certificate const c = certify(s, 2, 3, 11, witness{&asked, &firsts});
  CHECK_FALSE(c.found);
  CHECK(c.points == 3);
  CHECK(c.C == 2);
  CHECK(c.forms == forms_at(s));
  CHECK(asked.count(path::recurrent) == 2 * 2 * 3);  // with roots and without, two fields, three points
  for (path f : c.forms) CHECK(asked.count(f) == 2 * 3);
  CHECK(firsts.size() == 2 * 3);
  CHECK(firsts.count(drawn<primes[1]>(s, 13).q(0, 0).value()) == 1);  // the last point: drawn again from its seed
  CHECK(c.degree == 3 * 6 + 2);
  CHECK(c.paper_degree == 5 * 6 + 2 + 6);  // w = γ σ²: a step is of degree 5; and a decay in six tokens
  CHECK(c.chance(20) == doctest::Approx(std::pow(20.0 / 576460752303423433.0, 3)).scale(0));
}

TEST_CASE("the degree is the largest, of any form") {
  shape const s = sized(falcon_1, 1, 3, 2, 2);  // outputs have degrees up to 3·3 + 2, the first 3 + 2
  for (path f : {path::recurrent, path::masked, path::chunk, path::scan}) {
    certificate const c = certify(s, 2, 1, 1, of_higher_degree{f});
    CHECK(c.degree == 5 + 2 * 11);
    CHECK(c.paper_degree == (f == path::recurrent ? 7 + 2 * 17 : 17) + 3);
  }
  for (path f : paper_paths) {
    certificate const c = certify(s, 2, 1, 1, of_higher_degree{f});
    CHECK(c.degree == 11);
    CHECK(c.paper_degree == 7 + 2 * 17 + 3);
  }
  CHECK_FALSE(certify(sized(falcon_1a, 1, 3, 2, 2), 2, 1, 1).paper_degree);  // none is defined
  auto nothing = []<class T>(problem<T> const& a, path, index_t) {
    return reading<T>{mat<T>::Constant(a.of.T, a.of.dv, T(0)), mat<T>::Constant(a.of.d, a.of.dv, T(0))};
  };
  certificate const c = certify(s, 2, 1, 1, nothing);
  CHECK(c.degree == 0);
  CHECK(c.paper_degree == 3);
}

TEST_CASE("each decay is asked of the forms of the paper alone, at no more than two whole chunks and the last one") {
  struct size {
    index_t T, C, as;
  };
  for (rule const& r : {falcon_1, falcon_2})
    for (auto [T, C, as] : {size{3, 2, 3}, {5, 2, 5}, {6, 2, 4}, {7, 2, 5}, {8, 3, 8}, {9, 3, 6}, {20, 6, 14}})
      for (auto [d, dv] : {std::pair<index_t, index_t>(1, 3), {3, 1}, {2, 2}}) {
        std::vector<question> asked, want;
        (void)certify(sized(r, 1, T, d, dv), C, 1, 1, listener{&asked});
        index_t const columns = std::min<index_t>(dv, 2);
        for (index_t k = 0; k < as * (r.per_column ? columns : 1); ++k) want.push_back({as, std::min<index_t>(d, 2), columns, {k}});
        CHECK(asked == want);
      }
}

TEST_CASE("a form of the paper that leaves a decay in a denominator gets no chance, whichever token's") {
  for (auto [r, T, C] : {std::tuple(falcon_1, 5, 2), std::tuple(falcon_1, 80, 24), std::tuple(falcon_2, 5, 2), std::tuple(falcon_2, 40, 7)})
    for (index_t t = 0; t < 2 * C + T % C; ++t)
      for (int power : {1, 2}) {  // every term of o_t has a factor γ_t
        auto divided = [&]<class T>(problem<T> const& a, path f, index_t chunk) {
          reading<T> o = solve(a, f, chunk);
          if constexpr (!prime<T>)
            for (int i = 0; i < power && f == path::wy; ++i) o.o(t, 0) = o.o(t, 0) / a.plan.gamma(t, 0);
          return o;
        };
        if (t < 3 || t > 2 * C + T % C - 3) CHECK(certify(sized(r, 1, T, 2, 2), C, 1, 1, divided).paper_degree.has_value() == (power == 1));
      }
}

TEST_CASE("one form wrong, in one field: found and named") {
  shape const s = sized(falcon_1, 1, 4, 2, 2);
  for (path f : forms_at(s))
    for (std::uint64_t p : primes) {
      certificate const c = certify(s, 2, 1, 5, wrong{f, {}, 1, p});
      REQUIRE(c.found);
      CHECK(c.found->form == f);
      CHECK(c.found->prime == p);
      CHECK(c.found->seed == 5);
      CHECK(c.found->of.T == 1);
      CHECK(c.degree == 0);
    }
}

TEST_CASE("a form that is wrong at production size is found, and the smallest case of it") {
  auto forgets_the_ragged_chunk = []<class T>(problem<T> const& a, path f, index_t C) {
    reading<T> r = solve(a, f, C);
    if (f == path::chunk && a.of.T > C && a.of.T % C != 0) r.S(0, 0) += T(1);
    return r;
  };
  certificate const c = certify(sized(falcon_3, 4, 1037, 16, 8), 64, 1, 3, forgets_the_ragged_chunk);
  REQUIRE(c.found);
  CHECK(c.found->form == path::chunk);
  CHECK(c.found->of.T == 3);
  CHECK(c.found->C == 2);
  CHECK(c.found->of.B == 1);
  CHECK(c.found->of.d == 1);
  CHECK(c.found->of.dv == 1);

  auto wrong_in_the_paper = []<class T>(problem<T> const& a, path f, index_t C) {
    reading<T> r = solve(a, f, C);
    if (f == path::wy && a.of.T > 0) r.o(0, 0) += a.q(0, 0);
    return r;
  };
  shape before = sized(falcon_2, 1, 1037, 16, 8);
  before.when = timing::read_before_write;
  certificate const p = certify(before, 64, 1, 3, wrong_in_the_paper);
  REQUIRE(p.found);
  CHECK(p.found->form == path::wy);
  CHECK(p.found->of.T == 1);
}

TEST_CASE("the smallest sizes, one by one") {
  CHECK(growing(1) == std::vector<index_t>{1});
  CHECK(growing(2) == std::vector<index_t>{1, 2});
  CHECK(growing(13) == std::vector<index_t>{1, 2, 3, 4, 6, 8, 12, 13});

  shape from;
  from.T = 7, from.B = 3, from.d = 2, from.dv = 1;
  certificate const c = certify(sized(falcon_3, 4, 13, 3, 2), 8, 1, 5, wrong{path::chunk, from, 3});
  REQUIRE(c.found);
  CHECK(c.found->of.T == 8);
  CHECK(c.found->of.B == 3);
  CHECK(c.found->of.before == 2);
  CHECK(c.found->C == 3);
  CHECK(c.found->of.d == 3);
  CHECK(c.found->of.dv == 1);

  shape fresh = sized(falcon_3, 4, 13, 3, 2);
  fresh.before = 1;
  certificate const f = certify(fresh, 8, 1, 5, wrong{path::chunk, from, 3});
  REQUIRE(f.found);
  CHECK(f.found->of.before == 1);
}

TEST_CASE("at the first point that differs no other is asked") {
  int asked = 0;
  certificate const c = certify(sized(falcon_1a, 1, 4, 1, 1), 2, 3, 5, wrong_at_one_point{&asked});
  REQUIRE(c.found);
  CHECK(c.found->seed == 6);
  CHECK(asked == 2 * 2);  // two points; smaller cases are found before they reach four tokens
}
