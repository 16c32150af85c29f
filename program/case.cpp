// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <fwa/batch/heads.hpp>
#include <fwa/check.hpp>
#include <fwa/contract.hpp>
#include <fwa/rule/falcon.hpp>
#include <fwa/rule/neighbours.hpp>
#include <fwa/step/schedule.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace fwa::program {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view who = "read";

/// A value as a message shows it.
std::string shown(json const& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 80) text.replace(80, std::string::npos, "…");
  return text;
}

/// case.json: every key known, of its type, and there where nothing can stand for it.
class choices {
 public:
  explicit choices(fs::path const& file) : file_(file.string()) {
    std::error_code error;
    require(!fs::exists(file, error) || fs::is_regular_file(file, error), who, file_, ": is not a file");
    std::ifstream in(file);
    require(in.is_open(), who, file_, ": cannot be opened");
    std::set<std::string> keys;
    auto each_key_once = [&](int depth, json::parse_event_t event, json& key) {
      require(depth <= 8, who, file_, ": is nested too deeply");
      if (depth == 1 && event == json::parse_event_t::key)
        require(keys.insert(key.get<std::string>()).second, who, file_, ": ", shown(key), " is there twice");
      return true;
    };
    try {
      object_ = json::parse(in, each_key_once);
    } catch (json::exception const& e) {
      refuse(who, file_, ": ", e.what());
    }
    require(object_.is_object(), who, file_, ": must be an object");
  }

  template <class Value>
  Value one_of(std::string const& key, std::initializer_list<std::pair<std::string_view, Value>> table) {
    std::string const name = text(key);
    std::string names;
    for (auto const& [known, value] : table) {
      if (known == name) return value;
      names += (names.empty() ? "" : ", ") + std::string(known);
    }
    refuse(who, file_, ": ", key, " must be one of ", names, ", but is ", shown(take(key)));
  }

  fwa::rule rule() {
    std::string const name = text("rule");
    for (fwa::rule const& r : falcon_rules)
      if (r.name == name) return r;
    for (fwa::rule const& r : neighbour_rules)
      if (r.name == name) return r;
    refuse(who, file_, ": rule is unknown: ", shown(take("rule")));
  }

  std::string text(std::string const& key) {
    json const& value = take(key);
    require(value.is_string(), who, file_, ": ", key, " must be a text, but is ", shown(value));
    return value.get<std::string>();
  }
  double number(std::string const& key) {
    json const& value = take(key);
    require(value.is_number(), who, file_, ": ", key, " must be a number, but is ", shown(value));
    return value.get<double>();
  }
  bool truth(std::string const& key) {
    json const& value = take(key);
    require(value.is_boolean(), who, file_, ": ", key, " must be true or false, but is ", shown(value));
    return value.get<bool>();
  }
  index_t count(std::string const& key) {
    json const& value = take(key);
    bool const fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<index_t>::max());
    require(fits && value.get<index_t>() >= 1, who, file_, ": ", key, " must be a whole number >= 1, but is ", shown(value));
    return value.get<index_t>();
  }

  [[nodiscard]] bool has(std::string const& key) const { return object_.contains(key); }

  /// Refuses the first key that nobody asked for.
  void finish() const {
    for (auto const& [key, value] : object_.items()) require(taken_.contains(key), who, file_, ": unknown key ", shown(json(key)));
  }

 private:
  json const& take(std::string const& key) {
    require(object_.contains(key), who, file_, ": lacks ", key);
    taken_.insert(key);
    return object_[key];
  }

  std::string file_;
  json object_;
  std::set<std::string> taken_;
};

void read_choices(fs::path const& file, problem& p) {
  choices c(file);
  p.rule = c.rule();
  options& o = p.options;
  bool const given = p.rule.law == step_law::given;  // such a rule has no use for ε, ε_γ, the clamp and the ridge
  auto wanted = [&](std::string const& key) { return !given || c.has(key); };
  o.window = c.count("window");
  if (wanted("epsilon")) o.epsilon = c.number("epsilon");
  if (wanted("epsilon_gamma")) o.epsilon_gamma = c.number("epsilon_gamma");
  if (wanted("clamp")) o.clamp = c.truth("clamp");
  if (wanted("ridge")) o.ridge = c.one_of<ridge>("ridge", {{"absolute", ridge::absolute}, {"scale-coupled", ridge::scale_coupled}});
  o.pairing = c.one_of<pairing>("pairing", {{"shifted", pairing::shifted}, {"same-step", pairing::same_step}});
  o.timing = c.one_of<timing>("timing", {{"raw", timing::read_after_write}, {"rbw", timing::read_before_write}});
  o.feature = c.one_of<feature>("feature_map", {{"identity", feature::identity},
                                                {"rmsnorm", feature::rms_norm},
                                                {"l2norm", feature::l2_norm},
                                                {"elu+1", feature::elu_plus_one},
                                                {"relu", feature::relu}});
  o.feature_epsilon = c.number("feature_epsilon");
  if (c.has("normalized_read")) o.normalized_read = c.number("normalized_read");
  if (c.has("chunk")) o.chunk = *(p.chunk = c.count("chunk"));
  if (c.has("ridge_factor")) (void)c.one_of<bool>("ridge_factor", {{"live", true}, {"detached", false}});  // of use to gradients only
  for (char const* const note : {"flavour", "why"})
    if (c.has(note)) (void)c.text(note);
  c.finish();
  check<double>(file.string(), p.rule, o, {}, 1, 1);
}

