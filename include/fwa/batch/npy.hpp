// SPDX-License-Identifier: Apache-2.0
// batch/npy.hpp — arrays in .npy files: formats 1.0, 2.0 and 3.0, '<f8', '<f4' and '<i8', C order, rank 0 to 4, zero-length axes included.
//
// Files are not trusted. Everything is checked against the length of the file before room is made for it, and whatever is not
// exactly one such array is refused by a contract_error that names the file, the rule and the value. xtensor's own reader is
// not used: it wants the keys in one order, takes the last character of a header that may be empty, multiplies axes without
// looking for overflow, and neither notices bytes after the array nor every kind of missing ones.
#pragma once

#include "../contract.hpp"

#include <xtensor/xarray.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <istream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fwa {

static_assert(std::endian::native == std::endian::little, "the three dtypes are little-endian");

template <class T>
concept npy_scalar = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int64_t>;

using shape_t = std::vector<std::size_t>;

/// "[3, 4]"
[[nodiscard]] inline std::string to_text(shape_t const& shape) {
  std::string text = "[";
  for (std::size_t const n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

/// Entries of an array, or a refusal where it or one of its strides passes the largest index.
[[nodiscard]] inline std::size_t element_count(std::string_view who, std::string_view what, shape_t const& shape) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(double);
  std::size_t stride = 1;
  for (std::size_t const n : shape) {
    if (n > most / stride) refuse(who, what, " has the impossible shape ", to_text(shape));
    stride *= std::max<std::size_t>(n, 1);
  }
  return std::ranges::find(shape, std::size_t(0)) == shape.end() ? stride : 0;
}

namespace detail {

template <npy_scalar T>
inline constexpr std::string_view descr = std::same_as<T, double>  ? "<f8"
                                          : std::same_as<T, float> ? "<f4"
                                                                   : "<i8";

struct npy_header {
  std::string descr;
  bool fortran_order = false;
  shape_t shape;
};

/// Reads the header's dictionary: three keys in any order, each once.
class npy_header_parser {
 public:
  npy_header_parser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  npy_header parse() {
    npy_header h;
    bool descr = false, order = false, shape = false;
    auto once = [this](bool& seen) {
      if (std::exchange(seen, true)) fail("names a key twice");
    };
    expect('{');
    while (!accept('}')) {
      std::string const key = quoted();
      expect(':');
      if (key == "descr") {
        once(descr);
        skip_space();
        if (rest_.starts_with('[')) fail("has a structured dtype");
        h.descr = quoted();
      } else if (key == "fortran_order") {
        once(order);
        h.fortran_order = boolean();
      } else if (key == "shape") {
        once(shape);
        h.shape = tuple();
      } else {
        fail("has an unknown key");
      }
      if (accept('}')) break;
      expect(',');
    }
    skip_space();
    if (!rest_.empty()) fail("goes on after its dictionary");
    if (!descr || !order || !shape) fail("lacks descr, fortran_order or shape");
    return h;
  }

 private:
  [[noreturn]] void fail(std::string_view how) const { refuse("read_npy", file_, ": the header ", how); }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("lacks a '") + c + "'");
  }

  /// Where no space is next.
  std::string quoted() {
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) fail("lacks a quoted text");
    std::size_t const end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("has a text without end");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_space();
    for (bool const value : {false, true})
      if (std::string_view const word = value ? "True" : "False"; rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    fail("has a fortran_order that is neither True nor False");
  }

  shape_t tuple() {
    shape_t shape;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) fail("has a shape without a ','");
      std::size_t n = 0;
      auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc{}) fail("has a shape with an axis that is not a count");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(n);
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) fail("has a number for a shape");
    return shape;
  }

  std::string_view rest_, file_;
};

[[nodiscard]] inline std::string read_bytes(std::istream& in, std::size_t count) {
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

}  // namespace detail

