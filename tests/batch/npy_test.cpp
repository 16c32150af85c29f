// SPDX-License-Identifier: Apache-2.0
// .npy files: what is written is read back bit for bit; what is not exactly one array of the wanted kind is refused.
#include <fwa/batch/npy.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

using namespace fwa;

namespace {

/// A file of format 1.0, or of 2.0 and 3.0 with its longer length.
std::string file_of(std::string const& header, std::string const& data, char major = 1) {
  std::string length;
  for (std::size_t i = 0; i < (major == 1 ? 2u : 4u); ++i) length += static_cast<char>(header.size() >> 8 * i & 0xff);
  return std::string("\x93NUMPY") + major + '\0' + length + header + data;
}

std::string dict(std::string const& descr, std::string const& order, std::string const& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class T>
xt::xarray<T> parse(std::string const& bytes) {
  std::istringstream in(bytes);
  return read_npy<T>(in, "some.npy");
}

/// The refusal's words; empty where there is none.
template <class T = double>
std::string refusal(std::string const& bytes) {
  try {
    (void)parse<T>(bytes);
  } catch (contract_error const& e) {
    return e.what();
  }
  return {};
}

bool says(std::string const& text, std::string const& part) {
  bool const found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("\"" << text << "\" does not say \"" << part << '"');
  return found;
}

template <class T>
std::string bytes_of(std::vector<T> const& numbers) {
  return {reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(T)};
}

struct scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("fwa-npy-" + std::to_string(std::random_device{}()));
  scratch() { std::filesystem::create_directory(path); }
  ~scratch() { std::filesystem::remove_all(path); }
};

/// As long as it lives no file may grow: a full disk.
struct full_disk {
  rlimit before{};
  void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
  full_disk() {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit const none{0, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~full_disk() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
};

/// A stream that cannot seek to its end, or then says that it stands `late` bytes behind it.
struct odd_end : std::stringbuf {
  off_type late;
  bool asked = false;
  odd_end(std::string const& bytes, off_type how_late) : std::stringbuf(bytes), late(how_late) {}
  pos_type seekoff(off_type off, std::ios::seekdir from, std::ios::openmode which) override {
    asked = asked || from == std::ios::end;
    off_type const at = std::stringbuf::seekoff(off, from, which);
    return asked ? late == 0 ? off_type(-1) : at + late : at;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("npy: written and read back, every rank, zero-length axes too", T, double, float, std::int64_t) {
  scratch const dir;
  for (shape_t const& shape : {shape_t{}, shape_t{1}, shape_t{5}, shape_t{0}, shape_t{2, 3}, shape_t{0, 3}, shape_t{3, 0}, shape_t{2, 1, 4},
                               shape_t{2, 3, 4, 5}, shape_t{2, 0, 4, 5}}) {
    auto array = xt::xarray<T>::from_shape(shape);
    for (std::size_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<T>(static_cast<double>(i) * 1.25 - 3);
    std::filesystem::path const file = dir.path / "a.npy";
    write_npy(file, array);
    xt::xarray<T> const back = read_npy<T>(file);
    CHECK(shape_t(back.shape().begin(), back.shape().end()) == shape);
    CHECK(std::equal(array.data(), array.data() + array.size(), back.data()));
    std::ifstream in(file, std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(in), {}};
    CHECK((bytes.size() - array.size() * sizeof(T)) % 64 == 0);
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);  // nothing left beside it
  }
}

TEST_CASE("npy: every bit of a double survives") {
  scratch const dir;
  xt::xarray<double> a = {-0.0, 5e-324, std::numeric_limits<double>::max(), -std::numeric_limits<double>::infinity(),
                          std::bit_cast<double>(0x7ff8dead0000beefull)};
  write_npy(dir.path / "a.npy", a);
  xt::xarray<double> const b = read_npy<double>(dir.path / "a.npy");
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::bit_cast<std::uint64_t>(a(i)) == std::bit_cast<std::uint64_t>(b(i)));
}

TEST_CASE("npy: formats, key order, quotes and spaces as Python writes them") {
  std::string const data = bytes_of<double>({1, 2, 3});
  for (char const major : {'\1', '\2', '\3'}) CHECK(parse<double>(file_of(dict("'<f8'", "False", "(3,)"), data, major))(2) == 3);
  CHECK(parse<double>(file_of("{\"shape\":(3 , ) ,\t'fortran_order' : False, 'descr':\"<f8\"}", data))(1) == 2);
  CHECK(parse<double>(file_of(dict("'<f8'", "False", "(1, 3)"), data)).dimension() == 2);
  CHECK(parse<double>(file_of(dict("'<f8'", "False", "()"), bytes_of<double>({7})))() == 7);
  xt::xarray<double> const widened = parse<double>(file_of(dict("'<f4'", "False", "(2,)"), bytes_of<float>({0.1f, -2.5f})));
  CHECK(widened(0) == static_cast<double>(0.1f));
  CHECK(widened(1) == -2.5);
}

TEST_CASE("npy: refusals name the file, the rule and the value") {
  std::string const data = bytes_of<double>({1, 2, 3}), good = dict("'<f8'", "False", "(3,)");
  REQUIRE(refusal(file_of(good, data)).empty());

  CHECK(says(refusal(""), "some.npy"));
  CHECK(says(refusal("NUMPY, but not of that kind"), "not a .npy file"));
  CHECK(says(refusal(file_of(good, data, 4)), "but is 4.0"));
  CHECK(says(refusal(file_of(good, data, 0)), "but is 0.0"));
  std::string newer = file_of(good, data);
  newer[7] = 1;
  CHECK(says(refusal(newer), "but is 1.1"));
  CHECK(says(refusal(file_of("{'descr': '<f8", data)), "a text without end"));
  CHECK(says(refusal(file_of(good, data + "x")), "has 1 bytes after"));
  CHECK(says(refusal(file_of(dict("'<f8'", "True", "(3,)"), data)), "Fortran order"));
  for (char const* const dtype : {"<i8", "<i4", ">f8", "=f8", "<f2", "|O", "|b1", "<c16", "<f16", "|S8", ""})
    CHECK(says(refusal(file_of(dict("'" + std::string(dtype) + "'", "False", "(3,)"), data)), "but is '" + std::string(dtype) + "'"));
  CHECK(says(refusal<std::int64_t>(file_of(good, data)), "dtype must be '<i8', but is '<f8'"));
  CHECK(says(refusal<float>(file_of(good, data)), "dtype must be '<f4', but is '<f8'"));
  CHECK(says(refusal(file_of(dict("[('a', '<f8')]", "False", "(3,)"), data)), "structured"));
  CHECK(says(refusal(file_of(dict("'<f8'", "False", "(1, 1, 1, 1, 3)"), data)), "rank must be at most 4"));
}

TEST_CASE("npy: shapes that no memory holds are refused before any is asked for") {
  for (char const* const shape : {"(4611686018427387904, 4)", "(18446744073709551615,)", "(0, 9223372036854775807, 9223372036854775807)",
                                  "(4294967296, 4294967296)", "(1152921504606846976,)"})
    CHECK(says(refusal(file_of(dict("'<f8'", "False", shape), "")), "impossible shape"));
  CHECK(says(refusal(file_of(dict("'<f8'", "False", "(18446744073709551616,)"), "")), "not a count"));
  CHECK(says(refusal(file_of(dict("'<f8'", "False", "(1152921504606846975,)"), "")), "takes 9223372036854775800 bytes"));
  CHECK(says(refusal(file_of(dict("'<f8'", "False", "(100000000000,)"), "")), "takes 800000000000 bytes, but the file has only 0"));
}

TEST_CASE("npy: a header that is not one dictionary with its three keys is refused") {
  std::string const data = bytes_of<double>({1, 2, 3});
  for (char const* const header : {"",
                                   "\n",
                                   "{}",
                                   "{",
                                   "}",
                                   "{'descr'",
                                   "{'descr': ",
                                   "{'descr': '<f8",
                                   "{'descr': '<f8'}",
                                   "{'descr': '<f8', 'fortran_order': False}",
                                   "{'descr': '<f8', 'shape': (3,)}",
                                   "{'fortran_order': False, 'shape': (3,)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shapes': (3,)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3,",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': [3]}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3.0,)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3 1)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (,3)}",
                                   "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
                                   "{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} {}",
                                   "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
                                   "['descr']",
                                   "\0\0\0\0"}) {
    INFO(header);
    CHECK(says(refusal(file_of(header, data)), "some.npy: the header"));
  }
}

TEST_CASE("npy: a file cut anywhere is refused") {
  std::string const whole = file_of(dict("'<f8'", "False", "(3,)"), bytes_of<double>({1, 2, 3}));
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK(says(refusal(whole.substr(0, n)), "some.npy: "));
  std::string longer = whole;
  longer[8] = longer[9] = static_cast<char>(0xff);  // a header of 65535 bytes
  CHECK(says(refusal(longer), "the header takes 65535 bytes"));
}

TEST_CASE("npy: any byte changed gives an array or a refusal, never anything else") {
  std::string const whole = file_of(dict("'<f8'", "False", "(3,)"), bytes_of<double>({1, 2, 3}));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int c = 0; c < 256; ++c) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(c);
      std::size_t count = 3;
      try {
        count = parse<double>(bytes).size();
      } catch (contract_error const&) {
        ++refused;
      }
      if (count != 3) FAIL_CHECK("byte " << i << " = " << c << " gives " << count << " entries");
    }
  CHECK(refused > 10000);
}

TEST_CASE("npy: a missing file, a folder, and a place that cannot be written") {
  scratch const dir;
  for (auto const& file : {dir.path / "none.npy", dir.path}) try {
      (void)read_npy<double>(file);
      FAIL("read");
    } catch (contract_error const& e) {
      CHECK(says(e.what(), file.string() + ": is not there, or not a file"));
    }
  xt::xarray<double> const a = {1, 2};
  CHECK_THROWS_AS(write_npy(dir.path / "no" / "a.npy", a), contract_error);
  std::filesystem::create_directories(dir.path / "b.npy" / "full");
  CHECK_THROWS(write_npy(dir.path / "b.npy", a));
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
}

TEST_CASE("npy: a stream that cannot seek, and one that ends before its end") {
  std::string const bytes = file_of(dict("'<f8'", "False", "(3,)"), bytes_of<double>({1, 2}));
  for (auto const& [late, what] : {std::pair{0, "some.npy: cannot be read"}, {8, "some.npy: cannot be read to its end"}}) {
    odd_end buffer(bytes, late);
    std::istream in(&buffer);
    try {
      (void)read_npy<double>(in, "some.npy");
      FAIL("read");
    } catch (contract_error const& e) {
      CHECK(says(std::string(e.what()) + "$", std::string(what) + "$"));
    }
  }
}

TEST_CASE("npy: a full disk leaves the old file, and nothing beside it") {
  scratch const dir;
  std::filesystem::path const file = dir.path / "a.npy";
  write_npy(file, xt::xarray<double>{1, 2});
  {
    full_disk const full;
    CHECK_THROWS_AS(write_npy(file, xt::xarray<double>{3, 4}), contract_error);
  }
  CHECK(read_npy<double>(file) == xt::xarray<double>{1, 2});
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
}

TEST_CASE("npy: what a writer that died has left is in no one's way") {
  scratch const dir;
  std::filesystem::create_directories(dir.path / "a.npy.part-" / "full");
  write_npy(dir.path / "a.npy", xt::xarray<double>{1, 2});
  CHECK(read_npy<double>(dir.path / "a.npy").size() == 2);
}

TEST_CASE("npy: a header of more than 255 bytes") {
  scratch const dir;
  write_npy(dir.path / "a.npy", xt::xarray<double>::from_shape(shape_t(80, 1)));
  std::ifstream in(dir.path / "a.npy", std::ios::binary);
  std::string const bytes{std::istreambuf_iterator<char>(in), {}};
  std::size_t const low = static_cast<unsigned char>(bytes[8]), high = static_cast<unsigned char>(bytes[9]);
  CHECK(high == 1);
  CHECK(10 + high * 256 + low + sizeof(double) == bytes.size());
}
