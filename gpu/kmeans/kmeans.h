/* k-means on the device: one round of Lloyd's algorithm ("Least squares quantization in PCM", 1957 / 1982).
 *
 *     assign    nearest[i] = the centroid with the least squared distance to point i; of equally near ones, the first
 *     update    moved[c] = the mean of the points whose nearest is c; counts[c] = their number; without points, c stays
 *
 *     points [n][d]   centroids, moved [k][d]   nearest [n]   counts [k]      row-major, dense, in device memory
 *
 * Rounds follow each other with centroids and moved exchanged, until no element of nearest changes. n, d >= 0; k >= 1; n (d + 1)
 * and k (d + 1) below 2^31 - 1024. moved must not overlap centroids. Distances and sums are taken in float. If a distance is NaN,
 * that centroid is not nearest; if all are, the first is.
 * workspace: gpu_kmeans_workspace(n, d, k) floats, with anything in them before and after.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_KMEANS_H
#define GPU_KMEANS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuKmeans(int n, int d, int k, const float *points, const float *centroids, int *nearest, int *counts,
                       float *moved, float *workspace);

/* clang-format off */
GpuKmeans launch_kmeans_atomics;     /* 01: every element of every point is added to its sum in memory */
GpuKmeans launch_kmeans_shared_sums; /* 02: a block adds up in shared memory, and then to memory once */
GpuKmeans launch_kmeans_same_order;  /* 03: no atomics: the same bits each time */
/* clang-format on */

/* Points that a block of rungs 2 and 3 adds up. */
enum { KMEANS_POINTS_A_BLOCK = 1024 };

/* Rungs 1 and 2 need a sum of each element of each centroid; rung 3 that and a count for each of its blocks. */
static inline size_t
gpu_kmeans_workspace(int n, int d, int k)
{
    const size_t blocks = ((size_t)n + KMEANS_POINTS_A_BLOCK - 1) / KMEANS_POINTS_A_BLOCK;
    return (blocks > 0 ? blocks : 1) * (size_t)k * ((size_t)d + 1);
}

#ifdef __cplusplus
}
#endif

#endif