/// Reads one array from a stream that can seek; '<f4' widens to double, nothing else is converted.
/// @param file what a refusal calls the stream
template <npy_scalar T>
[[nodiscard]] xt::xarray<T> read_npy(std::istream& in, std::string_view file) {
  constexpr std::string_view who = "read_npy";
  auto const begin = in.tellg();
  in.seekg(0, std::ios::end);
  require(in.good(), who, file, ": cannot be read");
  auto left = static_cast<std::size_t>(in.tellg() - begin);
  in.seekg(begin);
  auto take = [&](std::size_t count, std::string_view what) {
    require(count <= left, who, file, ": ", what, " takes ", count, " bytes, but the file has only ", left, " more");
    left -= count;
    return detail::read_bytes(in, count);
  };

  std::string const magic = take(8, "the format's name");
  require(magic.starts_with("\x93NUMPY"), who, file, ": is not a .npy file");
  auto const major = static_cast<unsigned char>(magic[6]), minor = static_cast<unsigned char>(magic[7]);
  require(major >= 1 && major <= 3 && minor == 0, who, file, ": format must be 1.0, 2.0 or 3.0, but is ", int(major), '.', int(minor));
  std::size_t length = 0;
  std::string const digits = take(major == 1 ? 2 : 4, "the header's length");
  for (std::size_t i = digits.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(digits[i]);
  std::string const text = take(length, "the header");
  detail::npy_header const h = detail::npy_header_parser(text, file).parse();

  bool const widen = std::same_as<T, double> && h.descr == detail::descr<float>;
  require(h.descr == detail::descr<T> || widen, who, file, ": dtype must be '", detail::descr<T>, "', but is '", h.descr, "'");
  require(!h.fortran_order, who, file, ": must be in C order, but is in Fortran order");
  require(h.shape.size() <= 4, who, file, ": rank must be at most 4, but is ", h.shape.size());
  std::size_t const count = element_count(who, file, h.shape), bytes = count * (widen ? sizeof(float) : sizeof(T));
  require(bytes <= left, who, file, ": an array of shape ", to_text(h.shape), " takes ", bytes, " bytes, but the file has only ", left);
  require(bytes == left, who, file, ": has ", left - bytes, " bytes after its array of shape ", to_text(h.shape));

  auto array = xt::xarray<T>::from_shape(h.shape);
  if (widen) {
    std::vector<float> narrow(count);
    in.read(reinterpret_cast<char*>(narrow.data()), static_cast<std::streamsize>(bytes));
    std::ranges::transform(narrow, array.data(), [](float x) { return static_cast<T>(x); });
  } else {
    in.read(reinterpret_cast<char*>(array.data()), static_cast<std::streamsize>(bytes));
  }
  require(in.good(), who, file, ": cannot be read to its end");
  return array;
}

/// Reads a file.
template <npy_scalar T>
[[nodiscard]] xt::xarray<T> read_npy(std::filesystem::path const& file) {
  std::error_code error;
  require(std::filesystem::is_regular_file(file, error), "read_npy", file.string(), ": is not there, or not a file");
  std::ifstream in(file, std::ios::binary);
  return read_npy<T>(in, file.string());
}

/// Writes a file: whole or not at all. It is written beside its place and then moved there.
template <npy_scalar T>
void write_npy(std::filesystem::path const& file, xt::xarray<T> const& array) {
  std::string axes;
  for (std::size_t const n : array.shape()) axes += (axes.empty() ? "" : ", ") + std::to_string(n);
  if (array.dimension() == 1) axes += ',';
  std::string header = "{'descr': '" + std::string(detail::descr<T>) + "', 'fortran_order': False, 'shape': (" + axes + "), }";
  constexpr std::size_t before = 10, aligned = 64;  // magic, version and length; the array begins at a multiple of 64
  header.append(aligned - 1 - (before + header.size()) % aligned, ' ') += '\n';

  std::filesystem::path part = file;
  part += ".part-" + std::to_string(std::random_device{}());
  try {
    std::ofstream out(part, std::ios::binary);
    out << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size()) << static_cast<char>(header.size() >> 8) << header;
    out.write(reinterpret_cast<char const*>(array.data()), static_cast<std::streamsize>(array.size() * sizeof(T)));
    out.close();
    require(!out.fail(), "write_npy", file.string(), ": cannot be written");
    std::filesystem::rename(part, file);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace fwa
