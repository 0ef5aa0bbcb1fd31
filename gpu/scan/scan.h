/* The inclusive prefix sum (scan) of n floats on the device: y[i] = x[0] + .. + x[i]. x, y and work are in device memory; y may
 * be x, and must not overlap it otherwise. work: scan_work(n) floats; what they hold before does not matter.
 *
 * Each y[i] is a sum of the floats up to i and of no other: NaN propagates, and only forward. Sums are taken in float, each rung
 * in an order of its own; no number depends on the device, so the bits repeat in every run.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Sources: Hillis and Steele, "Data Parallel Algorithms", 1986; Blelloch, "Prefix Sums and Their Applications", 1990; Harris,
 * Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_SCAN_H
#define GPU_SCAN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuScan(size_t n, const float *x, float *y, float *work);

/* clang-format off */
GpuScan launch_scan_hillis_steele;  /* 01: one block; 10 steps of up to 1024 additions for 1024 elements */
GpuScan launch_scan_blelloch;       /* 02: one block; 20 steps, 2 additions for each element */
GpuScan launch_scan_shuffle;        /* 03: one block; warps from register to register */
GpuScan launch_scan_three_launches; /* 04: all blocks: scan chunks, scan their sums, add those: 16 n bytes */
GpuScan launch_scan_sums_first;     /* 05: sum chunks, scan the sums, scan chunks: 12 n bytes */
/* clang-format on */

/* A float for each chunk of 1024. */
static inline size_t
scan_work(size_t n)
{
    return n / 1024 + 1;
}

#ifdef __cplusplus
}
#endif

#endif
