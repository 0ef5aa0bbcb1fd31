/* One round of k-means on a library of kernels, for its tests. SPDX-License-Identifier: MIT */
#ifndef TESTS_GPU_KMEANS_ROUND_H
#define TESTS_GPU_KMEANS_ROUND_H

#include "core/rng.h"
#include "gpu/kmeans/kmeans.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"atomics", "shared_sums", "same_order"};
enum { RUNGS = COUNT(rungs) };

/* Points and centroids, and what a round makes of them. */
typedef struct Round {
    int n, d, k;
    float *points, *centroids, *moved;
    int *nearest, *counts;
} Round;

static inline Round
round_create(int n, int d, int k)
{
    Round r = {.n = n, .d = d, .k = k};
    const size_t points = (size_t)n * (size_t)d, centroids = (size_t)k * (size_t)d;
    r.points = ARRAY(float, points);
    r.centroids = ARRAY(float, centroids);
    r.moved = ARRAY(float, centroids);
    r.nearest = ARRAY(int, (size_t)n);
    r.counts = ARRAY(int, (size_t)k);
    rng_fill_uniform(4, 0, 0, r.points, points, -1.0, 1.0);
    rng_fill_uniform(4, 1, 0, r.centroids, centroids, -1.0, 1.0);
    return r;
}

static inline void
round_free(Round *r)
{
    array_free(r->points);
    array_free(r->centroids);
    array_free(r->moved);
    array_free(r->nearest);
    array_free(r->counts);
}

/* Whole numbers are fetched as if they were floats: bits are bits. */
static inline void
round_run(const GpuLibrary *gpu, const char *rung, Round *r)
{
    char launch[64];
    snprintf(launch, sizeof(launch), "launch_kmeans_%s", rung);
    const size_t n = (size_t)r->n, d = (size_t)r->d, k = (size_t)r->k;
    float *points = rungs_input(gpu, r->points, n * d), *centroids = rungs_input(gpu, r->centroids, k * d);
    float *nearest = rungs_output(gpu, n), *counts = rungs_output(gpu, k), *moved = rungs_output(gpu, k * d);
    float *workspace = rungs_output(gpu, gpu_kmeans_workspace(r->n, r->d, r->k));
    ((GpuKmeans *)function_of(gpu, launch))(r->n, r->d, r->k, points, centroids, (int *)nearest, (int *)counts, moved,
                                            workspace);
    rungs_fetch(gpu, nearest, (float *)r->nearest, n, launch);
    rungs_fetch(gpu, counts, (float *)r->counts, k, launch);
    rungs_fetch(gpu, moved, r->moved, k * d, launch);
    gpu->free(points);
    gpu->free(centroids);
    gpu->free(workspace);
}

static inline double
distance(const Round *r, int i, int c)
{
    double sum = 0;
    for (int j = 0; j < r->d; j++) {
        const double apart = (double)r->points[i * r->d + j] - (double)r->centroids[c * r->d + j];
        sum += apart * apart;
    }
    return sum;
}

#endif
