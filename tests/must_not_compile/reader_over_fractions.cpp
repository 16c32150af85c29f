// SPDX-License-Identifier: Apache-2.0
// MUST SAY: a reader takes square roots
#include <fwa/attend.hpp>
#include <fwa/number/rational.hpp>
#include <fwa/rule/falcon.hpp>

void f(fwa::tokens<fwa::rational> const& in) { (void)fwa::attend<fwa::rational>(fwa::falcon_1, in); }
