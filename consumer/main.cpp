// SPDX-License-Identifier: Apache-2.0
// An outside project: everything it knows of the library is <fwa/fwa.hpp>.
#include <fwa/fwa.hpp>
#include <iostream>

int main() {
  using matrix = fwa::mat<double>;
  matrix const k = matrix::Identity(3, 3), v = matrix::Ones(3, 2), beta = matrix::Ones(3, 1), lambda = matrix::Zero(3, 1);
  auto const out = fwa::attend<double>(fwa::falcon_1, {k, k, v, fwa::gains<double>(beta, lambda)});
  std::cout << out.memory.S << '\n';  // keys 1 and 2 now predict the values that came after them
  return out.memory.S.topRows(2) == v.topRows(2) && out.memory.S.row(2).isZero(0) ? 0 : 1;
}