/// The arrays of a folder, each given the rank that it has in a batch.
class arrays {
 public:
  explicit arrays(fs::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] fs::path file(std::string const& name) const { return folder_ / (name + ".npy"); }
  [[nodiscard]] bool has(std::string const& name) const {
    std::error_code error;
    return fs::exists(fs::symlink_status(file(name), error));
  }

  /// An array of finite numbers.
  [[nodiscard]] xt::xarray<double> read(std::string const& name) const {
    xt::xarray<double> array = read_npy<double>(file(name));
    for (std::size_t i = 0; i < array.size(); ++i)
      if (!std::isfinite(array.data()[i])) {
        shape_t at(array.dimension());
        std::size_t rest = i;
        for (std::size_t axis = at.size(); axis-- > 0; rest /= array.shape()[axis]) at[axis] = rest % array.shape()[axis];
        refuse(who, file(name).string(), ": ", to_text(at), " must be finite, but is ", array.data()[i]);
      }
    return array;
  }

  /// The same, of this shape.
  [[nodiscard]] xt::xarray<double> read(std::string const& name, shape_t const& shape) const {
    xt::xarray<double> array = read(name);
    require_axes(name, array, shape);
    return array;
  }

  void require_axes(std::string const& name, xt::xarray<double> const& array, shape_t const& shape) const {
    shape_t const found(array.shape().begin(), array.shape().end());
    require(found == shape, who, file(name).string(), ": must be ", to_text(shape), ", but is ", to_text(found));
  }

 private:
  fs::path folder_;
};

/// Rows [i · rows, (i+1) · rows) of an array seen as rows of `cols` numbers.
mat<double> rows_of(xt::xarray<double> const& array, std::size_t i, std::size_t rows, std::size_t cols) {
  return Eigen::Map<mat<double> const>(array.data() + i * rows * cols, static_cast<index_t>(rows), static_cast<index_t>(cols));
}

void read_tokens(arrays const& in, problem& p) {
  p.q = in.read("q");
  p.batched = p.q.dimension() == 4;
  shape_t shape(p.q.shape().begin(), p.q.shape().end());
  require(p.batched || shape.size() == 2, who, in.file("q").string(), ": must be [T, d] or [batch, T, head, d], but is ", to_text(shape));
  p.k = in.read("k", shape);
  p.v = in.read("v");
  shape.back() = p.v.dimension() == 0 ? 0 : p.v.shape().back();
  in.require_axes("v", p.v, shape);
  shape_t one = shape;
  one.pop_back();
  bool const given = p.rule.law == step_law::given;
  auto drive = [&](std::string const& name, shape_t const& wanted) {
    if (!given || in.has(name)) return in.read(name, wanted);
    auto ones = xt::xarray<double>::from_shape(wanted);
    ones.fill(1);
    return ones;
  };
  for (char const* const other : given ? std::array{"beta", "lambda"} : std::array{"eta", "gamma"})
    require(!in.has(other), who, in.file(other).string(), ": ", p.rule.name, " takes ",
            given ? "eta.npy and gamma.npy" : "beta.npy and lambda.npy");
  p.size = drive(given ? "eta" : "beta", p.rule.per_column ? shape : one);
  p.forget = drive(given ? "gamma" : "lambda", given && p.rule.per_column ? shape : one);
  if (p.batched) return;
  for (xt::xarray<double>* a : {&p.q, &p.k, &p.v, &p.size, &p.forget}) {
    shape_t wide(a->shape().begin(), a->shape().end());
    wide.insert(wide.begin() + 1, 1);  // head
    wide.insert(wide.begin(), 1);      // batch
    a->reshape(wide);
  }
}

