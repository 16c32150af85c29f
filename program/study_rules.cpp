// SPDX-License-Identifier: Apache-2.0
#include "study_rules.hpp"

#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>

#include <algorithm>
#include <cmath>

namespace fwa::study {
namespace {

void falcon_drive(setting const& s, dataset const& d, trial& t) {
  index_t const T = t.v.rows(), columns = t.rule.per_column ? d.v.cols() : 1;
  t.size = mat<double>::Constant(T, columns, std::min(s.size, 1.9));
  if (t.rule.per_column) {
    row<double> mean_square = d.v.topRows(d.prefix).colwise().squaredNorm() / double(d.prefix);
    mean_square = mean_square.cwiseMax(1 / double(d.prefix));  // a character that the prefix lacks
    for (index_t j = 0; j < columns; ++j)
      t.size.col(j).setConstant(std::min(s.size * std::pow(mean_square(j) / mean_square.mean(), s.tilt), 1.9));
  }
  t.forget = mat<double>::Constant(T, 1, s.forget);
  t.options.ridge = ridge::scale_coupled;
}

/// Change of the key, against its mean on the prefix.
mat<double> novelty(dataset const& d, index_t tokens) {
  mat<double> out(tokens, 1);
  out(0, 0) = 1;
  for (index_t t = 1; t < tokens; ++t) out(t, 0) = (d.k.row(t) - d.k.row(t - 1)).squaredNorm();
  double const mean = out.topRows(d.prefix).bottomRows(d.prefix - 1).mean();
  if (mean > 0) out.bottomRows(out.rows() - 1) /= mean;
  return out.cwiseMin(4);
}

void given_drive(setting const& s, dataset const& d, trial& t) {
  index_t const T = t.v.rows();
  if (t.rule == mamba_2) {
    given_steps<double> const steps = mamba_2_steps<double>(novelty(d, T), -s.forget);
    t.size = steps.eta;
    t.forget = steps.gamma;
    return;
  }
  bool const delta = t.rule.rho != residual::zero;
  double const most = d.k.topRows(d.prefix).rowwise().squaredNorm().maxCoeff();
  t.size = mat<double>::Constant(T, 1, delta ? s.size / most : 1);
  t.forget = mat<double>::Constant(T, 1, 1 - s.forget);
}

}  // namespace

bool has_decay(contestant const& c) { return c.rule != linear_attention && c.rule != delta_net; }

std::vector<contestant> contestants() {
  std::vector<contestant> all;
  for (rule const& r : falcon_rules) all.push_back({std::string(r.name), r});
  for (rule const& r : neighbour_rules) {
    all.push_back({std::string(r.name), r});
    if (r == linear_attention) all.push_back({"linear-attention/z", r, true});
  }
  return all;
}

std::vector<setting> grid(contestant const& c) {
  std::vector<setting> out;
  index_t const B = c.rule.windowed ? 4 : 1;
  if (c.rule.law == step_law::normalised) {
    for (double beta : {0.03, 0.1, 0.3, 1.0})
      for (double lambda : {0.0, 0.001, 0.01, 0.1}) out.push_back({beta, lambda, B});
  } else if (c.normalised_read) {
    out = {{.feature = feature::elu_plus_one}, {.feature = feature::relu}};
  } else if (c.rule == linear_attention) {
    out = {{}};
  } else if (c.rule == delta_net) {
    for (double b : {0.03, 0.1, 0.3, 1.0}) out.push_back({b});
  } else if (c.rule == gated_delta_net) {
    for (double b : {0.03, 0.1, 0.3, 1.0})
      for (double forget : {0.0, 0.0003, 0.003, 0.03}) out.push_back({b, forget});
  } else {
    for (double forget : {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1}) out.push_back({1, forget});
  }
  return out;
}

std::vector<setting> refinements(contestant const& c, setting const& best, int round) {
  std::vector<setting> out;
  if (round == 0 && c.rule.windowed)
    for (index_t B : {2, 8}) {
      out.push_back(best);
      out.back().window = B;
    }
  if (round == 1 && c.rule.per_column)
    for (double tilt : {-0.25, 0.25}) {
      out.push_back(best);
      out.back().tilt = tilt;
    }
  return out;
}

setting plain_setting(contestant const& c) {
  setting s{0.5, 0.01, c.rule.windowed ? 4 : 1};
  if (c.rule.per_column) s.tilt = 0.25;
  if (c.normalised_read) s.feature = feature::elu_plus_one;
  if (!has_decay(c)) s.forget = 0;
  return s;
}

trial make_trial(contestant const& c, setting const& s, cell where, dataset const& d, index_t tokens) {
  auto const k = d.k.topRows(tokens);
  trial t{c.rule, {}, k, k, d.v.topRows(tokens), {}, {}};
  t.options.window = s.window;
  t.options.pairing = where.pairing;
  t.options.timing = where.timing;
  t.options.feature = s.feature;
  if (c.normalised_read) t.options.normalized_read = 1e-6;
  if (c.rule.law == step_law::normalised)
    falcon_drive(s, d, t);
  else
    given_drive(s, d, t);
  return t;
}

}  // namespace fwa::study
