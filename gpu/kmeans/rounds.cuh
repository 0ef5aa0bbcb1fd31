/* What the rungs of k-means have in common: finding each point's nearest centroid, and the means from the sums. They differ in
 * how the sums are computed. For gpu/kmeans/.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_KMEANS_ROUNDS_CUH
#define GPU_KMEANS_ROUNDS_CUH

#include "gpu/kmeans/kmeans.h"
#include <cuda_runtime.h>

enum { ROUND_THREADS = 256 };

/* A thread for each point. All 32 of a warp read the same element of the same centroid, one sector; the 32 points are d floats
 * apart, min(4 d, 32) sectors for each of their elements, which the cache keeps for the next one. */
static __global__ void
kmeans_assign(int n, int d, int k, const float *points, const float *centroids, int *nearest)
{
    const int i = blockIdx.x * ROUND_THREADS + threadIdx.x;
    if (i >= n)
        return;
    const float *point = &points[(size_t)i * d];
    float least = 0;
    int which = 0;
    for (int c = 0; c < k; c++) {
        float distance = 0;
        for (int j = 0; j < d; j++) {
            const float apart = point[j] - centroids[(size_t)c * d + j];
            distance += apart * apart;
        }
        if (c == 0 || distance < least || (least != least && distance == distance)) {
            least = distance;
            which = c;
        }
    }
    nearest[i] = which;
}

/* A thread for each element of each centroid. */
static __global__ void
kmeans_means(int d, int k, const float *centroids, const float *sums, const int *counts, float *moved)
{
    const int e = blockIdx.x * ROUND_THREADS + threadIdx.x;
    if (e < k * d)
        moved[e] = counts[e / d] > 0 ? sums[e] / counts[e / d] : centroids[e];
}

static inline unsigned
round_blocks(size_t elements)
{
    return (unsigned)((elements + ROUND_THREADS - 1) / ROUND_THREADS);
}

static inline void
launch_assign(int n, int d, int k, const float *points, const float *centroids, int *nearest)
{
    if (n > 0)
        kmeans_assign<<<round_blocks(n), ROUND_THREADS>>>(n, d, k, points, centroids, nearest);
}

static inline void
launch_means(int d, int k, const float *centroids, const float *sums, const int *counts, float *moved)
{
    if (d > 0)
        kmeans_means<<<round_blocks((size_t)k * d), ROUND_THREADS>>>(d, k, centroids, sums, counts, moved);
}

#endif
