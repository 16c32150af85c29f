// SPDX-License-Identifier: Apache-2.0
// MUST SAY: a scalar must be copyable
#include <fwa/scalar.hpp>

#include <memory>

template <fwa::ring S>
void keep(S const&) {}
void f(std::unique_ptr<int> const& s) { keep(s); }
