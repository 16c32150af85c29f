// SPDX-License-Identifier: Apache-2.0
// device/hopper/launch.cuh — which calls the kernels made for Hopper take, and their launch.
//
// bf16, d = dv = 128, one pair a window, one step a token, C = 64, no feature map, fresh unpacked sequences.
#pragma once

#include "../../refusal.hpp"
#include "prepare.cuh"
#include "scan.cuh"

#include <cudaTypedefs.h>

#include <algorithm>
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
  if (major != 9) return false;
  cudaFuncAttributes kernel{};
  succeed(cudaFuncGetAttributes(&kernel, prepare<true>), "cudaFuncGetAttributes");
  return kernel.sharedSizeBytes > 0;  // else it was built for sm_90, without Hopper's own instructions, and is empty
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
  CUresult const answer = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, const_cast<__nv_bfloat16*>(r.data), extents, distances, box,
                                 steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
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

/// @param beside whether the grid may start while the one before it in the stream still runs
template <class Kernel, class... Arguments>
void launch(Kernel* kernel, unsigned blocks, unsigned threads, int bytes, bool beside, cudaStream_t stream, Arguments const&... arguments) {
  succeed(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = beside ? 1 : 0;
  succeed(cudaLaunchKernelEx(&config, kernel, arguments...), "cudaLaunchKernelEx");
}

template <bool halves, bool solves>
void attend_with(prepare_call in, scan_call call, CUtensorMap const& k, CUtensorMap const& q, CUtensorMap const& o, float* between,
                 cudaStream_t stream) {
  constexpr int warpgroups = halves ? 1 : 2;
  auto const units = static_cast<unsigned>(call.n.units()), chunks = static_cast<unsigned>((call.n.time + C - 1) / C);
  // Few heads leave most of the device to the preparation of the segment after the one that is scanned. That takes less time a chunk, so
  // segments grow, and little has to be prepared before the first scan.
  unsigned segment = halves && chunks >= 64 ? chunks / 10 : chunks;
  float const* const entry = call.entry;
  float* const exit = call.exit;
  for (unsigned first = 0; first < chunks; first += in.chunk_count, segment += segment / 4) {
    in.first_chunk = call.first_chunk = first;
    in.chunk_count = call.chunk_count = std::min(segment, chunks - first);
    launch(prepare<solves>, units * in.chunk_count, 256, prepare_bytes, first > 0, stream, in);
    call.entry = first == 0 ? entry : between;
    call.exit = first + segment < chunks ? between : exit;
    launch(scan<warpgroups, solves>, units * (halves ? 2 : 1), 128 * warpgroups + 128, scan_bytes<warpgroups>, false, stream, call, k, q,
           o);
  }
}

/// @pre suits and reads   @param between (unit, d, dv) what one segment leaves to the next
template <class T>
void attend(prepare_call const& in, call<T> const& c, float* between, cudaStream_t stream) {
  sizes const& n = in.in.n;
  require(n.units() * ((n.time + C - 1) / C) < index_t(1) << 31 && n.time < index_t(1) << 31, "device::attend",
          "too many tokens: ", n.tokens());
  scan_call const call{n, in.out, c.entry.state, c.exit.state, in.in.shifted, 0, 0};
  CUtensorMap const k = map_of(c.k, n), q = map_of(c.q, n), o = map_of({c.o.data, c.o.batch, c.o.time, c.o.head}, n);
  int device = 0, processors = 0;
  succeed(cudaGetDevice(&device), "cudaGetDevice");
  succeed(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  bool const solves = in.how.rho != residual::zero, halves = 2 * n.units() <= processors;
  auto* const start = halves ? (solves ? attend_with<true, true> : attend_with<true, false>)
                             : (solves ? attend_with<false, true> : attend_with<false, false>);
  start(in, call, k, q, o, between, stream);
}

}  // namespace fwa::device::hopper
