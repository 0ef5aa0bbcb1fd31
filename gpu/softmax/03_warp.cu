/* softmax, rung 3: warp.
 * Idea      a warp a row, 8 rows a block: maximum and sum by shuffles (gpu/warp.cuh).
 * Before    20 barriers a row, at which 256 threads wait; short rows leave most of them without work.
 * Now       no barrier and no shared memory: warps are independent. Rows of 32 keep all lanes busy.
 * Costs     as before, p is written twice and read once before it is right, and z is read twice: for rows that do not stay in
 *           L2 cache 20 bytes an element in place of 8.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/softmax/softmax.h"
#include "gpu/warp.cuh"
#include <math.h>

enum { ROWS = 8 };

static __global__ void
softmax_warp(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    z += (size_t)row * classes;
    p += (size_t)row * classes;
    /* The lane that writes p[label], which may be z[label], is the one that reads it: nothing else orders the two. */
    const bool has_label = labels != NULL && labels[row] % WARP == lane;
    const float of_label = has_label ? z[labels[row]] : 0;
    float max = -INFINITY, sum = 0;
    for (int c = lane; c < classes; c += WARP)
        max = fmaxf(max, z[c]);
    max = warp_max(max);
    for (int c = lane; c < classes; c += WARP) {
        const float e = expf(z[c] - max);
        p[c] = e;
        sum += e;
    }
    sum = warp_sum(sum);
    for (int c = lane; c < classes; c += WARP)
        p[c] /= sum;
    if (has_label)
        losses[row] = logf(sum) - (of_label - max);
}

void
launch_softmax_warp(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    if (rows > 0)
        softmax_warp<<<(rows - 1) / ROWS + 1, dim3(WARP, ROWS)>>>(rows, classes, z, labels, p, losses);
}
