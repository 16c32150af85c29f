// SPDX-License-Identifier: Apache-2.0
// One of the library's rooms that need more than Eigen.
#include <fwa/fwa.hpp>
#include <fwa/number/digits.hpp>

int main() {
  using matrix = fwa::mat<fwa::digits_50>;
  matrix const k = matrix::Identity(2, 2), beta = matrix::Ones(2, 1), lambda = matrix::Zero(2, 1);
  return fwa::attend<fwa::digits_50>(fwa::falcon_1, {k, k, k, fwa::gains<fwa::digits_50>(beta, lambda)}).memory.S(0, 1) == 1 ? 0 : 1;
}
