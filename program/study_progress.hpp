// SPDX-License-Identifier: Apache-2.0
// study_progress.hpp — how far a run of tasks is: a bar with rate and time left on a terminal, a line a section elsewhere.
#pragma once

#include "study_tasks.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace fwa::study {

class progress {
 public:
  explicit progress(std::vector<task> const& all) {
    for (task const& t : all) {
      cost_ += t.cost;
      ++open_[t.section];
    }
  }
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }

  void done(task const& t) {
    std::lock_guard const lock(mutex_);
    cost_done_ += t.cost;
    tokens_ += t.tokens;
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    bool const section_ends = --open_[t.section] == 0;
    if (terminal_) {
      double const part = cost_ > 0 ? cost_done_ / cost_ : 1;
      int const full = static_cast<int>(part * 24);
      std::fprintf(stderr, "\r\033[K[%s%s] %3.0f %%  %.0f k tokens/s  %.0f s left  %s",
                   std::string(static_cast<std::size_t>(full), '=').c_str(), std::string(static_cast<std::size_t>(24 - full), ' ').c_str(),
                   100 * part, tokens_ / seconds / 1000, seconds * (1 - part) / std::max(part, 1e-9), t.section.c_str());
      std::fflush(stderr);
    } else if (section_ends) {
      std::fprintf(stderr, "study: %s done, %.0f s\n", t.section.c_str(), seconds);
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> open_;  // tasks of a section that are not done
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double cost_ = 0, cost_done_ = 0, tokens_ = 0;
  bool terminal_ = isatty(2) == 1;
};

}  // namespace fwa::study
