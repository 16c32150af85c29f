// SPDX-License-Identifier: Apache-2.0
// device/hopper/launch.cuh — which calls the kernels made for Hopper take, and their launch.
//
// bf16, d = dv = 128, one pair a window, one step a token, C = 64, no feature map, fresh unpacked sequences.
#pragma once

#include "../../refusal.hpp"
#include "prepare.cuh"
#include "scan.cuh"

#include <cudaTypedefs.h>

#include <cstdint>

namespace fwa::device::hopper {

/// Whether shapes and options suit; arrays: see reads().
[[nodiscard]] inline bool suits(rule const& r, options const& o, sizes const& n) {
  return o.form == form::chunk && o.chunk == C && n.d == width && n.dv == width && o.window == 1 && !r.per_column && n.packed == 0 &&
         o.feature == feature::identity && !o.value_norm && !o.normalized_read;
}

/// Where the copy engine can fetch rows: 16-byte distances.
template <class T>
[[nodiscard]] bool reachable(rows<T> const& r) {
  return reinterpret_cast<std::uintptr_t>(r.data) % 16 == 0 && r.batch % 8 == 0 && r.time % 8 == 0 && r.head % 8 == 0 && r.time > 0 &&
         r.head > 0 && r.batch >= 0;
}

template <class T>
[[nodiscard]] bool reads(call<T> const& c) {
  if (c.entry.pairs != nullptr || !reachable(c.q) || !reachable(c.k) || !reachable(c.v) || !reachable(c.o)) return false;
  int device = 0, major = 0;
  succeed(cudaGetDevice(&device), "cudaGetDevice");
  succeed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  return major == 9;
}

[[nodiscard]] inline CUtensorMap map_of(rows<__nv_bfloat16 const> const& r, sizes const& n) {
  static PFN_cuTensorMapEncodeTiled_v12000 const encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    succeed(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
            "cudaGetDriverEntryPointByVersion");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
  }();
  if (encode == nullptr) throw cuda_error("cuTensorMapEncodeTiled", cudaErrorNotSupported);
  auto bytes = [](index_t entries) { return static_cast<cuuint64_t>(entries) * sizeof(__nv_bfloat16); };
  CUtensorMap map{};
  cuuint64_t const extents[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(n.heads), static_cast<cuuint64_t>(n.time),
                                static_cast<cuuint64_t>(n.batch)};
  cuuint64_t const distances[] = {bytes(r.head), bytes(r.time), bytes(n.batch > 1 ? r.batch : r.time * n.time)};
  cuuint32_t const box[] = {64, 1, C, 1}, steps[] = {1, 1, 1, 1};
  CUresult const answer =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, const_cast<__nv_bfloat16*>(r.data), extents, distances, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (answer != CUDA_SUCCESS) throw cuda_error("cuTensorMapEncodeTiled", cudaErrorInvalidValue);
  return map;
}

/// Parts of the workspace.
template <class Arena>
[[nodiscard]] prepared room(Arena& from, sizes const& n) {
  index_t const chunks = n.units() * ((n.time + C - 1) / C);
  prepared p{};
  p.W = from.template take<std::uint32_t>(chunks * W_words);
  p.U = from.template take<std::uint32_t>(chunks * U_words);
  p.N = from.template take<std::uint32_t>(chunks * N_words);
  p.decays = from.template take<float>(chunks * decay_count);
  return p;
}

template <int warpgroups, bool solves>
void scan_with(scan_call const& call, CUtensorMap const& k, CUtensorMap const& q, CUtensorMap const& o, cudaStream_t stream) {
  auto* const kernel = scan<warpgroups, solves>;
  constexpr int bytes = scan_bytes<warpgroups>;
  succeed(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
  kernel<<<static_cast<unsigned>(call.n.units() * 2 / warpgroups), 128 * warpgroups + 128, bytes, stream>>>(call, k, q, o);
  launched("hopper::scan");
}

/// @pre suits and reads
template <class T>
void attend(prepare_call const& in, call<T> const& c, cudaStream_t stream) {
  sizes const& n = in.in.n;
  index_t const chunks = n.units() * ((n.time + C - 1) / C);
  require(chunks < index_t(1) << 31 && n.time < index_t(1) << 31, "device::attend", "too many tokens: ", n.tokens());
  bool const solves = in.how.rho != residual::zero;
  auto* const first = solves ? prepare<true> : prepare<false>;
  succeed(cudaFuncSetAttribute(first, cudaFuncAttributeMaxDynamicSharedMemorySize, prepare_bytes), "cudaFuncSetAttribute");
  first<<<static_cast<unsigned>(chunks), 256, prepare_bytes, stream>>>(in);
  launched("hopper::prepare");
  scan_call const call{n, in.out, c.entry.state, c.exit.state, in.in.shifted};
  CUtensorMap const k = map_of(c.k, n), q = map_of(c.q, n), o = map_of({c.o.data, c.o.batch, c.o.time, c.o.head}, n);
  int device = 0, processors = 0;
  succeed(cudaGetDevice(&device), "cudaGetDevice");
  succeed(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  bool const halves = 2 * n.units() <= processors;
  auto* const start = halves ? (solves ? scan_with<1, true> : scan_with<1, false>) : (solves ? scan_with<2, true> : scan_with<2, false>);
  start(call, k, q, o, stream);
}

}  // namespace fwa::device::hopper
