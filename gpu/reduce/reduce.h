/* The sum of n floats on the device: *sum = x[0] + .. + x[n - 1], and 0 of none. x, sum and work lie in device memory; x is only
 * read. work: reduce_work(n) floats for sums of parts; what they hold before does not matter.
 *
 * Each float is read once and added once, so the best time is that of reading 4 n bytes. Sums are taken in float, in an order
 * that is not that of the array, and that decides the last bits:
 *
 *     naive .. shuffle            pieces of 256, then pieces of 256 sums of pieces, ..: the order depends on n alone
 *     vectorised, last_block      each of up to 1024 blocks takes every 1024th piece: on n, and on where x begins within 16 bytes
 *     atomic                      blocks add when they end: in another order, and to other bits, in every run
 *
 * All but the last give the same bits in every run and on every device, because no number here is taken from the device. (With a
 * grid of so many blocks as the device holds, a common choice, two devices differ.) NaN passes on.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Source of the first rungs' order: Harris, "Optimizing Parallel Reduction in CUDA", 2007.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_REDUCE_H
#define GPU_REDUCE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuReduce(size_t n, const float *x, float *sum, float *work);

/* clang-format off */
GpuReduce launch_reduce_interleaved; /* 01: a tree in shared memory; the threads that add stand apart */
GpuReduce launch_reduce_sequential;  /* 02: they stand side by side: warps do not part */
GpuReduce launch_reduce_shuffle;     /* 03: within a warp from register to register: two barriers in place of nine */
GpuReduce launch_reduce_vectorised;  /* 04: a fixed grid walks along x and reads 16 bytes a thread */
GpuReduce launch_reduce_atomic;      /* 05: one launch: blocks add to the sum in any order; bits do not repeat */
GpuReduce launch_reduce_last_block;  /* 06: one launch: the block that ends last adds the blocks' sums; bits repeat */
/* clang-format on */

/* n / 256 sums, n / 256^2 sums of sums, .., each rounded up; or at most 1024 sums and a count. */
static inline size_t
reduce_work(size_t n)
{
    return n / 255 + 4;
}

#ifdef __cplusplus
}
#endif

#endif
