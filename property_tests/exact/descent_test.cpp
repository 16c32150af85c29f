// SPDX-License-Identifier: Apache-2.0
// Claim descent (Lemma 3.1): a write without clamp is, column by column, one exact gradient step of its objective, and for 0 < β < 2 it
// lowers the loss by at least η(2 − ηL)/2 ‖∇‖². The loss is quadratic with Hessian H ≤ L I, so what it falls beyond that is
// η²/2 ⟨∇, (L I − H)∇⟩: nothing for the inner product, where H = λI = L I, and for the regression nothing exactly where the gradient is
// an eigenvector of C̄ for λ_max. There the loss rises as soon as ηL > 2, that is β > 2 D/L, which is 2 without ε.
// Over fractions, no tolerance; plans are the library's own.
#include "support/for_all.hpp"
#include "support/one_write.hpp"

#include <string>

using namespace fwa;
using namespace fwa::test;

namespace {

using matrix = mat<rational>;

rational const zero(0);

/// H g.
matrix bent(one_write const& a, matrix const& g) {
  matrix const ridge = a.lambda * g, data = a.keys.X.transpose() * (a.keys.X * g) / rational(static_cast<int>(a.keys.X.rows()));
  return a.rho == residual::zero ? ridge : matrix(data + ridge);
}

}  // namespace

TEST_CASE("a write is the gradient step and descends by the stated amount, by no more exactly where L is the curvature along it") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("descent, rho = ") + (rho == residual::one ? "1" : "0"), 1000, [rho] {
      one_write a = any_write(rho, false);
      if (rho == residual::one && die(3) == 1) turn_along(a, any_matrix(1, a.S.cols()));
      classify(a);
      for (column const& c : columns_of(a)) {
        if (c.eta == zero) {
          RC_ASSERT(c.t == c.s);
          continue;
        }
        matrix const g = c.gradient();
        rational const beyond = -c.rise(a.lambda) - descent<rational>(c.eta, c.L, g.squaredNorm());
        bool const attained = bent(a, g) == c.L * g;
        RC_CLASSIFY(attained && g.squaredNorm() != zero, "attained");
        RC_CLASSIFY(g.squaredNorm() == zero, "stationary");
        RC_ASSERT(c.lambda_hat == a.lambda);
        RC_ASSERT(c.t == c.s - c.eta * g);
        RC_ASSERT(zero <= beyond);
        RC_ASSERT((beyond == zero) == attained);
        RC_ASSERT(rho == residual::one || attained);
      }
    });
}

TEST_CASE("along the top eigenvector a write falls below β = 2 D/L, stays at it, and rises above") {
  for (residual rho : {residual::one, residual::zero})
    for_all(std::string("the gain from which the loss rises, rho = ") + (rho == residual::one ? "1" : "0"), 1000, [rho] {
      one_write a = any_write(rho, false);
      rational const L = rho == residual::one ? rational(a.E() + a.lambda) : a.lambda;
      RC_PRE(L != zero);
      if (rho == residual::one) turn_along(a, any_matrix(1, a.S.cols()));
      rational const critical = rational(2) * a.D() / L,
                     off = *rc::gen::element(rational(-1) / rational(10), -tiny, zero, tiny, rational(1));
      RC_ASSERT(rational(2) <= critical);
      RC_ASSERT(rho == residual::zero || a.o.epsilon > 0 || critical == rational(2));
      a.beta.setConstant(critical * (rational(1) + off));
      classify(a);
      for (column const& c : columns_of(a)) {
        rational const square = c.gradient().squaredNorm(), rise = c.rise(a.lambda);
        RC_CLASSIFY(square != zero && off == zero, "stays");
        RC_CLASSIFY(square != zero && zero < off, "rises");
        RC_ASSERT(rise == -descent<rational>(c.eta, L, square));
        RC_ASSERT((zero < rise) == (square != zero && zero < off));
        RC_ASSERT((rise < zero) == (square != zero && off < zero));
      }
    });
}
