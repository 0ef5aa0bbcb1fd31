/* The sum of n floats on the device: *sum = x[0] + .. + x[n - 1], and 0 of none. x, sum and work are in device memory; x is only
 * read. work: reduce_work(n) floats for partial sums; what they hold before does not matter.
 *
 * Each float is read once and added once, so the best time is that of reading 4 n bytes. Sums are taken in float, in an order
 * that is not that of the array, and that decides the last bits:
 *
 *     naive .. shuffle            chunks of 256, then chunks of 256 of their sums, ..: the order depends on n alone
 *     vectorised, last_block      a grid of up to 1024 blocks strides along x: on n, and on where x begins within 16 bytes
 *     atomic                      blocks add when they end: in another order, and to other bits, in every run
 *
 * All but the last give the same bits in every run and on every device, because no number here depends on the device. (With a
 * grid that fills the device, a common choice, two devices differ.) NaN propagates.
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
GpuReduce launch_reduce_interleaved; /* 01: a tree in shared memory; the threads that add are not contiguous */
GpuReduce launch_reduce_sequential;  /* 02: they are contiguous: warps do not diverge */
GpuReduce launch_reduce_shuffle;     /* 03: within a warp from register to register: two barriers in place of nine */
GpuReduce launch_reduce_vectorised;  /* 04: a grid-stride loop with loads of 16 bytes */
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
