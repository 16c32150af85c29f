// SPDX-License-Identifier: Apache-2.0
// Claim packing: sequences laid end to end and cut by offsets, empty ones and single tokens among them, are the sequences one by one, bit
// for bit; and dropping what the memory holds besides the state does not continue a sequence.
#include "support/for_all.hpp"
#include "support/generate.hpp"
#include "support/head.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <numeric>
#include <vector>

using namespace fwa;
using namespace fwa::test;

TEST_CASE("packed sequences are the sequences") {
  for_all("packing", 400, [] {
    std::vector<rule> rules(std::begin(falcon_rules), std::end(falcon_rules));
    rules.insert(rules.end(), std::begin(neighbour_rules), std::end(neighbour_rules));
    rule const r = *rc::gen::elementOf(rules);
    options o;
    o.window = r.windowed ? die(4) : 1;
    o.form = *rc::gen::element(form::recurrent, form::masked, form::chunk, form::chunk_scan);
    o.chunk = die(8);
    o.pairing = *rc::gen::element(pairing::shifted, pairing::same_step);
    auto const lengths = *rc::gen::container<std::vector<index_t>>(rc::gen::element<index_t>(0, 1, 2, 7));
    std::vector<index_t> offsets = {0};
    for (index_t n : lengths) offsets.push_back(offsets.back() + n);
    RC_CLASSIFY(std::ranges::count(lengths, 0) > 0, "with an empty one");
    RC_CLASSIFY(std::ranges::count(lengths, 1) > 0, "with a single token");
    head<double> const h = some_head(r, offsets.back(), 3, 2, static_cast<std::uint64_t>(die(1000)));
    auto const packed = attend_packed<double>(r, h.all(), offsets, o);
    RC_ASSERT(packed.size() == lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      outcome<double> const alone = attend<double>(r, h.slice(offsets[i], lengths[i]).all(), o);
      RC_ASSERT(identical(packed[i].o, alone.o));
      RC_ASSERT(identical(packed[i].memory, alone.memory));
    }
  });
}

TEST_CASE("a memory without its last key, its tail or its normaliser does not continue the sequence") {
  auto last_output = [](rule const& r, options const& o, auto drop) {
    head<double> const h = some_head(r, 12, 3, 2, 8);
    memory<double> m = attend<double>(r, h.slice(0, 6).all(), o).memory;
    drop(m);
    return attend<double>(r, h.slice(6, 6).all(), o, m).o;
  };
  auto nothing = [](memory<double>&) {};
  options window;
  window.window = 3;
  for (auto const& [r, o] : {std::pair{falcon_3, window}, {falcon_3a, window}})
    CHECK_FALSE(
        identical(last_output(r, o, [](memory<double>& m) { m.tail_x.resize(0, 3), m.tail_y.resize(0, 2); }), last_output(r, o, nothing)));
  CHECK_FALSE(identical(last_output(falcon_1, {}, [](memory<double>& m) { m.last_feature.reset(); }), last_output(falcon_1, {}, nothing)));
  options normalised;
  normalised.feature = feature::elu_plus_one;
  normalised.normalized_read = 1e-3;
  CHECK_FALSE(identical(last_output(falcon_1a, normalised, [](memory<double>& m) { m.z->setConstant(1); }),
                        last_output(falcon_1a, normalised, nothing)));
  CHECK_THROWS_AS(last_output(falcon_1a, normalised, [](memory<double>& m) { m.z.reset(); }), contract_error);
}
