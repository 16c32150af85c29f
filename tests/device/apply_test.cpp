// SPDX-License-Identifier: Apache-2.0
// What `fwa apply --device cuda` computes, on every golden case, in both forms.
#include "apply.hpp"
#include "support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace fwa::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("golden cases on the device") {
  std::size_t cases = 0;
  for (auto const& folder : fs::directory_iterator(FWA_SOURCE_DIR "/tests/vectors")) {
    if (!folder.is_directory()) continue;
    ++cases;
    program::problem p = program::read_problem(folder.path());
    for (auto const& [f, chunk] : {std::pair{form::recurrent, 64}, {form::chunk, 16}, {form::chunk, 32}, {form::chunk, 64}}) {
      p.options.form = f;
      p.options.chunk = chunk;
      std::string const where = folder.path().filename().string();
      INFO(where << ", " << (f == form::chunk ? chunk : 0));
      std::size_t compared = 0;
      for (auto const& [name, got] : program::apply_on_device<double>(p).arrays) {
        fs::path const file = folder.path() / ("want_" + name + ".npy");
        if (p.offsets && (name == "eta" || name == "gamma")) continue;
        REQUIRE(fs::exists(file));
        xt::xarray<double> const want = read_npy<double>(file);
        REQUIRE(got.shape() == want.shape());
        auto row = [](xt::xarray<double> const& a) {
          return mat<double>(Eigen::Map<mat<double> const>(a.data(), 1, static_cast<index_t>(a.size())));
        };
        CHECK_CLOSE(row(got), row(want), golden);
        ++compared;
      }
      CHECK(compared >= 2);
    }
  }
  CHECK(cases >= 100);
}

}  // namespace
}  // namespace fwa::test
