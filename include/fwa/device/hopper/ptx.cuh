// SPDX-License-Identifier: Apache-2.0
// device/hopper/ptx.cuh — the instructions of sm_80 and sm_90a that CUDA C++ has no name for.
//
// A tile of 64 rows and 64 columns of bf16 lies in shared memory as rows of 128 bytes whose 16-byte parts are permuted: part c of row r
// stands at c ^ (r mod 8), as the copy engine's 128-byte swizzle does and wgmma expects. 128 columns are two such tiles.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

namespace fwa::device::hopper {

inline constexpr int tile_bytes = 8192;

__device__ __forceinline__ std::uint32_t shared_address(void const* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }

/// Byte of 16-byte part `part` of row `row` of a tile.
__device__ __forceinline__ std::uint32_t swizzled(int row, int part) {
  return static_cast<std::uint32_t>(row * 128 + ((part ^ (row & 7)) << 4));
}

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  __nv_bfloat162 const both = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<std::uint32_t const*>(&both);
}
__device__ __forceinline__ float2 unpack(std::uint32_t both) { return __bfloat1622float2(*reinterpret_cast<__nv_bfloat162*>(&both)); }

// Four 8 × 8 matrices; lane 8 i + r names row r of matrix i.
__device__ __forceinline__ void load_matrices(std::uint32_t address, std::uint32_t (&m)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_transposed(std::uint32_t address, std::uint32_t (&m)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void store_transposed(std::uint32_t address, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                 std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

__device__ __forceinline__ void store_matrices(std::uint32_t address, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

/// C += A B, 16 × 8 += 16 × 16 · 16 × 8.
__device__ __forceinline__ void multiply(float (&c)[4], std::uint32_t const (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// C += A B, 16 × 8 += 16 × 8 · 8 × 8, of f32 rounded to 11 bits.
__device__ __forceinline__ std::uint32_t round_tf32(float x) {
  std::uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0,%1;" : "=r"(rounded) : "f"(x));
  return rounded;
}
__device__ __forceinline__ void multiply_tf32(float (&c)[4], std::uint32_t const (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void copy_16(std::uint32_t to, void const* from) {
  asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void copy_4(std::uint32_t to, void const* from) {
  asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Orders what this thread wrote to shared memory before the copy engine and wgmma.
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
/// Named barriers: wait for all, or count oneself in and go on.
__device__ __forceinline__ void barrier(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

__device__ __forceinline__ void barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/// The next grid of the stream may start beside this one, where it was launched so; and until the grid before is done.
__device__ __forceinline__ void release_next_grid() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void wait_for_earlier_grid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

__device__ __forceinline__ void signal_init(std::uint32_t signal, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(signal), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void signals_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void expect(std::uint32_t signal, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(signal), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive(std::uint32_t signal) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(signal) : "memory");
}
__device__ __forceinline__ void wait(std::uint32_t signal, std::uint32_t parity) {
  asm volatile(
      "{.reg .pred p;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p,[%0],%1;\n"
      "@!p bra again;}" ::"r"(signal),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void load_bulk(std::uint32_t to, void const* from, std::uint32_t bytes, std::uint32_t signal) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(to), "l"(from), "r"(bytes),
               "r"(signal)
               : "memory");
}
__device__ __forceinline__ void store_bulk(void* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void load_tile(std::uint32_t to, CUtensorMap const* map, int column, int head, int time, int batch,
                                          std::uint32_t signal) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3,%4,%5}],[%6];" ::"r"(to),
               "l"(map), "r"(column), "r"(head), "r"(time), "r"(batch), "r"(signal)
               : "memory");
}
__device__ __forceinline__ void store_tile(CUtensorMap const* map, int column, int head, int time, int batch, std::uint32_t from) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0,{%1,%2,%3,%4}],[%5];" ::"l"(map), "r"(column), "r"(head),
               "r"(time), "r"(batch), "r"(from)
               : "memory");
}
/// Says to other blocks that what this block wrote before is there.
__device__ __forceinline__ void set_flag(unsigned* flag) {
  asm volatile("fence.acq_rel.gpu; st.release.gpu.global.u32 [%0],%1;" ::"l"(flag), "r"(1) : "memory");
}
__device__ __forceinline__ bool is_set(unsigned const* flag) {
  unsigned set;
  asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(set) : "l"(flag) : "memory");
  return set != 0;
}
/// Orders what this thread knows to be written before what the copy engine reads.
__device__ __forceinline__ void fence_async_all() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ __forceinline__ void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Until at most `pending` groups of stores still read shared memory.
template <int pending>
__device__ __forceinline__ void wait_for_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
__device__ __forceinline__ void wait_for_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// wgmma: 64 × 64 += 64 × 16 (registers) · 16 × 64 (shared memory).
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
/// Keeps the compiler from moving accesses of these registers across the wait or the fence beside it.
template <int n>
__device__ __forceinline__ void pin(float (&d)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int n>
__device__ __forceinline__ void pin(std::uint32_t (&d)[n][4]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+r"(d[i][0]), "+r"(d[i][1]), "+r"(d[i][2]), "+r"(d[i][3])::"memory");
}
/// Descriptor of tiles in shared memory; distances in bytes.
__device__ __forceinline__ std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading, std::uint32_t stride) {
  return static_cast<std::uint64_t>((address & 0x3ffff) >> 4) | static_cast<std::uint64_t>((leading & 0x3ffff) >> 4) << 16 |
         static_cast<std::uint64_t>((stride & 0x3ffff) >> 4) << 32 | std::uint64_t(1) << 62;
}
/// @param transposed the rows of the tile are the product's inner index   @param adds to what d holds; else replaces it
template <int transposed>
__device__ __forceinline__ void multiply(float (&d)[32], std::uint32_t const (&a)[4], std::uint64_t b, int adds) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
      "%28, %29, %30, %31}, "
      "{%32,%33,%34,%35}, %36, p, 1, 1, %38;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
        "+f"(d[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds), "n"(transposed));
}
/// The same for 16 columns; the rows of the tile are the columns of the product.
__device__ __forceinline__ void multiply(float (&d)[8], std::uint32_t const (&a)[4], std::uint64_t b, int adds) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %13, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8,%9,%10,%11}, %12, p, 1, 1, 0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds));
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

}  // namespace fwa::device::hopper
