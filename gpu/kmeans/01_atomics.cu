/* kmeans, rung 1: atomics.
 * Idea      a thread for each element of each point adds it to its centroid's sum in memory, with atomicAdd: no addition is
 *           lost.
 * Costs     atomics on the same address are serialised. With few centroids most are: of the 32 / d points that a warp holds,
 *           those of the same cluster collide, and so do all warps of the GPU at the same few addresses. The order of the
 *           additions, and with it the last bits, differ from run to run.
 *
 *           points    p0    p1    p2    p3          nearest   0 1 0 0
 *                      \      \   /    /
 *           sums       [ c0 ] [ c1 ]                c0: three threads, one after the other
 *
 * Wants     nothing.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/kmeans/kmeans.h"
#include "gpu/kmeans/rounds.cuh"
#include <cuda_runtime.h>

static __global__ void
kmeans_sum_atomics(int n, int d, const float *points, const int *nearest, float *sums, int *counts)
{
    const int e = blockIdx.x * ROUND_THREADS + threadIdx.x, columns = d + 1; /* the last one counts */
    const int i = e / columns, j = e % columns;
    if (i >= n)
        return;
    if (j < d)
        atomicAdd(&sums[(size_t)nearest[i] * d + j], points[(size_t)i * d + j]);
    else
        atomicAdd(&counts[nearest[i]], 1);
}

void
launch_kmeans_atomics(int n, int d, int k, const float *points, const float *centroids, int *nearest, int *counts,
                      float *moved, float *workspace)
{
    launch_assign(n, d, k, points, centroids, nearest);
    cudaMemsetAsync(workspace, 0, (size_t)k * d * sizeof(float));
    cudaMemsetAsync(counts, 0, k * sizeof(int));
    if (n > 0)
        kmeans_sum_atomics<<<round_blocks((size_t)n * (d + 1)), ROUND_THREADS>>>(n, d, points, nearest, workspace,
                                                                                 counts);
    launch_means(d, k, centroids, workspace, counts, moved);
}
