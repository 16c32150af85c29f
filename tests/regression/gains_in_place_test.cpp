// SPDX-License-Identifier: Apache-2.0
// Gains of another storage order are copied into their view; tokens that are kept must hold that copy, not look into one that is
// gone. Seen by the address sanitizer.
#include <fwa/attend.hpp>
#include <fwa/rule/falcon.hpp>

#include <doctest/doctest.h>

TEST_CASE("tokens keep gains that had to be copied") {
  using fwa::mat;
  mat<double> const k = mat<double>::Identity(3, 3), v = mat<double>::Ones(3, 2), lambda = mat<double>::Zero(3, 1);
  Eigen::MatrixXd const by_columns = (Eigen::MatrixXd(3, 2) << 0.5, 1.0, 0.25, 1.5, 0.75, 0.125).finished();
  mat<double> const by_rows = by_columns;
  fwa::tokens<double> const kept{k, k, v, fwa::gains<double>(by_columns, lambda)};
  CHECK(kept.drive.size == by_rows);
  CHECK(fwa::attend(fwa::falcon_2, kept).o ==
        fwa::attend(fwa::falcon_2, fwa::tokens<double>{k, k, v, fwa::gains<double>(by_rows, lambda)}).o);
}
