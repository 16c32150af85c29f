// SPDX-License-Identifier: Apache-2.0
// support/for_all.hpp — RapidCheck inside doctest: a failing property fails the test with its shrunk counterexample.
//
// FWA_TEST_MULTIPLIER (default 1) multiplies the number of cases; RC_PARAMS="seed=… reproduce=…" as RapidCheck documents.
// The distribution that RC_CLASSIFY saw is printed.
#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

namespace fwa::test {

[[nodiscard]] inline double multiplier() {
  char const* const text = std::getenv("FWA_TEST_MULTIPLIER");
  return text == nullptr ? 1.0 : std::atof(text);
}

/// @param cases how many at multiplier 1
template <class Property>
void for_all(std::string const& claim, int cases, Property&& property) {
  rc::detail::TestMetadata metadata;
  metadata.id = claim;
  metadata.description = claim;
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, static_cast<int>(cases * multiplier()));
  rc::detail::TestListenerAdapter quiet;
  rc::detail::TestResult const result =
      rc::detail::checkTestable(std::forward<Property>(property), metadata, params, quiet, rc::detail::configuration().reproduce);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  bool const passed = result.is<rc::detail::SuccessResult>();
  if (passed) {
    auto const& success = result.get<rc::detail::SuccessResult>();
    std::cout << claim << ": " << success.numSuccess << " cases";
    for (auto const& [tags, count] : success.distribution) {
      std::cout << "; ";
      for (std::string const& tag : tags) std::cout << tag << ' ';
      std::cout << count;
    }
    std::cout << '\n';
  }
  std::string const message = text.str();
  INFO(message);
  CHECK(passed);
}

}  // namespace fwa::test
