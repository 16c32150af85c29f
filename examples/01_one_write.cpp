// SPDX-License-Identifier: Apache-2.0
// One write, one read: a memory that was told v under k answers v when it is asked with k.
//
//   S = η x (y − Sᵀx)ᵀ = x yᵀ / ‖x‖²   for S = 0, β = 1, λ = 0        o = Sᵀq = y   for q = x
#include <fwa/fwa.hpp>

#include <iostream>

int main() {
  fwa::mat<double> q(2, 3), k(2, 3), v(2, 2), beta(2, 1), lambda(2, 1);
  k << 1, 2, 2,  //
      5, 0, 1;
  v << 7, 8,                // v_1 came before any key: it has no pair and is not written
      3, -1;                // v_2 is written under k_1, the key that was there when v_2 was yet to come
  q << 0, 1, 0,             //
      1, 2, 2;              // asks with k_1
  beta.setConstant(1.0);    // 1: the write takes the whole residual back
  lambda.setConstant(0.0);  // 0: nothing is forgotten

  auto const out = fwa::attend(fwa::falcon_1, fwa::tokens<double>{q, k, v, fwa::gains<double>(beta, lambda)});

  std::cout << "eta =\n" << out.eta << "\nS =\n" << out.memory.S << "\no =\n" << out.o << '\n';
  bool const recalled = (out.o.row(1) - v.row(1)).norm() < 1e-15, silent = out.o.row(0).isZero(0);
  return recalled && silent ? 0 : 1;
}
