// SPDX-License-Identifier: Apache-2.0
// program/support.hpp — cases made for a test, and the program run on them.
#pragma once

#include <fwa/batch/npy.hpp>

#include <xtensor/xview.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

namespace fwa::test {

namespace fs = std::filesystem;
using json = nlohmann::json;

inline std::string contents(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that goes with the test.
struct scratch {
  fs::path path = fs::temp_directory_path() / ("fwa-program-" + std::to_string(std::random_device{}()));
  scratch() { fs::create_directory(path); }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;
  ~scratch() { fs::remove_all(path); }
};

struct ran {
  int status;
  std::string out, err;
};

/// Runs the program with these words, which hold no single quote.
inline ran run(fs::path const& room, std::string const& words, std::string const& program = FWA_PROGRAM) {
  fs::path const out = room / ".stdout", err = room / ".stderr";
  std::string const line = "'" + program + "' " + words + " >'" + out.string() + "' 2>'" + err.string() + "'";
  int const raw = std::system(line.c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, contents(out), contents(err)};
}

/// All files of a folder with their bytes, hidden ones too.
inline std::map<std::string, std::string> snapshot(fs::path const& folder) {
  std::map<std::string, std::string> all;
  if (!fs::exists(folder)) return all;
  for (auto const& entry : fs::recursive_directory_iterator(folder))
    all[fs::relative(entry.path(), folder).string()] = entry.is_directory() ? "folder" : contents(entry.path());
  return all;
}

/// A case in memory, to be bent and written.
struct made_case {
  json choices;
  std::map<std::string, xt::xarray<double>> arrays;
  std::map<std::string, std::string> raw;  ///< files as bytes, last

  void write(fs::path const& folder) const {
    fs::create_directories(folder);
    std::ofstream(folder / "case.json") << choices;
    for (auto const& [name, array] : arrays) write_npy<double>(folder / (name + ".npy"), array);
    for (auto const& [name, bytes] : raw) std::ofstream(folder / name, std::ios::binary) << bytes;
  }
};

inline xt::xarray<double> numbers(shape_t const& shape, unsigned seed, double low, double high) {
  std::mt19937_64 bits(seed);
  auto a = xt::xarray<double>::from_shape(shape);
  for (double& x : a) x = low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  return a;
}

/// Seven tokens, d = 3, dv = 2, fresh.
inline made_case some_case(std::string const& rule = "falcon-1", std::size_t window = 1) {
  made_case c;
  c.choices = {{"rule", rule},
               {"window", window},
               {"epsilon", 0.001},
               {"epsilon_gamma", 1e-6},
               {"clamp", true},
               {"pairing", "shifted"},
               {"timing", "raw"},
               {"ridge", "absolute"},
               {"feature_map", "identity"},
               {"feature_epsilon", 1e-6},
               {"why", "made for a test"}};
  bool const per_column = rule.starts_with("falcon-2");
  c.arrays["q"] = numbers({7, 3}, 1, -1, 1);
  c.arrays["k"] = numbers({7, 3}, 2, -1, 1);
  c.arrays["v"] = numbers({7, 2}, 3, -1, 1);
  c.arrays["beta"] = numbers(per_column ? shape_t{7, 2} : shape_t{7}, 4, 0, 2);
  c.arrays["lambda"] = numbers({7}, 5, 0, 1);
  return c;
}

inline std::string quoted(fs::path const& path) { return "'" + path.string() + "'"; }

}  // namespace fwa::test