void read_entries(arrays const& in, problem& p) {
  bool const s0 = in.has("s0"), z0 = in.has("z0"), carry = in.has("carry_x"), tail = in.has("tail_x");
  require(tail == in.has("tail_v"), who, in.file(tail ? "tail_v" : "tail_x").string(), ": is missing, but ", tail ? "tail_x" : "tail_v",
          ".npy is there");
  if (!s0 && !z0 && !carry && !tail) return;
  std::size_t const dx = p.q.shape()[3], dv = p.v.shape()[3], heads = p.heads();
  shape_t const outer = p.batched ? shape_t{p.q.shape()[0], p.q.shape()[2]} : shape_t{};
  auto per_head = [&](std::string const& name, shape_t shape) {
    shape.insert(shape.begin(), outer.begin(), outer.end());
    return in.read(name, shape);
  };
  p.entries.resize(heads);
  if (s0) {
    xt::xarray<double> const a = per_head("s0", {dx, dv});
    for (std::size_t i = 0; i < heads; ++i) p.entries[i].S = rows_of(a, i, dx, dv);
  }
  if (z0) {
    xt::xarray<double> const a = per_head("z0", {dx});
    for (std::size_t i = 0; i < heads; ++i) p.entries[i].z = rows_of(a, i, 1, dx);
  }
  if (carry) {
    xt::xarray<double> const a = per_head("carry_x", {dx});
    for (std::size_t i = 0; i < heads; ++i) p.entries[i].last_feature = rows_of(a, i, 1, dx);
  }
  if (tail) {
    xt::xarray<double> const x = in.read("tail_x");
    require(x.dimension() == outer.size() + 2, who, in.file("tail_x").string(), ": must have rank ", outer.size() + 2, ", but has ",
            x.dimension());
    std::size_t const n = x.shape()[outer.size()];
    xt::xarray<double> const y = per_head("tail_v", {n, dv});
    in.require_axes("tail_x", x, p.batched ? shape_t{outer[0], outer[1], n, dx} : shape_t{n, dx});
    for (std::size_t i = 0; i < heads; ++i) {
      p.entries[i].tail_x = rows_of(x, i, n, dx);
      p.entries[i].tail_y = rows_of(y, i, n, dv);
    }
  }
}

void read_offsets(arrays const& in, problem& p) {
  if (!in.has("offsets")) return;
  std::string const file = in.file("offsets").string();
  require(!p.batched, who, file, ": packed sequences are of one head, but q has rank 4");
  require(p.entries.empty(), who, file, ": packed sequences are fresh, but the case has a memory (s0, z0, carry_x or tail_x)");
  xt::xarray<std::int64_t> const a = read_npy<std::int64_t>(in.file("offsets"));
  require(a.dimension() == 1 && a.size() >= 1, who, file, ": must be [N + 1], but is ", to_text({a.shape().begin(), a.shape().end()}));
  auto const count = static_cast<std::int64_t>(p.tokens());
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t const least = i == 0 ? 0 : a.data()[i - 1];
    require(i == 0 ? a.data()[i] == 0 : a.data()[i] >= least && a.data()[i] <= count, who, file, ": [", i, "] must be ",
            i == 0 ? "0" : "at least " + std::to_string(least) + " and at most " + std::to_string(count), ", but is ", a.data()[i]);
  }
  require(a.data()[a.size() - 1] == count, who, file, ": the last must be the number of tokens ", count, ", but is ",
          a.data()[a.size() - 1]);
  p.offsets.emplace(a.data(), a.data() + a.size());
}

/// What no single file shows.
void check_heads(std::string const& folder, problem const& p) {
  auto const& shape = p.q.shape();
  detail::head_layout const layout{static_cast<index_t>(shape[0]), static_cast<index_t>(shape[1]), static_cast<index_t>(shape[2])};
  auto const dx = static_cast<index_t>(shape[3]), dv = static_cast<index_t>(p.v.shape()[3]), columns = p.rule.per_column ? dv : 1;
  index_t const forget_columns = p.rule.law == step_law::given ? columns : 1;
  constexpr index_t most_heads = index_t(1) << 24;  // where there are no tokens, no file's length bounds them
  require(layout.batch <= most_heads && layout.heads <= most_heads / std::max<index_t>(layout.batch, 1), who, folder, ": batch ",
          layout.batch, " x head ", layout.heads, " is more than ", most_heads, " heads");
  memory<double> const fresh;
  for (index_t i = 0; i < layout.count(); ++i) {
    std::string where = folder;
    if (p.batched) where += ": batch " + std::to_string(i / layout.heads) + ", head " + std::to_string(i % layout.heads);
    check<double>(where, p.rule, p.options, p.entries.empty() ? fresh : p.entries[static_cast<std::size_t>(i)], dx, dv);
    drive<double> const driven{p.rule.law, layout.read(p.size.data(), i, columns), layout.read(p.forget.data(), i, forget_columns)};
    check<double>(where, p.rule, p.options, driven, layout.time, dv);
  }
}

}  // namespace

problem read_problem(fs::path const& folder) {
  std::error_code error;
  require(fs::is_directory(folder, error), who, folder.string(), ": is not there, or not a folder");
  problem p;
  read_choices(folder / "case.json", p);
  arrays const in(folder);
  read_tokens(in, p);
  read_entries(in, p);
  read_offsets(in, p);
  check_heads(folder.string(), p);
  return p;
}

}  // namespace fwa::program
