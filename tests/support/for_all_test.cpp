// SPDX-License-Identifier: Apache-2.0
#include "support/for_all.hpp"

#include <initializer_list>

namespace fwa::test {
namespace {

TEST_CASE("the multiplier is a positive number") {
  CHECK(multiplier(nullptr) == 1);
  CHECK(multiplier("2.5") == 2.5);
  for (char const* text : {"", " ", "x", "2x", "0", "-1", "nan", "inf"}) CHECK_THROWS_AS((void)multiplier(text), std::invalid_argument);
}

TEST_CASE("what a failing property prints runs its shrunk case again, and nothing else") {
  auto const below_100 = [] { RC_ASSERT(*rc::gen::inRange(0, 1000) < 100); };
  verdict const found = ask("below 100", 1000, below_100, {});
  CHECK_FALSE(found.passed);
  CHECK(found.text.find("\n100\n") != std::string::npos);

  std::string const mark = "RC_PARAMS=\"";
  std::size_t const begin = found.text.find(mark);
  REQUIRE(begin != std::string::npos);
  auto const again =
      rc::detail::configFromString(found.text.substr(begin + mark.size(), found.text.rfind('"') - begin - mark.size())).reproduce;
  verdict const repeated = ask("below 100", 1000, below_100, again);
  CHECK_FALSE(repeated.passed);
  CHECK(repeated.text.find("after 1 test") != std::string::npos);
  CHECK(repeated.text.find("\n100\n") != std::string::npos);
  CHECK(ask("another claim", 1000, below_100, again).passed);
}

}  // namespace
}  // namespace fwa::test
