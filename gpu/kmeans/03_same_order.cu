/* kmeans, rung 3: same order.
 * Idea      a thread for each element j of the points: it adds, for the block's 1024 points one after the other, element j of
 *           each to the sum of its centroid. Column j of the sums is that thread's alone: no atomics, and always the same order.
 *           A second kernel adds the blocks' sums, in their order.
 * Before    atomics in an order that is not defined: the last bits differ from run to run.
 * Now       the same bits each time: a run can be reproduced.
 *
 *           elements     0    1    2    3   count        sums of a block, in the workspace
 *           thread       t0   t1   t2   t3   t4             c0  [t0 t1 t2 t3 t4]
 *           p0 -> c1     |    |    |    |    |              c1  [t0 t1 t2 t3 t4]    t0 adds p0's element 0 here
 *           p1 -> c0     v    v    v    v    v
 *
 * Costs     parallelism: d + 1 threads a block are busy, and each waits for its own last addition where consecutive points have
 *           the same centroid (latency-bound). Good for d of 100 and more. Sums stay in memory (the caches hold them): any k and d.
 * Wants     nothing.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/kmeans/kmeans.h"
#include "gpu/kmeans/rounds.cuh"
#include <cuda_runtime.h>

/* block_sums [blocks][k][d + 1] */
static __global__ void
kmeans_sum_same_order(int n, int d, int k, const float *points, const int *nearest, float *block_sums)
{
    const int columns = d + 1, begin = blockIdx.x * KMEANS_POINTS_A_BLOCK;
    const int end = min(begin + KMEANS_POINTS_A_BLOCK, n);
    float *of_block = &block_sums[(size_t)blockIdx.x * k * columns];
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        for (int c = 0; c < k; c++)
            of_block[(size_t)c * columns + j] = 0;
        for (int i = begin; i < end; i++)
            of_block[(size_t)nearest[i] * columns + j] += j < d ? points[(size_t)i * d + j] : 1.0f;
    }
}

static __global__ void
kmeans_means_of_blocks(int d, int k, int blocks, const float *centroids, const float *block_sums, int *counts,
                       float *moved)
{
    const int columns = d + 1, s = blockIdx.x * ROUND_THREADS + threadIdx.x, c = s / columns, j = s % columns;
    if (c >= k)
        return;
    int count = 0;
    float sum = 0;
    for (int block = 0; block < blocks; block++) {
        const float *of_block = &block_sums[((size_t)block * k + c) * columns];
        count += (int)of_block[d];
        sum += of_block[j];
    }
    if (j == d)
        counts[c] = count;
    else
        moved[(size_t)c * d + j] = count > 0 ? sum / count : centroids[(size_t)c * d + j];
}

void
launch_kmeans_same_order(int n, int d, int k, const float *points, const float *centroids, int *nearest, int *counts,
                         float *moved, float *workspace)
{
    launch_assign(n, d, k, points, centroids, nearest);
    const int blocks = (n + KMEANS_POINTS_A_BLOCK - 1) / KMEANS_POINTS_A_BLOCK;
    const int threads = min(d / 32 + 1, 32) * 32; /* d + 1 and up to a whole warp */
    if (blocks > 0)
        kmeans_sum_same_order<<<blocks, threads>>>(n, d, k, points, nearest, workspace);
    kmeans_means_of_blocks<<<round_blocks((size_t)k * (d + 1)), ROUND_THREADS>>>(d, k, blocks, centroids, workspace,
                                                                                 counts, moved);
}
