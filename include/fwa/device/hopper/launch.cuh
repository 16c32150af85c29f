// SPDX-License-Identifier: Apache-2.0
// device/hopper/launch.cuh — which calls the kernels made for Hopper take, and their launch.
//
// bf16, d = dv = 128, C = 64, no feature map, fresh unpacked sequences; and of rules
//   prepare, scan   one step a token, one pair a window
//   segments        one step a token, no prediction, at most 16 pairs a window
//   sweep           a step a value column, or prediction and more than one pair a window; at most 4 pairs
#pragma once

#include "../../refusal.hpp"
#include "prepare.cuh"
#include "scan.cuh"
#include "segments.cuh"
#include "sweep.cuh"

#include <cudaTypedefs.h>

#include <algorithm>
#include <cstdint>

namespace fwa::device::hopper {

enum class way { none, prepared, segmented, swept };

/// Which kernels shapes and options suit; arrays: see reads().
[[nodiscard]] inline way way_of(rule const& r, options const& o, sizes const& n) {
  if (o.form != form::chunk || o.chunk != C || n.d != width || n.dv != width || n.packed != 0 || o.feature != feature::identity ||
      o.value_norm || o.normalized_read)
    return way::none;
  if (!r.per_column && r.rho == residual::zero && o.window <= halo) return way::segmented;
  if (!r.per_column && o.window == 1) return way::prepared;
  return o.window <= most_pairs ? way::swept : way::none;
}

/// Where the copy engine can fetch rows: 16-byte distances.
template <class T>
[[nodiscard]] bool reachable(rows<T> const& r) {
  return reinterpret_cast<std::uintptr_t>(r.data) % 16 == 0 && r.batch % 8 == 0 && r.time % 8 == 0 && r.head % 8 == 0 && r.time > 0 &&
         r.head > 0 && r.batch >= 0;
}

/// Likewise rows of a number a column.
[[nodiscard]] inline bool aligned(rows<float const> const& r) {
  return reinterpret_cast<std::uintptr_t>(r.data) % 16 == 0 && r.batch % 4 == 0 && r.time % 4 == 0 && r.head % 4 == 0;
}

template <class T>
[[nodiscard]] bool reads(rule const& r, call<T> const& c) {
  if (r.per_column)
    if (!aligned(c.size) || (r.law == step_law::given && !aligned(c.forget)) || !aligned({c.eta}) || !aligned({c.gamma}) ||
        reinterpret_cast<std::uintptr_t>(c.clamped) % 4 != 0)
      return false;
  if (c.entry.pairs != nullptr || !reachable(c.q) || !reachable(c.k) || !reachable(c.v) || !reachable(c.o)) return false;
  int device = 0, major = 0;
  succeed(cudaGetDevice(&device), "cudaGetDevice");
  succeed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  if (major != 9) return false;
  cudaFuncAttributes kernel{};
  succeed(cudaFuncGetAttributes(&kernel, prepare<1>), "cudaFuncGetAttributes");
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

/// Parts of a sequence that blocks of this many heads read side by side, on the 132 multiprocessors that a Hopper device has at most.
[[nodiscard]] inline unsigned segments_of(sizes const& n) {
  return static_cast<unsigned>(std::clamp<index_t>(132 / std::max<index_t>(n.units(), 1), 1, std::max<index_t>((n.time + C - 1) / C, 1)));
}

/// Parts of the workspace.
struct room {
  prepared left{};
  float *parts = nullptr, *fades = nullptr;

  template <class Arena>
  room(Arena& from, way how, sizes const& n) {
    index_t const chunks = n.units() * ((n.time + C - 1) / C), segments = n.units() * segments_of(n);
    if (how == way::prepared) {
      left.W = from.template take<std::uint32_t>(chunks * W_words);
      left.U = from.template take<std::uint32_t>(chunks * U_words);
      left.N = from.template take<std::uint32_t>(chunks * N_words);
      left.decays = from.template take<float>(chunks * decay_count);
      left.ready = from.template take<unsigned>(chunks);
    }
    if (how == way::segmented) {
      parts = from.template take<float>(segments * part_floats);
      fades = from.template take<float>(segments);
    }
  }
};

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

/// A rule that predicts.
template <class T>
void attend_prepared(view_t const& in, plan_call const& plan, room const& r, bool early, call<T> const& c, cudaStream_t stream) {
  sizes const& n = in.n;
  CUtensorMap const k = map_of(c.k, n), q = map_of(c.q, n), v = map_of(c.v, n), o = map_of({c.o.data, c.o.batch, c.o.time, c.o.head}, n);
  int device = 0, processors = 0;
  succeed(cudaGetDevice(&device), "cudaGetDevice");
  succeed(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  auto const units = static_cast<int>(n.units()), chunks = static_cast<int>((n.time + C - 1) / C);
  prepare_call before{in, plan, r.left, early, chunks, 0};
  scan_call after{n, r.left, c.entry.state, c.exit.state, in.shifted};
  if (2 * units > processors) {
    before.out.ready = after.from.ready = nullptr;
    launch(prepare<1>, static_cast<unsigned>(units * chunks), 256, prepare_bytes<1>, false, stream, before, k, q, v);
    return launch(scan<2>, static_cast<unsigned>(units), 384, scan_bytes<2>, true, stream, after, k, q, o);
  }
  // Half a head a block leaves processors that prepare chunks beside the scan. It takes 4¼ of them to prepare as fast as a head is scanned;
  // more would only run ahead, and what they leave would fall out of the second-level cache. What fewer do not manage in the time of the
  // scan, all prepare before it.
  int const staying = std::min(processors - 2 * units, (17 * units + 3) / 4);
  before.leaving = processors - staying;
  before.shared = static_cast<int>(std::max<index_t>(0, chunks - static_cast<index_t>(chunks) * staying / (4 * units)));
  succeed(cudaMemsetAsync(r.left.ready, 0, static_cast<std::size_t>(units) * chunks * sizeof(unsigned), stream), "cudaMemsetAsync");
  launch(prepare<3>, static_cast<unsigned>(processors), 768, prepare_bytes<3>, false, stream, before, k, q, v);
  launch(scan<1>, static_cast<unsigned>(2 * units), 256, scan_bytes<1>, true, stream, after, k, q, o);
}

template <bool windows, class T>
void attend_segments(segments_call const& all, call<T> const& c, cudaStream_t stream) {
  sizes const& n = all.in.n;
  CUtensorMap const k = map_of(c.k, n), q = map_of(c.q, n), v = map_of(c.v, n), o = map_of({c.o.data, c.o.batch, c.o.time, c.o.head}, n);
  auto const units = static_cast<unsigned>(n.units());
  if (all.segments > 1)
    launch(read_segments<false, windows>, units * (all.segments - 1), 512, segment_bytes<false>, false, stream, all, k, q, v, o);
  launch(read_segments<true, windows>, units * all.segments, 512, segment_bytes<true>, all.segments > 1, stream, all, k, q, v, o);
}

template <bool windows, bool per_column, class T>
void attend_spans_of(sweep_call const& all, call<T> const& c, cudaStream_t stream) {
  sizes const& n = all.in.n;
  CUtensorMap const k = map_of(c.k, n), q = map_of(c.q, n), v = map_of(c.v, n), o = map_of({c.o.data, c.o.batch, c.o.time, c.o.head}, n);
  launch(read_spans<windows, per_column>, static_cast<unsigned>(n.units()), 512, sweep_sizes<windows, per_column>::bytes, false, stream,
         all, k, q, v, o);
}

/// @param steps of a rule with a step a column; else they are made from the plan
template <class T>
void attend_spans(view_t const& in, plan_call const& plan, schedule<float> const& steps, bool early, call<T> const& c,
                  cudaStream_t stream) {
  sweep_call const all{in, plan, steps.weight, steps.gamma, c.entry.state, c.exit.state, early};
  auto* const start = steps.columns == 1 ? attend_spans_of<true, false, T>
                      : in.B > 1         ? attend_spans_of<true, true, T>
                                         : attend_spans_of<false, true, T>;
  start(all, c, stream);
}

/// @pre how is way_of the call, and reads; not a rule with a step a column
template <class T>
void attend(way how, view_t const& in, plan_call const& plan, room const& r, bool early, call<T> const& c, cudaStream_t stream) {
  sizes const& n = in.n;
  require(n.units() * ((n.time + C - 1) / C) < index_t(1) << 31 && n.time < index_t(1) << 31, "device::attend",
          "too many tokens: ", n.tokens());
  if (how == way::prepared) return attend_prepared(in, plan, r, early, c, stream);
  if (how == way::swept) return attend_spans<T>(in, plan, {nullptr, nullptr, 1, plan.how.rho}, early, c, stream);
  segments_call const all{in, plan, c.entry.state, c.exit.state, r.parts, r.fades, early, segments_of(n)};
  in.B > 1 ? attend_segments<true>(all, c, stream) : attend_segments<false>(all, c, stream);
}

}  // namespace fwa::device::hopper
