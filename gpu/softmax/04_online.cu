/* softmax, rung 4: online.
 * Idea      maximum and sum in one pass (Milakov and Gimelshein 2018): a sum is kept relative to the largest number so far, and
 *           scaled down when a larger one comes. Two lanes combine their pairs by the same rule.
 *
 *               (m, s) with (n, t)  ->  M = max(m, n),   s e^(m - M) + t e^(n - M)
 *
 * Before    z read twice, p written, read and written: 20 bytes an element from memory.
 * Now       z read twice, p written: 12. The price is a second e^ where a larger number comes, and in the second pass.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/softmax/softmax.h"
#include "gpu/warp.cuh"
#include <math.h>

enum { ROWS = 8 };

struct Running {
    float max, sum; /* of e^(z - max); of no number: -infinity, 0 */
};

/* z == max is tested: the difference of two infinities is NaN. */
static __device__ Running
include(Running r, float z)
{
    if (z > r.max)
        return {z, r.sum * expf(r.max - z) + 1};
    return {r.max, r.sum + (z == r.max ? 1 : expf(z - r.max))};
}

static __device__ float
relative_to(float max, Running r)
{
    return r.max == max ? r.sum : r.sum * expf(r.max - max);
}

static __device__ Running
of_warp(Running r)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        const Running other = {__shfl_xor_sync(WARP_ALL, r.max, step), __shfl_xor_sync(WARP_ALL, r.sum, step)};
        const float max = fmaxf(r.max, other.max);
        r = {max, relative_to(max, r) + relative_to(max, other)};
    }
    return r;
}

static __global__ void
softmax_online(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    z += (size_t)row * classes;
    p += (size_t)row * classes;
    const bool has_label = labels != NULL && labels[row] % WARP == lane;
    const float of_label = has_label ? z[labels[row]] : 0;
    Running r = {-INFINITY, 0};
    for (int c = lane; c < classes; c += WARP)
        r = include(r, z[c]);
    r = of_warp(r);
    for (int c = lane; c < classes; c += WARP)
        p[c] = expf(z[c] - r.max) / r.sum;
    if (has_label)
        losses[row] = logf(r.sum) - (of_label - r.max);
}

void
launch_softmax_online(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    if (rows > 0)
        softmax_online<<<(rows - 1) / ROWS + 1, dim3(WARP, ROWS)>>>(rows, classes, z, labels, p, losses);
}
