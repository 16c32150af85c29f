// SPDX-License-Identifier: Apache-2.0
// readers.hpp — the library over one number format of the program, compiled once, in apply_*.cpp.
#pragma once

#include <fwa/attend.hpp>

/// Declares with `extern`, defines without, what calls of attend<T> and reader<T> need.
#define FWA_READERS(linkage, T)                                                                                          \
  namespace fwa {                                                                                                        \
  linkage template class planner<accumulator_t<T>>;                                                                      \
  linkage template class reader<T>;                                                                                      \
  linkage template outcome<T> attend<T>(rule const&, tokens<T> const&, options const&, memory<accumulator_t<T>> const&); \
  }
