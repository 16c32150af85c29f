// SPDX-License-Identifier: Apache-2.0
// fuzz/folder.hpp — bytes as a folder of files, so that a fuzzer can write a case.
//
//   each file: a byte that picks its name, two bytes of length (little-endian), its bytes; the last takes what is left
#pragma once

#include <unistd.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace fwa::fuzz {

namespace fs = std::filesystem;

inline constexpr std::array<char const*, 14> names = {"case.json",   "q.npy",      "k.npy",      "v.npy",      "beta.npy",
                                                      "lambda.npy",  "eta.npy",    "gamma.npy",  "s0.npy",     "z0.npy",
                                                      "carry_x.npy", "tail_x.npy", "tail_v.npy", "offsets.npy"};

/// A folder that goes with the process, in memory where the system has such a place.
struct room {
  fs::path path =
      (fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) / ("fwa-fuzz-" + std::to_string(::getpid()));
  room() { fs::create_directories(path); }
  room(room const&) = delete;
  room& operator=(room const&) = delete;
  ~room() { fs::remove_all(path); }
};

inline void unpack(std::uint8_t const* data, std::size_t size, fs::path const& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  while (size >= 3) {
    char const* const name = names[data[0] % names.size()];
    std::size_t const length = std::min<std::size_t>(data[1] + 256u * data[2], size - 3);
    std::ofstream(folder / name, std::ios::binary).write(reinterpret_cast<char const*>(data + 3), static_cast<std::streamsize>(length));
    data += 3 + length, size -= 3 + length;
  }
}

[[nodiscard]] inline std::map<std::string, std::string> contents(fs::path const& folder) {
  std::map<std::string, std::string> all;
  if (!fs::exists(folder)) return all;
  for (auto const& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    all[entry.path().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return all;
}

/// Ends the process, which the fuzzer reports with its input.
inline void must(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace fwa::fuzz
