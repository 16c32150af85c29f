// SPDX-License-Identifier: Apache-2.0
// Streaming takes no memory once its window is full: every allocation of this program is counted.
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <doctest/doctest.h>

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define FWA_TEST_HEAP_IS_TAKEN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FWA_TEST_HEAP_IS_TAKEN 1
#endif
#endif
#ifndef FWA_TEST_HEAP_IS_TAKEN
#define FWA_TEST_HEAP_IS_TAKEN 0  // a sanitizer brings its own heap: then nothing can be counted here
#endif

namespace {
bool counting = false;
long allocations = 0, live = 0, peak = 0;  // bytes since counting began
}  // namespace

#if !FWA_TEST_HEAP_IS_TAKEN
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {
void* taken(void* p) {
  if (counting) {
    ++allocations;
    live += static_cast<long>(malloc_usable_size(p));
    peak = std::max(peak, live);
  }
  return p;
}
void given_back(void* p) {
  if (counting) live -= static_cast<long>(malloc_usable_size(p));
}
}  // namespace

// Eigen calls malloc, the standard library operator new, which calls malloc.
extern "C" {
void* malloc(std::size_t n) { return taken(__libc_malloc(n)); }
void* realloc(void* p, std::size_t n) {
  given_back(p);
  return taken(__libc_realloc(p, n));
}
void* aligned_alloc(std::size_t a, std::size_t n) { return taken(__libc_memalign(a, n)); }
int posix_memalign(void** p, std::size_t a, std::size_t n) { return (*p = taken(__libc_memalign(a, n))) ? 0 : 12; }
void free(void* p) {
  given_back(p);
  __libc_free(p);
}
}
#endif

namespace fwa {
namespace {

/// Allocations of `body`.
template <class F>
long allocated(F body) {
  allocations = live = peak = 0;
  counting = true;
  body();
  counting = false;
  return allocations;
}

TEST_CASE("the counter counts" * doctest::skip(FWA_TEST_HEAP_IS_TAKEN)) {
  CHECK(allocated([] { ::operator delete(::operator new(100)); }) ==
        1);  // a call, which no compiler may leave out as it may new and delete
  CHECK(allocated([] { mat<double> const m = mat<double>::Zero(9, 9); }) == 1);
}

template <class T>
void stream(rule const& r, options const& o) {
  index_t const count = 200, warm = 20;
  auto const h = test::some_head<T>(r, count, 24, 40, 1);
  reader<T> head(r, 24, 40, o);
  std::vector<test::head<T>> ones;
  for (index_t t = 0; t < count; ++t) ones.push_back(h.slice(t, 1));
  auto step = [&](index_t t) {
    auto const& one = ones[static_cast<std::size_t>(t)];
    head.step(one.q, one.k, one.v, one.size, one.forget);
  };
  for (index_t t = 0; t < warm; ++t) step(t);
  CHECK(allocated([&] {
          for (index_t t = warm; t < count; ++t) step(t);
        }) == 0);
}

TEST_CASE("no rule allocates a token" * doctest::skip(FWA_TEST_HEAP_IS_TAKEN)) {
  std::vector<rule> rules(std::begin(falcon_rules), std::end(falcon_rules));
  rules.insert(rules.end(), std::begin(neighbour_rules), std::end(neighbour_rules));
  for (rule const& r : rules)
    for (feature phi : {feature::identity, feature::rms_norm}) {
      CAPTURE(r.name);
      options o;
      o.window = r.windowed ? 5 : 1;
      o.feature = phi;
      o.value_norm = phi == feature::rms_norm;
      stream<double>(r, o);
      stream<float>(r, o);
    }
}

TEST_CASE("nor does a normalised read" * doctest::skip(FWA_TEST_HEAP_IS_TAKEN)) {
  for (rule const& r : {falcon_1a, falcon_3a}) {
    options o;
    o.window = r.windowed ? 5 : 1;
    o.feature = feature::relu;
    o.normalized_read = 1e-3;
    stream<double>(r, o);
  }
}

TEST_CASE("nor 16-bit tokens" * doctest::skip(FWA_TEST_HEAP_IS_TAKEN)) {
  stream<Eigen::bfloat16>(falcon_1, {});
  options o;
  o.window = 4;
  stream<Eigen::bfloat16>(falcon_23, o);
}

TEST_CASE("the room of a recurrent or chunked read does not grow with T" * doctest::skip(FWA_TEST_HEAP_IS_TAKEN)) {
  for (rule const& r : falcon_rules)
    for (form f : {form::recurrent, form::chunk}) {
      CAPTURE(r.name);
      options o;
      o.window = r.windowed ? 4 : 1;
      o.form = f;
      auto room = [&](index_t count) {
        auto const h = test::some_head(r, count, 8, 12, 2);
        tokens<double> const in = h.all();
        mat<double> out(count, 12);
        allocated([&] { reader<double>(r, 8, 12, o).read(in, out); });
        return peak;
      };
      long const thousand = room(1024);
      CHECK(thousand > 0);
      CHECK(room(8192) < thousand + 7168);  // less than a byte for each token more; the heap rounds sizes up as it likes
    }
}

}  // namespace
}  // namespace fwa
