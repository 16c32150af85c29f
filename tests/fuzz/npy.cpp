// SPDX-License-Identifier: Apache-2.0
// Any bytes are an array or a refusal; an array that was read is written and read back the same.
#include "folder.hpp"

#include <fwa/batch/npy.hpp>

#include <bit>

namespace {

using namespace fwa;

template <class T>
void read_and_write(fuzz::fs::path const& in, fuzz::fs::path const& out) {
  xt::xarray<T> array;
  try {
    array = read_npy<T>(in);
  } catch (contract_error const&) {
    return;
  }
  write_npy<T>(out, array);
  xt::xarray<T> const again = read_npy<T>(out);
  fuzz::must(again.shape() == array.shape(), "the shape survives");
  fuzz::must(std::equal(array.data(), array.data() + array.size(), again.data(),
                        [](T a, T b) {
                          if constexpr (sizeof(T) == 4)
                            return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
                          else
                            return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
                        }),
             "the bits survive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::room const room;
  fuzz::fs::path const in = room.path / "in.npy", out = room.path / "out.npy";
  std::ofstream(in, std::ios::binary).write(reinterpret_cast<char const*>(data), static_cast<std::streamsize>(size));
  read_and_write<double>(in, out);
  read_and_write<float>(in, out);
  read_and_write<std::int64_t>(in, out);
  return 0;
}
