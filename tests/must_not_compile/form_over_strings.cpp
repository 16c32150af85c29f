// SPDX-License-Identifier: Apache-2.0
// MUST SAY: a form adds, subtracts, multiplies and compares with ==
#include <fwa/form/triangular.hpp>

#include <string>

void f(fwa::mat<std::string> const& A, fwa::mat<std::string>& R) { fwa::solve_unit_lower(A, R); }
