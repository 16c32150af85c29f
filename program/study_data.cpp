// SPDX-License-Identifier: Apache-2.0
#include "study_data.hpp"

#include "study_inflate.hpp"

#include <fwa/batch/npy.hpp>
#include <fwa/contract.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fwa::study {
namespace {

constexpr std::string_view who = "study";

constexpr double sunspots[] = {
#include "../data/sunspots.csv"
};
constexpr double co2[] = {
#include "../data/co2.csv"
};

mat<double> column(double const* first, std::size_t count) { return Eigen::Map<mat<double> const>(first, static_cast<index_t>(count), 1); }

std::string read_file(std::string const& path) {
  require(std::filesystem::is_regular_file(path), who, path, " is not a file; --data takes text, sunspots, co2, ecg or a file");
  std::ifstream in(path, std::ios::binary);
  require(bool(in), who, path, " cannot be read: ", std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A fixed hash with well-mixed bits (the finaliser of splitmix64).
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A quarter of the sequence, but no more than a few thousand tokens.
index_t prefix_of(index_t tokens) { return std::min<index_t>(tokens / 4, 4096); }

std::string system_text(std::string& source) {
  for (char const* path : {"/usr/share/common-licenses/GPL-3", "/usr/share/common-licenses/LGPL-2.1"})
    if (std::filesystem::is_regular_file(path)) {
      source = path;
      return read_file(path);
    }
  std::string all;
  for (auto const& entry : std::filesystem::directory_iterator("docs"))
    if (entry.path().extension() == ".md") all += read_file(entry.path().string());
  source = "docs/*.md";
  return all;
}

/// The cells of a line; NaN for one that is no number, of which there are `strange`.
std::vector<double> numbers_of_line(std::string_view line, std::size_t& strange) {
  std::vector<double> out;
  strange = 0;
  while (!line.empty()) {
    std::size_t const end = std::min(line.find_first_of(",;\t"), line.size());
    std::string_view cell = line.substr(0, end);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '+')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\r')) cell.remove_suffix(1);
    double value = 0;
    auto const [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    bool const out_of_range = error == std::errc::result_out_of_range;
    bool const number = (error == std::errc{} || out_of_range) && stop == cell.data() + cell.size();
    strange += !number;
    out.push_back(!number ? NAN : out_of_range ? std::strtod(std::string(cell).c_str(), nullptr) : value);  // ±∞, or 0 and what is near it
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

}  // namespace

dataset text_data(std::string name, std::string source, std::string_view text) {
  constexpr index_t contexts = 4, block = 32, dx = contexts * block;
  require(text.size() >= 64, who, source, " has ", text.size(), " characters, but a text needs at least 64");
  dataset d{std::move(name), std::move(source), true, {}, {}, {}, {}, 0};
  std::array<index_t, 256> column_of{};
  column_of.fill(-1);
  for (char c : text) column_of[static_cast<unsigned char>(c)] = 0;
  for (std::size_t c = 0; c < 256; ++c)
    if (column_of[c] == 0) {
      column_of[c] = static_cast<index_t>(d.columns.size());
      d.columns.push_back(c > 32 && c < 127 ? std::string(1, static_cast<char>(c))
                                            : "0x" + std::string{"0123456789abcdef"[c / 16], "0123456789abcdef"[c % 16]});
    }
  index_t const T = static_cast<index_t>(text.size());
  d.k.resize(T, dx);
  d.v.setZero(T, static_cast<index_t>(d.columns.size()));
  for (index_t t = 0; t < T; ++t) {
    std::uint64_t hash = 0;
    for (index_t n = 0; n < contexts; ++n) {  // the last n + 1 characters
      hash = mix(hash ^ (n <= t ? static_cast<unsigned char>(text[static_cast<std::size_t>(t - n)]) + 1u : 0u));
      for (index_t i = 0; i < block; ++i) d.k(t, n * block + i) = ((hash >> i) & 1u ? 1 : -1) / std::sqrt(double(dx));
    }
    d.symbol.push_back(column_of[static_cast<unsigned char>(text[static_cast<std::size_t>(t)])]);
    d.v(t, d.symbol.back()) = 1;
  }
  d.prefix = prefix_of(T);
  return d;
}

dataset signal_data(std::string name, std::string source, mat<double> const& samples) {
  index_t const T = samples.rows(), columns = samples.cols();
  require(T >= 64, who, source, " has ", T, " samples, but a signal needs at least 64");
  require(columns >= 1 && columns <= 16, who, source, " has ", columns, " columns, but a signal has 1 to 16");
  require_finite(who, source, samples);
  dataset d{std::move(name), std::move(source), false, {}, {}, {}, {}, prefix_of(T)};
  index_t const p = std::max<index_t>(24 / columns, 4);
  row<double> const mean = samples.topRows(d.prefix).colwise().mean();
  d.v = samples.rowwise() - mean;
  bool changes = false;
  for (index_t j = 0; j < columns; ++j) {
    double const deviation = d.v.col(j).head(d.prefix).stableNorm() / std::sqrt(double(d.prefix));
    require(std::isfinite(deviation), who, d.source, ": column ", j, " is too large for its deviation to be a number");
    changes = changes || deviation > 0;
    if (deviation > 0) d.v.col(j) /= deviation;
    constexpr double most = 1e15;  // squares and their sums stay in the range of float
    for (index_t t = 0; t < T; ++t)
      require(std::abs(d.v(t, j)) < most, who, d.source, ": sample ", t, " of column ", j, " is ", samples(t, j), ", more than ", most,
              " deviations from the mean");
    d.columns.push_back("column " + std::to_string(j));
  }
  require(changes, who, d.source, ": no column changes in its first ", d.prefix, " samples");
  d.k.setZero(T, 1 + p * columns);
  d.k.col(0).setOnes();
  for (index_t i = 0; i < p; ++i) d.k.block(i, 1 + i * columns, T - i, columns) = d.v.topRows(T - i);
  require_finite(who, d.source, d.k);
  return d;
}

mat<double> read_csv(std::string const& path) {
  std::string const text = read_file(path);
  std::vector<double> all;
  std::size_t columns = 0, line_number = 0, rows = 0;
  for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {  // a byte order mark is no cell
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::string_view const line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    std::size_t strange = 0;
    std::vector<double> const cells = numbers_of_line(line, strange);
    if (strange == cells.size() && rows == 0 && columns == 0) {  // names of columns
      columns = cells.size();
      continue;
    }
    require(strange == 0, who, path, " line ", line_number, " must hold numbers, but is \"", line.substr(0, 60), '"');
    require(columns == 0 || cells.size() == columns, who, path, " line ", line_number, " must have ", columns, " columns, but has ",
            cells.size());
    for (double c : cells) require(std::isfinite(c), who, path, " line ", line_number, " must be finite, but is ", c);
    columns = cells.size();
    all.insert(all.end(), cells.begin(), cells.end());
    ++rows;
  }
  return Eigen::Map<mat<double> const>(all.data(), static_cast<index_t>(rows), static_cast<index_t>(columns));
}

mat<double> read_ecg(std::string const& path) {
  std::string const npy = unzip_first(read_file(path));
  auto byte = [&npy](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(npy[i])); };
  require(npy.size() > 10 && npy.starts_with("\x93NUMPY") && npy.find("'<u2'") != std::string::npos, who, path,
          " must hold numbers of 16 bits");
  std::size_t const begin = 10 + byte(8) + 256 * byte(9);
  require(begin < npy.size(), who, path, " holds no samples");
  mat<double> samples(static_cast<index_t>((npy.size() - begin) / 2), 1);
  for (index_t i = 0; i < samples.rows(); ++i) {
    std::size_t const at = begin + 2 * static_cast<std::size_t>(i);
    samples(i, 0) = (double(byte(at) + 256 * byte(at + 1)) - 1024) / 200;  // millivolts
  }
  return samples;
}

mat<double> read_npy_samples(std::string const& path) {
  xt::xarray<double> const a = read_npy<double>(std::filesystem::path(path));
  require(a.dimension() == 1 || a.dimension() == 2, who, path, " must have 1 or 2 axes, but has ", a.dimension());
  return Eigen::Map<mat<double> const>(a.data(), static_cast<index_t>(a.shape(0)),
                                       a.dimension() == 1 ? 1 : static_cast<index_t>(a.shape(1)));
}

dataset load(std::string const& what, index_t most) {
  auto first = [most](mat<double> const& samples) -> mat<double> { return samples.topRows(std::min(samples.rows(), most)); };
  if (what == "text") {
    std::string source;
    std::string const text = system_text(source);
    return text_data("text", source, std::string_view(text).substr(0, static_cast<std::size_t>(most)));
  }
  if (what == "sunspots")
    return signal_data(what, "monthly sunspot numbers 1749-1983 (Andrews and Herzberg 1985; data/sunspots.csv)",
                       first(column(sunspots, std::size(sunspots))));
  if (what == "co2")
    return signal_data(what, "weekly CO2 at Mauna Loa 1958-2001 (Keeling and Whorf 2004; data/co2.csv)",
                       first(column(co2, std::size(co2))));
  if (what == "ecg") {
    std::string const path = "/usr/lib/python3/dist-packages/scipy/misc/ecg.dat";
    require(std::filesystem::is_regular_file(path), who, "ecg is read from ", path, ", which is not there: install Debian's python3-scipy");
    return signal_data(what, "electrocardiogram, 360 Hz (MIT-BIH record 208; " + path + ")", first(read_ecg(path)));
  }
  std::filesystem::path const path = what;
  std::string const name = path.filename().string();
  if (path.extension() == ".csv") return signal_data(name, what, first(read_csv(what)));
  if (path.extension() == ".npy") return signal_data(name, what, first(read_npy_samples(what)));
  return text_data(name, what, std::string_view(read_file(what)).substr(0, static_cast<std::size_t>(most)));
}

}  // namespace fwa::study
