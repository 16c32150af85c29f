// SPDX-License-Identifier: Apache-2.0
// study.cpp — the command `fwa study`: tasks run several at a time, rows gathered in order, files written all at once.
#include "commands.hpp"
#include "folder.hpp"
#include "report.hpp"
#include "study_progress.hpp"
#include "study_tasks.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

namespace fwa::study {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::vector<std::string> data;
  std::string out = "out/study";
  bool quick = false;
};

/// Runs tasks on all threads, those that measure time one by one at the end; the first failure, in the order of the tasks, is thrown.
std::vector<json> run_all(std::vector<task> const& all) {
  std::vector<json> rows(all.size());
  std::vector<std::exception_ptr> failures(all.size());
  progress bar(all);
  auto work = [&](std::size_t i) {
    try {
      rows[i] = all[i].work();
    } catch (...) {
      failures[i] = std::current_exception();
    }
    bar.done(all[i]);
  };
  {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n)
      workers.emplace_back([&] {
        for (std::size_t i = next++; i < all.size(); i = next++)
          if (!all[i].alone) work(i);
      });
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].alone) work(i);
  for (std::exception_ptr const& f : failures)
    if (f) std::rethrow_exception(f);
  return rows;
}

/// The processor and the build that speeds belong to.
json describe_machine() {
  std::string model = "unknown processor";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
#if defined(__AVX512F__)
  char const* const vectors = "AVX-512";
#elif defined(__AVX2__)
  char const* const vectors = "AVX2";
#else
  char const* const vectors = "the platform's baseline vectors";
#endif
#if defined(__clang__)
  std::string const compiler =
      "Clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.' + std::to_string(__clang_patchlevel__);
#else
  std::string const compiler = std::string("GNU ") + __VERSION__;
#endif
  return {
      {"processor", model}, {"threads", std::max(1u, std::thread::hardware_concurrency())}, {"compiler", compiler}, {"vectors", vectors}};
}

void study(arguments const& a) {
  auto const begin = std::chrono::steady_clock::now();
  std::vector<dataset> data;
  for (std::string const& name : a.data.empty() ? std::vector<std::string>{"text", "sunspots"} : a.data)
    data.push_back(load(name, a.quick ? 2000 : longest));
  program::results_folder files(a.out);
  json results = {{"quick", a.quick}, {"machine", describe_machine()}, {"seconds", 0.0}, {"data", json::array()}, {"speed", json::array()}};
  for (dataset const& d : data) results["data"].push_back(describe(d));
  std::vector<task> const all = tasks(data, a.quick);
  std::vector<json> const rows = run_all(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    json& place = all[i].data < 0 ? results : results["data"][static_cast<std::size_t>(all[i].data)];
    place[all[i].section].push_back(rows[i]);
  }
  results["seconds"] = std::round(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  files.add_text("report.html", report_html(results));
  for (auto const& [name, content] : report_plots(results)) files.add_text(name, content);
  files.add_text("results.json", results.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
  files.publish();
  std::cout << (fs::path(a.out) / "report.html").string() << '\n';
}

}  // namespace
}  // namespace fwa::study

namespace fwa::program {

void add_study(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("study", "What the rules do on real data: report.html and results.json");
  auto const a = std::make_shared<study::arguments>();
  command->add_option("--data", a->data,
                      "text, sunspots, co2, ecg, or a file (.csv, .npy, else text); may be repeated; default: text and sunspots");
  command->add_option("--out", a->out, "folder for report.html, results.json and the plots")->capture_default_str();
  command->add_flag("--quick", a->quick, "short sequences: a look at the report in seconds");
  command->callback([a] { study::study(*a); });
}

}  // namespace fwa::program
