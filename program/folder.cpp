// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"

#include <fwa/batch/npy.hpp>
#include <fwa/contract.hpp>

#include <random>
#include <system_error>

namespace fwa::program {
namespace {

namespace fs = std::filesystem;

/// Moves that are undone, last one first, unless they are kept.
class moves {
 public:
  moves() = default;
  moves(moves const&) = delete;
  moves& operator=(moves const&) = delete;
  ~moves() {
    std::error_code ignored;
    for (; !done_.empty(); done_.pop_back()) fs::rename(done_.back().second, done_.back().first, ignored);
  }

  void move(fs::path const& from, fs::path const& to) {
    fs::rename(from, to);
    done_.emplace_back(from, to);
  }
  void keep() { done_.clear(); }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;
};

/// A folder that is gone, with what is in it, when this is.
class scratch_folder {
 public:
  explicit scratch_folder(fs::path path) : path_(std::move(path)) { fs::create_directory(path_); }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  fs::path path_;
};

/// A folder that is made where it is missing, with those above it, and that goes again, if still empty, unless it is kept.
class made_folder {
 public:
  made_folder() = default;
  made_folder(made_folder const&) = delete;
  made_folder& operator=(made_folder const&) = delete;
  ~made_folder() {
    std::error_code ignored;
    for (fs::path const& folder : made_) fs::remove(folder, ignored);
  }

  void make(fs::path const& folder) {
    for (fs::path path = fs::absolute(folder).lexically_normal(); !fs::exists(path); path = path.parent_path()) made_.push_back(path);
    fs::create_directories(folder);
  }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;  // deepest first
};

}  // namespace

void publish(fs::path const& folder, std::vector<std::pair<std::string, xt::xarray<double>>> const& arrays, dtype as,
             std::vector<std::string> const& others) {
  made_folder home;
  home.make(folder);
  scratch_folder const fresh(folder / (".new-" + std::to_string(std::random_device{}())));
  scratch_folder const old(fresh.path() / "old");
  for (auto const& [name, array] : arrays) {
    fs::path const file = fresh.path() / (name + ".npy");
    if (as == dtype::f8)
      write_npy<double>(file, array);
    else
      write_npy<float>(file, xt::cast<float>(array));
  }
  moves all;
  auto take_away = [&](std::string const& file) {
    fs::path const there = folder / file;
    require(!fs::is_directory(there), "write", there.string(), ": is a folder");
    if (fs::exists(fs::symlink_status(there))) all.move(there, old.path() / file);
  };
  for (std::string const& name : others) take_away(name + ".npy");
  for (auto const& [name, array] : arrays) {
    take_away(name + ".npy");
    all.move(fresh.path() / (name + ".npy"), folder / (name + ".npy"));
  }
  all.keep();
  home.keep();
}

}  // namespace fwa::program
