// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"

#include <fwa/contract.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

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
    fs::path path;
    for (fs::path const& part : fs::absolute(folder)) {  // one by one, so that what is taken away again is what was made
      path /= part;
      std::error_code error;
      if (fs::create_directory(path, error)) made_.insert(made_.begin(), path);
      require(!error, "write", folder.string(), " cannot be made: ", path.string(), ": ", error.message());
    }
  }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;  // deepest first
};

}  // namespace

struct results_folder::state {
  fs::path folder;
  made_folder home;
  std::optional<scratch_folder> fresh;
  std::vector<std::string> names;
};

results_folder::results_folder(fs::path folder) : state_(std::make_unique<state>()) {
  state_->home.make(folder);
  state_->fresh.emplace(folder / (".new-" + std::to_string(std::random_device{}())));
  state_->folder = std::move(folder);
}
results_folder::~results_folder() = default;

void results_folder::add(std::string const& name, std::function<void(fs::path const&)> const& write) {
  require(std::ranges::find(state_->names, name) == state_->names.end(), "write", (state_->folder / name).string(),
          " would be written twice");
  write(state_->fresh->path() / name);
  state_->names.push_back(name);
}

void results_folder::add_text(std::string const& name, std::string const& content) {
  add(name, [&](fs::path const& path) {
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    require(!file.fail(), "write", (state_->folder / name).string(), " cannot be written");
  });
}

void results_folder::publish(std::vector<std::string> const& others) {
  scratch_folder const old(state_->fresh->path() / "old");
  moves all;
  auto take_away = [&](std::string const& file) {
    fs::path const there = state_->folder / file;
    require(!fs::is_directory(there), "write", there.string(), ": is a folder");
    if (fs::exists(fs::symlink_status(there))) all.move(there, old.path() / file);
  };
  for (std::string const& name : others) take_away(name);
  for (std::string const& name : state_->names) {
    take_away(name);
    all.move(state_->fresh->path() / name, state_->folder / name);
  }
  all.keep();
  state_->home.keep();
}

}  // namespace fwa::program
