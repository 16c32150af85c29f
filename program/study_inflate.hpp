// SPDX-License-Identifier: Apache-2.0
// study_inflate.hpp — DEFLATE, and the first file of a zip archive: what one .npz of SciPy needs.            RFC 1951
#pragma once

#include <fwa/contract.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fwa::study {

class inflater {
 public:
  explicit inflater(std::string_view in) : in_(in) {}

  std::string operator()() {
    for (bool last = false; !last;) {
      last = bits(1);
      unsigned const kind = bits(2);
      if (kind == 0)
        stored();
      else if (kind == 1)
        compressed(fixed_lengths());
      else if (kind == 2)
        compressed(dynamic_lengths());
      else
        fail();
    }
    return std::move(out_);
  }

 private:
  struct lengths {
    std::array<unsigned char, 320> code{};
    unsigned literals = 288, distances = 30;
  };

  /// Canonical Huffman code: how many codes have a length, and the symbols in order of their codes.
  struct huffman {
    std::array<unsigned, 16> count{};
    std::array<unsigned, 320> symbol{};

    explicit huffman(std::span<unsigned char const> code) {
      for (unsigned char l : code) ++count[l];
      count[0] = 0;
      std::array<unsigned, 17> start{};
      for (std::size_t l = 1; l < 16; ++l) start[l + 1] = start[l] + count[l];
      for (std::size_t s = 0; s < code.size(); ++s)
        if (code[s] != 0) symbol[start[code[s]]++] = static_cast<unsigned>(s);
    }
  };

  [[noreturn]] static void fail() { refuse("study", "a zip archive is damaged"); }

  unsigned bits(unsigned n) {
    while (held_ < n) {
      if (at_ == in_.size()) fail();
      buffer_ |= static_cast<unsigned>(static_cast<unsigned char>(in_[at_++])) << held_;
      held_ += 8;
    }
    unsigned const value = buffer_ & ((1u << n) - 1);
    buffer_ >>= n;
    held_ -= n;
    return value;
  }

  unsigned decode(huffman const& h) {
    unsigned code = 0, first = 0, index = 0;
    for (std::size_t l = 1; l < 16; ++l) {
      code |= bits(1);
      unsigned const count = h.count[l];
      if (code < first + count) return h.symbol[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    fail();
  }

  void stored() {
    buffer_ = held_ = 0;
    if (at_ + 4 > in_.size()) fail();
    std::size_t const n = static_cast<unsigned char>(in_[at_]) | static_cast<std::size_t>(static_cast<unsigned char>(in_[at_ + 1])) << 8;
    if (at_ + 4 + n > in_.size()) fail();
    out_.append(in_.substr(at_ + 4, n));
    at_ += 4 + n;
  }

  static lengths fixed_lengths() {
    lengths l;
    for (std::size_t s = 0; s < 288; ++s) l.code[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    for (std::size_t s = 0; s < 30; ++s) l.code[288 + s] = 5;
    return l;
  }

  lengths dynamic_lengths() {
    constexpr unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    lengths l;
    l.literals = bits(5) + 257;
    l.distances = bits(5) + 1;
    unsigned const codes = bits(4) + 4;
    std::array<unsigned char, 19> of_codes{};
    for (unsigned i = 0; i < codes; ++i) of_codes[order[i]] = static_cast<unsigned char>(bits(3));
    huffman const h(of_codes);
    for (unsigned i = 0, all = l.literals + l.distances; i < all;) {
      unsigned const s = decode(h);
      unsigned char const value = s < 16 ? static_cast<unsigned char>(s) : s == 16 && i > 0 ? l.code[i - 1] : 0;
      for (unsigned repeat = s < 16 ? 1 : s == 16 ? 3 + bits(2) : s == 17 ? 3 + bits(3) : 11 + bits(7); repeat > 0; --repeat) {
        if (i == all) fail();
        l.code[i++] = value;
      }
    }
    return l;
  }

  void compressed(lengths const& l) {
    constexpr unsigned base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    constexpr unsigned extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    std::span<unsigned char const> const all(l.code);
    huffman const literal(all.first(l.literals)), distance(all.subspan(l.literals, l.distances));
    for (unsigned s = decode(literal); s != 256; s = decode(literal)) {
      if (s < 256) {
        out_.push_back(static_cast<char>(s));
        continue;
      }
      if (s > 285) fail();
      unsigned const n = base[s - 257] + bits(extra[s - 257]), d = decode(distance);
      if (d > 29) fail();
      unsigned const more = d < 2 ? 0 : d / 2 - 1;
      std::size_t const back = (d < 2 ? d : (2u + d % 2) << more) + 1 + bits(more);
      if (back > out_.size()) fail();
      for (unsigned i = 0; i < n; ++i) out_.push_back(out_[out_.size() - back]);
    }
  }

  std::string_view in_;
  std::size_t at_ = 0;
  unsigned buffer_ = 0, held_ = 0;
  std::string out_;
};

/// The first file of a zip archive.
[[nodiscard]] inline std::string unzip_first(std::string_view zip) {
  auto two = [zip](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(zip[i])) | static_cast<std::size_t>(static_cast<unsigned char>(zip[i + 1]))
                                                                              << 8;
  };
  require(zip.size() > 30 && zip.starts_with("PK\3\4"), "study", "a zip archive is damaged");
  std::size_t const method = two(8), begin = 30 + two(26) + two(28);
  require(method == 8 && begin < zip.size(), "study", "a zip archive must be deflated, but has method ", method);
  return inflater(zip.substr(begin))();
}

}  // namespace fwa::study
