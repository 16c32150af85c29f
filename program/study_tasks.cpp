// SPDX-License-Identifier: Apache-2.0
#include "study_tasks.hpp"

#include "study_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fwa::study {
namespace {

constexpr index_t segments = 24;

/// JSON has no infinity: null.
json finite(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

char const* name_of_feature(feature f) { return f == feature::elu_plus_one ? "elu+1" : f == feature::relu ? "relu" : "identity"; }

json to_json(setting const& s, contestant const& c) {
  json j = json::object();
  bool const falcon = c.rule.law == step_law::normalised;
  if (falcon || c.rule.rho != residual::zero) j[falcon ? "beta" : "size"] = s.size;
  if (has_decay(c)) j[falcon ? "lambda_scale" : "forget"] = s.forget;
  if (c.rule.windowed) j["window"] = s.window;
  if (c.rule.per_column) j["tilt"] = s.tilt;
  if (c.normalised_read) j["feature"] = name_of_feature(s.feature);
  return j;
}

/// Names of the chosen numbers that are the least or the greatest of their grid; not of a 0, which nothing lies below.
json ends_of_grid(setting const& chosen, contestant const& c) {
  std::vector<setting> all = grid(c);
  for (int round = 0; round < refinement_rounds; ++round)
    for (setting const& s : refinements(c, chosen, round)) all.push_back(s);
  json const named = to_json(chosen, c);
  json ends = json::array();
  for (auto const& [key, value] : named.items()) {
    if (!value.is_number() || value == 0) continue;
    bool least = true, most = true, varies = false;
    for (setting const& s : all) {
      json const other = to_json(s, c).at(key);
      least = least && value <= other;
      most = most && value >= other;
      varies = varies || value != other;
    }
    if (varies && (least || most)) ends.push_back(key);
  }
  return ends;
}

/// The smaller the better: bits a character, or decibel of normalised squared error.
double loss(dataset const& d, mat<double> const& o, double scale, index_t first, index_t last) {
  return d.text ? score_text(o, d.symbol, first, last).bits : decibel(nmse(o, d.v, scale, first, last));
}

struct scored {
  double scale, prefix_loss;
};

scored score_prefix(dataset const& d, mat<double> const& o) {
  double const scale = d.text ? 1 : fitted_scale(o, d.v, 0, d.prefix - 1);
  return {scale, loss(d, o, scale, 0, d.prefix - 1)};
}

json score_rest(dataset const& d, mat<double> const& o, double scale) {
  index_t const last = d.v.rows() - 1;
  if (!d.text) {
    double const ratio = nmse(o, d.v, scale, d.prefix, last);
    return {{"loss", finite(decibel(ratio))}, {"nmse", finite(ratio)}, {"scale", scale}};
  }
  text_score const s = score_text(o, d.symbol, d.prefix, last);
  return {{"loss", s.bits}, {"accuracy", s.accuracy}, {"mrr", s.mrr}};
}

/// Loss in equal segments of the sequence.
json curve(dataset const& d, mat<double> const& o, double scale) {
  json out = json::array();
  index_t const last = d.v.rows() - 1;
  for (index_t i = 0; i < segments; ++i) {
    double x = loss(d, o, scale, i * last / segments, (i + 1) * last / segments);
    out.push_back(finite(x));
  }
  return out;
}

/// The setting whose prefix loss is least, in a grid and then one kind of change at a time.
setting choose(contestant const& c, cell where, dataset const& d, double& least) {
  setting best;
  least = std::numeric_limits<double>::infinity();
  auto consider = [&](std::vector<setting> const& candidates) {
    for (setting const& s : candidates) {
      double const l = score_prefix(d, run_f64(make_trial(c, s, where, d, d.prefix)).o).prefix_loss;
      if (!(l < least)) continue;
      least = l;
      best = s;
    }
  };
  consider(grid(c));
  for (int round = 0; round < refinement_rounds; ++round) consider(refinements(c, best, round));
  return best;
}

/// Row t is row t − 1 of m; row 0 stays.
mat<double> one_later(mat<double> const& m) {
  mat<double> out(m.rows(), m.cols());
  out.row(0) = m.row(0);
  out.bottomRows(m.rows() - 1) = m.topRows(m.rows() - 1);
  return out;
}

json run_cell(contestant const& c, cell where, dataset const& d) {
  double prefix_loss = 0;
  setting const best = choose(c, where, d, prefix_loss);
  trial const t = make_trial(c, best, where, d, d.v.rows());
  run const r = run_f64(t);
  double const scale = score_prefix(d, r.o).scale;
  json out = {{"rule", c.name},
              {"pairing", name_of(where.pairing)},
              {"timing", name_of(where.timing)},
              {"setting", to_json(best, c)},
              {"grid_ends", ends_of_grid(best, c)},
              {"prefix_loss", finite(prefix_loss)}};
  out.update(score_rest(d, r.o, scale));
  out["clamped"] = r.clamped;
  out["curve"] = curve(d, r.o, scale);
  if (where.pairing == pairing::shifted && where.timing == timing::read_after_write) {
    index_t const T =
        d.k.rows();  // what a leak looks like: v_t read back from S_t, which has written it, with the feature it was written under
    mat<double> const written_under = one_later(d.k);
    mat<double> back = run_f64(t.reading_with(written_under)).o;
    back.topRows(T - 1) = back.bottomRows(T - 1).eval();
    out["read_back"] = score_rest(d, back, score_prefix(d, back).scale);
  }
  return out;
}

json reference_row(std::string name, dataset const& d, mat<double> const& o, json chosen, json ends) {
  double const scale = score_prefix(d, o).scale;
  json out = {{"name", std::move(name)}, {"setting", std::move(chosen)}, {"grid_ends", std::move(ends)}};
  out.update(score_rest(d, o, scale));
  out["curve"] = curve(d, o, scale);
  return out;
}

json run_ridge(dataset const& d) {
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (double lambda : ridge_grid)
    if (double const l = score_prefix(d, ridge_predictions(d.k.topRows(d.prefix), d.v.topRows(d.prefix), lambda)).prefix_loss; l < least) {
      least = l;
      best = lambda;
    }
  json ends = json::array();
  if (best == *std::begin(ridge_grid) || best == *std::rbegin(ridge_grid)) ends.push_back("lambda");
  return reference_row("exact ridge", d, ridge_predictions(d.k, d.v, best), {{"lambda", best}}, ends);
}

json run_baseline(dataset const& d) {
  if (d.text) return reference_row("bigram counts", d, bigram_predictions(d.symbol, d.v.cols()), json::object(), json::array());
  return reference_row("last value", d, d.v, json::object(), json::array());
}

/// The first tokens, and of a text the eight most frequent characters: value columns do not look at each other.
dataset shortened(dataset const& d, index_t tokens) {
  dataset s{d.name, d.source, d.text, d.k.topRows(tokens), {}, {}, {}, std::min(d.prefix, tokens)};
  std::vector<index_t> columns(static_cast<std::size_t>(d.v.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  row<double> const weight = d.v.topRows(tokens).colwise().squaredNorm();
  std::ranges::stable_sort(columns, [&](index_t a, index_t b) { return weight(a) > weight(b); });
  columns.resize(std::min<std::size_t>(columns.size(), 8));
  s.v.resize(tokens, static_cast<index_t>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) s.v.col(static_cast<index_t>(j)) = d.v.col(columns[j]).head(tokens);
  return s;
}

struct named_form {
  char const* name;
  fwa::form form;
  index_t most;  // tokens: the masked system and the scan's dense maps grow
};
constexpr named_form forms[] = {{"recurrent", form::recurrent, longest},
                                {"masked", form::masked, 1024},
                                {"chunk", form::chunk, longest},
                                {"chunk scan", form::chunk_scan, 1024}};

/// In 16 parts of the sequence: root mean square error over root mean square of the true o.
json drift_curve(run const& got, run const& truth, index_t bin) {
  json out = json::array();
  for (index_t first = 0; first < got.o.rows(); first += bin) {
    index_t const n = std::min(bin, got.o.rows() - first);
    mat<double> const error = (got.o.middleRows(first, n) - truth.o.middleRows(first, n)) - truth.low.middleRows(first, n);
    double const size = truth.o.middleRows(first, n).norm();
    out.push_back(size > 0 ? finite(error.norm() / size) : json(nullptr));
  }
  return out;
}

json run_drift(contestant const& c, dataset const& full, index_t tokens) {
  dataset const d = shortened(full, tokens);
  trial t = make_trial(c, plain_setting(c), cells[0], d, tokens);
  json out = {{"rule", c.name}, {"setting", to_json(plain_setting(c), c)}, {"tokens", tokens}};
  index_t const bin = tokens / 16;
  json middle = json::array();
  for (index_t first = 0; first < tokens; first += bin) middle.push_back(double(first) + double(bin) / 2);
  out["t"] = middle;
  t.options.form = form::recurrent;
  run const truth = run_d50(t);

  struct {
    char const* name;
    number n;
    double u;
  } const numbers[] = {{"f64", number::f64, 0x1p-53}, {"f32", number::f32, 0x1p-24}, {"bf16", number::bf16, 0x1p-8}};
  for (auto const& [name, n, u] : numbers) {
    mat<double> recurrent;
    for (named_form const& f : forms) {
      t.options.form = f.form;
      trial const part = t.first(std::min(tokens, f.most));
      run const got = run_in(n, part);
      if (f.form == form::recurrent) recurrent = got.o;
      mat<double> const same = recurrent.topRows(got.o.rows());
      double const most = same.cwiseAbs().maxCoeff(), apart = (got.o - same).cwiseAbs().maxCoeff();
      out[name][f.name] = {
          {"tokens", part.k.rows()}, {"error", drift_curve(got, truth, bin)}, {"apart", most > 0 ? finite(apart / most / u) : json(0)}};
    }
  }
  return out;
}

/// The reads of S_{t−1} with k_{t−1} are the reads of S_t with k_t one token later.
json run_reindexed(contestant const& c, dataset const& full, index_t tokens) {
  dataset const d = shortened(full, tokens);
  trial t = make_trial(c, plain_setting(c), cells[0], d, tokens);
  t.options.form = form::recurrent;
  mat<double> const after = run_f64(t).o;
  t.options.timing = timing::read_before_write;
  mat<double> const earlier = one_later(d.k);
  mat<double> const before = run_f64(t.reading_with(earlier)).o;
  return {{"rule", c.name},
          {"tokens", tokens},
          {"difference", (before.bottomRows(tokens - 1) - after.topRows(tokens - 1)).cwiseAbs().maxCoeff()}};
}

/// How often the decay floor acts on Falcon-1 as an absolute ridge grows.
json run_clamp(dataset const& d, double beta) {
  double const energy = d.k.rowwise().squaredNorm().mean();
  contestant const c = contestants().front();
  json ratio = json::array(), fraction = json::array();
  dataset const narrow{d.name, d.source, d.text, d.k, d.v.leftCols(1), {}, {}, d.prefix};
  for (int i = 0; i <= 16; ++i) {
    double const r = std::pow(10, -1 + i / 5.0);
    trial t = make_trial(c, {beta, r * energy}, cells[0], narrow, d.v.rows());
    t.options.ridge = ridge::absolute;
    ratio.push_back(r);
    fraction.push_back(run_f64(t).clamped);
  }
  return {{"beta", beta}, {"ratio", ratio}, {"fraction", fraction}};
}

json run_speed(contestant const& c, dataset const& d, int repeats) {
  json out = {{"rule", c.name}, {"setting", to_json(plain_setting(c), c)}, {"dx", d.k.cols()}, {"dv", d.v.cols()}, {"repeats", repeats}};
  trial t = make_trial(c, plain_setting(c), cells[0], d, std::min<index_t>(d.v.rows(), 1024));
  for (named_form const& f : forms) {
    t.options.form = f.form;
    if (f.form == form::chunk_scan && c.rule.per_column && c.rule.rho != residual::zero) continue;  // a dense map a column
    trial const part = t.first(std::min<index_t>(d.v.rows(), f.form == form::masked ? 512 : 1024));
    out["f64"][f.name] = speed_f64(part, repeats);
    out["f32"][f.name] = speed_f32(part, repeats);
    out["tokens"][f.name] = part.k.rows();
  }
  return out;
}

}  // namespace

std::vector<task> tasks(std::vector<dataset> const& data, bool quick) {
  std::vector<task> out;
  index_t const precise = quick ? 256 : 2048;
  std::vector<contestant> const all = contestants();
  for (std::size_t i = 0; i < data.size(); ++i) {
    dataset const& d = data[i];
    double const T = double(d.v.rows()), weight = double(d.k.cols() * d.v.cols()) * 1e-9 + 1e-6;
    int const at = static_cast<int>(i);
    double const ridge_tokens = T + double(std::size(ridge_grid)) * double(d.prefix);
    out.push_back(
        {"references", at, ridge_tokens * double(d.k.cols() * d.k.cols()) * 3e-9, ridge_tokens, false, [&d] { return run_ridge(d); }});
    out.push_back({"references", at, T * weight, T, false, [&d] { return run_baseline(d); }});
    for (contestant const& c : all)
      for (cell const where : cells) {
        double const tries = double(grid(c).size() + (c.rule.windowed ? 2 : 0) + (c.rule.per_column ? 2 : 0));
        double const tokens = T + tries * double(d.prefix),
                     cost = tokens * weight * (c.rule.rho != residual::zero && (c.rule.per_column || c.rule.windowed) ? 1.5 : 0.7);
        out.push_back({"cells", at, cost, tokens, false, [&d, c, where] { return run_cell(c, where, d); }});
      }
    index_t const short_T = std::min(d.v.rows(), precise) / 16 * 16;
    for (contestant const& c : all) {
      double const cost = double(short_T * d.k.cols() * std::min<index_t>(d.v.cols(), 8)) * (c.rule.windowed ? 1.2e-6 : 5e-7);
      out.push_back({"drift", at, cost, double(short_T) * 13, false, [&d, c, short_T] { return run_drift(c, d, short_T); }});
      out.push_back({"reindexed", at, cost / 50, double(short_T) * 2, false, [&d, c, short_T] { return run_reindexed(c, d, short_T); }});
    }
    for (double beta : {0.5, 1.2, 1.5, 1.9})
      out.push_back({"clamp", at, 17 * T * double(d.k.cols()) * 1e-8, 17 * T, false, [&d, beta] { return run_clamp(d, beta); }});
  }
  int const repeats = quick ? 3 : 7;
  for (contestant const& c : all)
    out.push_back(
        {"speed", -1, 0.05 * repeats, 1024.0 * 8 * repeats, true, [&d = data.front(), c, repeats] { return run_speed(c, d, repeats); }});
  return out;
}

json describe(dataset const& d) {
  json out = {{"name", d.name},
              {"source", d.source},
              {"kind", d.text ? "text" : "signal"},
              {"tokens", d.v.rows()},
              {"dx", d.k.cols()},
              {"dv", d.v.cols()},
              {"prefix", d.prefix},
              {"loss", d.text ? "bits per character" : "normalised squared error, dB"}};
  if (d.text) {
    mat<double> const often = d.v.topRows(d.prefix).colwise().sum().replicate(d.v.rows(), 1);
    out["uniform"] = std::log2(double(d.v.cols()));
    out["most_frequent"] = score_text(often, d.symbol, d.prefix, d.v.rows() - 1).accuracy;
  }
  json middle = json::array();
  for (index_t i = 0; i < segments; ++i) middle.push_back(double(i * 2 + 1) * double(d.v.rows()) / double(2 * segments));
  out["curve_t"] = middle;
  return out;
}

}  // namespace fwa::study
