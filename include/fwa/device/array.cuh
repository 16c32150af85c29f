// SPDX-License-Identifier: Apache-2.0
// device/array.cuh — an array in the memory of the device, freed with its owner; for callers who have none of their own.
#pragma once

#include "error.cuh"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace fwa::device {

template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit array(std::size_t n) : n_(n) {
    void* room = nullptr;
    succeed(cudaMalloc(&room, std::max<std::size_t>(n, 1) * sizeof(T)), "cudaMalloc");
    data_ = static_cast<T*>(room);
  }
  /// n numbers of the host.   @tparam Source laid out as T is
  template <class Source>
  array(Source const* from, std::size_t n) : array(n) {
    static_assert(sizeof(Source) == sizeof(T));
    succeed(cudaMemcpy(data_, from, n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  explicit array(std::vector<T> const& from) : array(from.data(), from.size()) {}
  array(array const&) = delete;
  array& operator=(array const&) = delete;
  ~array() { cudaFree(data_); }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] T const* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return n_; }

  /// Every byte; 0xff is NaN in every float.
  void fill(int byte) { succeed(cudaMemset(data_, byte, n_ * sizeof(T)), "cudaMemset"); }

  template <class Target>
  void get(Target* to) const {
    static_assert(sizeof(Target) == sizeof(T));
    succeed(cudaMemcpy(to, data_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> to(n_);
    get(to.data());
    return to;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

}  // namespace fwa::device
