// SPDX-License-Identifier: Apache-2.0
// Claim forms_differ_by_the_sum_of_their_bounds: every form of every rule, over float and double, is within its bound of the recurrence
// over 50 digits, and any two forms within the sum of their bounds of each other, entry by entry.
//
// A form works in blocks: recurrent one token, chunk C tokens, masked all. A block is entered with the floats Ŝ that the one before left
// and loses f of its exit state and g of its outputs, which later blocks carry on by their exact maps: with Φ(t,s) = A_t … A_{s+1},
//
//   |Ŝ_T − S_T| ≤ Σ_s |Φ(T,s)| f_s        |ô_t − o_t| ≤ g_t + Σ_s |q_tᵀΦ(t,s)| f_s        s: ends of earlier blocks
//
// f and g are those of support/block_bound.hpp for a masked block, and for one token and for the span (windows and columns of the
// regression in chunks) what the block itself yields over any_order, whose bound holds for the library's floats whatever the order in which
// Eigen sums. The scan is run as a whole over any_order. In a block over any_order errors pass through |a||b|, so that bound grows with C.
#include "support/any_order.hpp"
#include "support/block_bound.hpp"

#include <map>

using namespace fwa;
using namespace fwa::test;

namespace {

constexpr index_t chunk = 7;

/// As solve(), without the paper's forms.
template <class T>
reading<T> run(problem<T> const& a, path f, index_t C) {
  if (f == path::recurrent) return recurrent<T>(a.q, a.p, a.plan, a.of.when, a.S);
  if (f == path::masked) return masked<T>(a.q, a.p, a.plan, a.of.when, a.S);
  if (f == path::chunk) return chunked<T>(a.q, a.p, a.plan, a.of.when, C, a.S);
  return chunked_by_scan<T>(a.q, a.p, a.plan, a.of.when, C, a.S);
}

/// A_t of one column of the schedule.
matrix transition(problem<digits> const& a, index_t t, index_t column) {
  index_t const B = a.plan.window[static_cast<std::size_t>(t)], end = a.p.before + t + 1;
  digits const gamma = a.plan.gamma(t, column), rho = a.plan.rho == residual::zero  ? digits(0)
                                                      : a.plan.rho == residual::one ? digits(1)
                                                                                    : gamma;
  matrix const x = a.p.x.middleRows(end - B, B);
  return gamma * matrix::Identity(a.of.d, a.of.d) - rho * a.plan.weight(t, column) * x.transpose() * x;
}

/// The first n tokens. A form by blocks passes through the same states, whatever follows.
template <class T>
problem<T> start_of(problem<T> a, index_t n) {
  a.of.T = n;
  a.q.conservativeResize(n, Eigen::NoChange);
  a.p.x.conservativeResize(a.p.before + n, Eigen::NoChange);
  a.p.y.conservativeResize(a.p.before + n, Eigen::NoChange);
  a.plan.weight.conservativeResize(n, Eigen::NoChange);
  a.plan.gamma.conservativeResize(n, Eigen::NoChange);
  a.plan.window.resize(static_cast<std::size_t>(n));
  return a;
}

/// Blocks of C tokens, one after the other.   @param local (first, c, Ŝ) ↦ what a block loses
template <class F, class Local>
bounds in_sequence(problem<F> const& a, problem<digits> const& wide, path f, index_t C, Local local) {
  struct source {
    std::vector<matrix> carried;  // Φ(t, s), one a column of the schedule
    matrix f;
  };
  index_t const dv = a.of.dv, columns = a.plan.gamma.cols();
  matrix const unit = matrix::Identity(a.of.d, a.of.d);
  std::vector<source> sources;
  bounds out{matrix(a.of.T, dv), matrix(a.of.d, dv)};
  auto through = [&](matrix const& rows, index_t j) {
    matrix sum = matrix::Constant(rows.rows(), 1, digits(0));
    for (source const& s : sources) sum += magnitudes(rows * s.carried[columns == 1 ? 0 : static_cast<std::size_t>(j)]) * s.f.col(j);
    return sum;
  };
  for (index_t first = 0; first < a.of.T; first += C) {
    index_t const c = std::min(C, a.of.T - first);
    mat<F> const entry = first == 0 ? a.S : run(start_of(a, first), f, C).S;
    bounds const here = local(first, c, entry.template cast<digits>());
    for (index_t t = first; t < first + c; ++t) {
      auto read = [&] {
        for (index_t j = 0; j < dv; ++j) out.o(t, j) = here.o(t - first, j) + through(wide.q.row(t), j)(0, 0);
      };
      if (a.of.when == timing::read_before_write) read();
      for (index_t j = 0; j < columns; ++j) {
        matrix const A = transition(wide, t, j);
        for (source& s : sources) s.carried[static_cast<std::size_t>(j)] = A * s.carried[static_cast<std::size_t>(j)];
      }
      if (a.of.when == timing::read_after_write) read();
    }
    sources.push_back({std::vector<matrix>(static_cast<std::size_t>(columns), unit), here.S});
  }
  for (index_t j = 0; j < dv; ++j) out.S.col(j) = through(unit, j);
  return out;
}

template <class F>
bounds bound_of(problem<F> const& a, problem<digits> const& wide, path f) {
  any_order::unit = unit_roundoff<F>();
  problem<any_order> const ordered = converted<any_order>(wide);
  auto over = [&](auto block) {
    return [&, block](index_t first, index_t c, matrix const& entry) mutable -> bounds {
      mat<any_order> S(entry.rows(), entry.cols()), o(c, entry.cols());
      for (index_t i = 0; i < S.size(); ++i) S.data()[i] = any_order(entry.data()[i]);
      block.load(ordered.q.middleRows(first, c), ordered.p, ordered.plan, first, a.of.when);
      block.pass(S, o);
      return {errors(o), errors(S)};
    };
  };
  auto by_hand = [&](index_t first, index_t c, matrix const& entry) { return block_bound(unit_roundoff<F>(), wide, first, c)(entry); };
  switch (f) {
    case path::recurrent:
      return in_sequence(a, wide, f, 1, over(recurrent_block<any_order>()));
    case path::masked:
      return in_sequence(a, wide, f, a.of.T, by_hand);
    case path::chunk:
      return has_one_system(a.plan) ? in_sequence(a, wide, f, chunk, by_hand)
                                    : in_sequence(a, wide, f, chunk, over(span_block<any_order>()));
    default:
      break;
  }
  reading<any_order> const r = chunked_by_scan<any_order>(ordered.q, ordered.p, ordered.plan, a.of.when, chunk, ordered.S);
  return {errors(r.o), errors(r.S)};
}

struct outcomes {
  ratios exact, exit, others;
};

template <class F>
void one_problem(problem<F> const& a, std::map<path, outcomes>& seen) {
  problem<digits> const wide = converted<digits>(a);
  reading<digits> const exact = recurrent<digits>(wide.q, wide.p, wide.plan, wide.of.when, wide.S);
  std::map<path, reading<F>> got;
  std::map<path, bounds> allowed;
  for (path f : paths) {
    got[f] = run(a, f, chunk);
    allowed[f] = bound_of(a, wide, f);
    seen[f].exact.add(got[f].o, exact.o, allowed[f].o);
    seen[f].exact.add(got[f].S, exact.S, allowed[f].S);
    seen[f].exit.add(got[f].S, exact.S, allowed[f].S);
    for (path g : paths) {
      if (g == f) break;
      seen[f].others.add(got[f].o, got[g].o.template cast<digits>(), allowed[f].o + allowed[g].o);
      seen[f].others.add(got[f].S, got[g].S.template cast<digits>(), allowed[f].S + allowed[g].S);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("every rule in every form", F, float, double) {
  std::cout << "\n| rule, form, " << name_of<F>
            << " | max error / bound | mean | max of the exit state | max difference from the forms above / sum of bounds | |\n"
               "| --- | ---: | ---: | ---: | ---: | --- |\n";
  for (rule const& c : corners) {
    std::map<path, outcomes> seen;
    dice roll(53);
    for (timing when : {timing::read_after_write, timing::read_before_write})
      for (bool heavy : {false, true}) one_problem(normalised_problem<F>(c, 40, 4, heavy, when, roll), seen);
    for (path f : paths) {
      outcomes const& s = seen[f];
      std::cout << "| " << c.name << ", " << f << " | " << std::setprecision(2) << s.exact.most << " | "
                << s.exact.sum / static_cast<double>(s.exact.count) << " | " << s.exit.most << " | ";
      if (f == path::recurrent)
        std::cout << "—";
      else
        std::cout << s.others.most;
      std::cout << " | " << (s.exact.most < loose || s.exit.most < loose ? "loose" : "") << " |" << std::endl;
      CAPTURE(c.name);
      CAPTURE(f);
      CHECK(s.exact.most <= 1);
      CHECK(s.exact.most > loose);
      CHECK(s.others.most <= 1);
    }
  }
}
