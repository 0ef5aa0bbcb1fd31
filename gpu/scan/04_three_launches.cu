/* scan, rung 4: three launches.
 * Idea      1  each block scans a chunk of 1024, and writes the chunk's sum to work
 *           2  one block scans these sums, a thousandth of x
 *           3  each block adds to its chunk the sum of all chunks before
 *
 *           x      | chunk 0 | chunk 1 | chunk 2 |
 *           y      | scan    | scan    | scan    |        work   s0  s1     s2
 *                                                                s0  s0+s1  s0+s1+s2
 *           y      | scan    | +s0     | +s0+s1  |
 *
 * Before    one multiprocessor.
 * Now       all of them. Blocks cannot wait for each other within a launch, so the end of a launch is where they do.
 * Costs     memory carries x once and y three times: 16 n bytes, of which 8 n must be.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/scan/block_scan.cuh"
#include "gpu/scan/scan.h"

static __global__ void
scan_chunks(size_t n, const float *x, float *y, float *chunk_sums)
{
    __shared__ float sums[SCAN_THREADS / WARP];
    const size_t i = (size_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    float total;
    const float sum = block_scan(i < n ? x[i] : 0, sums, &total);
    if (i < n)
        y[i] = sum;
    if (threadIdx.x == 0)
        chunk_sums[blockIdx.x] = total;
}

static __global__ void
scan_chunk_sums(size_t chunks, float *chunk_sums)
{
    scan_by_one_block(chunks, chunk_sums, chunk_sums);
}

static __global__ void
add_sums_before(size_t n, const float *chunk_sums, float *y)
{
    const size_t i = (size_t)(blockIdx.x + 1) * SCAN_THREADS + threadIdx.x; /* the first chunk has none before it */
    if (i < n)
        y[i] += chunk_sums[blockIdx.x];
}

void
launch_scan_three_launches(size_t n, const float *x, float *y, float *work)
{
    if (n == 0)
        return;
    const unsigned chunks = (unsigned)((n - 1) / SCAN_THREADS + 1);
    scan_chunks<<<chunks, SCAN_THREADS>>>(n, x, y, work);
    if (chunks == 1)
        return;
    scan_chunk_sums<<<1, SCAN_THREADS>>>(chunks, work);
    add_sums_before<<<chunks - 1, SCAN_THREADS>>>(n, work, y);
}
