/* kmeans, rung 2: shared sums.
 * Idea      a block adds up its 1024 points by atomics in shared memory, then adds each of its sums to global memory once.
 * Before    n (d + 1) atomic additions in memory, all at the same k (d + 1) addresses.
 * Now       k (d + 1) for each block: a hundredth for 10 centroids. The other n (d + 1) are in shared memory, which is faster.
 *
 *           block 0   p0 .. p1023       --> sums of block 0   [ c0 ][ c1 ]  --
 *           block 1   p1024 .. p2047    --> sums of block 1   [ c0 ][ c1 ]  ---> sums [ c0 ][ c1 ]
 *
 *           Sums that do not all fit into 32 KiB: 8192 of them at a time, each range by blocks of its own (blockIdx.y), which
 *           pass over the points that have none of it.
 * Costs     points of one cluster still collide; the last bits still differ from run to run.
 * Wants     nothing.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/kmeans/kmeans.h"
#include "gpu/kmeans/rounds.cuh"
#include <cuda_runtime.h>

enum { RANGE = 8192 };

/* Element j of centroid c has sum c (d + 1) + j; j = d counts. Whole numbers up to 1024 are exact in floats. */
static __global__ void
kmeans_sum_shared(int n, int d, int k, const float *points, const int *nearest, float *sums, int *counts)
{
    extern __shared__ float block_sum[];
    const int columns = d + 1, first = blockIdx.y * RANGE, range = min(RANGE, k * columns - first);
    for (int s = threadIdx.x; s < range; s += ROUND_THREADS)
        block_sum[s] = 0;
    __syncthreads();
    const int begin = blockIdx.x * KMEANS_POINTS_A_BLOCK, many = min(KMEANS_POINTS_A_BLOCK, n - begin);
    for (int e = threadIdx.x; e < many * columns; e += ROUND_THREADS) {
        const int i = begin + e / columns, j = e % columns, s = nearest[i] * columns + j - first;
        if (s >= 0 && s < range)
            atomicAdd(&block_sum[s], j < d ? points[(size_t)i * d + j] : 1.0f);
    }
    __syncthreads();
    for (int s = threadIdx.x; s < range; s += ROUND_THREADS) {
        const int c = (first + s) / columns, j = (first + s) % columns;
        if (j < d)
            atomicAdd(&sums[(size_t)c * d + j], block_sum[s]);
        else
            atomicAdd(&counts[c], (int)block_sum[s]);
    }
}

void
launch_kmeans_shared_sums(int n, int d, int k, const float *points, const float *centroids, int *nearest, int *counts,
                          float *moved, float *workspace)
{
    launch_assign(n, d, k, points, centroids, nearest);
    cudaMemsetAsync(workspace, 0, (size_t)k * d * sizeof(float));
    cudaMemsetAsync(counts, 0, k * sizeof(int));
    const int all = k * (d + 1);
    const dim3 grid((n + KMEANS_POINTS_A_BLOCK - 1) / KMEANS_POINTS_A_BLOCK, (all - 1) / RANGE + 1);
    if (n > 0)
        kmeans_sum_shared<<<grid, ROUND_THREADS, min(all, RANGE) * sizeof(float)>>>(n, d, k, points, nearest, workspace,
                                                                                    counts);
    launch_means(d, k, centroids, workspace, counts, moved);
}
