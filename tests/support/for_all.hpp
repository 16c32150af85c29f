// SPDX-License-Identifier: Apache-2.0
// support/for_all.hpp — RapidCheck inside doctest: a failing property fails the test with its shrunk counterexample, and with the RC_PARAMS
// that run that case again.
//
// FWA_TEST_MULTIPLIER (default 1) multiplies the number of cases; RC_PARAMS="seed=…" or what a failure printed, as RapidCheck documents.
// The distribution that RC_CLASSIFY saw is printed.
#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace fwa::test {

/// @param text a positive number; 1 where there is none
[[nodiscard]] inline double multiplier(char const* text = std::getenv("FWA_TEST_MULTIPLIER")) {
  if (text == nullptr) return 1;
  char* end = nullptr;
  double const value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value > 0 && std::isfinite(value)))
    throw std::invalid_argument("FWA_TEST_MULTIPLIER must be a positive number, but is '" + std::string(text) + "'");
  return value;
}

struct verdict {
  bool passed;
  std::string text;
};

/// @param cases how many   @param again the cases to run instead, by claim
template <class Property>
[[nodiscard]] verdict ask(std::string const& claim, int cases, Property&& property,
                          decltype(rc::detail::Configuration::reproduce) const& again = rc::detail::configuration().reproduce) {
  rc::detail::TestMetadata metadata;
  metadata.id = claim;
  metadata.description = claim;
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = cases;
  rc::detail::TestListenerAdapter quiet;
  rc::detail::TestResult const result = rc::detail::checkTestable(std::forward<Property>(property), metadata, params, quiet, again);
  std::ostringstream text;
  if (result.is<rc::detail::SuccessResult>()) {
    auto const& success = result.get<rc::detail::SuccessResult>();
    text << claim << ": " << success.numSuccess << " cases";
    std::map<std::string, int> cases_of;  // a case may have many tags: each is counted by itself
    for (auto const& [tags, count] : success.distribution)
      for (std::string const& tag : std::set<std::string>(tags.begin(), tags.end())) cases_of[tag] += count;
    for (auto const& [tag, count] : cases_of) text << "; " << tag << ' ' << count;
    return {true, text.str()};
  }
  rc::detail::printResultMessage(result, text);
  if (result.is<rc::detail::FailureResult>()) {
    rc::detail::Configuration shown;
    shown.reproduce[claim] = result.get<rc::detail::FailureResult>().reproduce;
    text << "\n\nRC_PARAMS=\"" << rc::detail::configToMinimalString(shown) << '"';
  }
  return {false, text.str()};
}

/// @param cases how many at multiplier 1
template <class Property>
void for_all(std::string const& claim, int cases, Property&& property) {
  verdict const found = ask(claim, static_cast<int>(std::clamp(cases * multiplier(), 1.0, 1e9)), std::forward<Property>(property));
  if (found.passed) std::cout << found.text << '\n';
  INFO(found.text);
  CHECK(found.passed);
}

}  // namespace fwa::test
