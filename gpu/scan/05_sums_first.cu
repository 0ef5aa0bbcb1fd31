/* scan, rung 5: sums first.
 * Idea      the first launch only adds up the chunks and writes nothing but their sums; the last one scans, when it already knows
 *           the sum of all chunks before.
 * Before    x read, y written, y read, y written: 16 n bytes.
 * Now       x read, x read, y written: 12 n bytes. A scan in one launch needs 8 n: there each block waits for the sum of the one
 *           before (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/scan/block_scan.cuh"
#include "gpu/scan/scan.h"

static __global__ void
sum_chunks(size_t n, const float *x, float *chunk_sums)
{
    __shared__ float sums[SCAN_THREADS / WARP];
    const size_t i = (size_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    const float sum = block_sum(i < n ? x[i] : 0, sums);
    if (threadIdx.x == 0)
        chunk_sums[blockIdx.x] = sum;
}

static __global__ void
scan_sums(size_t chunks, float *chunk_sums)
{
    scan_by_one_block(chunks, chunk_sums, chunk_sums);
}

static __global__ void
scan_after_sums(size_t n, const float *x, const float *chunk_sums, float *y)
{
    __shared__ float sums[SCAN_THREADS / WARP];
    const size_t i = (size_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    float total;
    const float sum = block_scan(i < n ? x[i] : 0, sums, &total);
    if (i < n)
        y[i] = blockIdx.x > 0 ? chunk_sums[blockIdx.x - 1] + sum : sum;
}

void
launch_scan_sums_first(size_t n, const float *x, float *y, float *work)
{
    if (n == 0)
        return;
    const unsigned chunks = (unsigned)((n - 1) / SCAN_THREADS + 1);
    if (chunks > 1) {
        sum_chunks<<<chunks, SCAN_THREADS>>>(n, x, work);
        scan_sums<<<1, SCAN_THREADS>>>(chunks, work);
    }
    scan_after_sums<<<chunks, SCAN_THREADS>>>(n, x, work, y);
}
