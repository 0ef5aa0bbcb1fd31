/* softmax, rung 1: naive.
 * Idea      a thread a row, three passes as on a processor: the maximum, the exponentials and their sum, the division.
 * Costs     the 32 threads of a warp are in 32 rows: each load and store touches 32 sectors of 32 bytes for 4 bytes used of
 *           each, as in the naive matrix product. And a thousand rows are a thousand threads, where a device wants a hundred
 *           thousand.
 *
 *               c ->
 *           z   t0 . . .
 *               t1 . . .        every row another line of memory
 *               t2 . . .
 *
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/softmax/softmax.h"
#include <cuda_runtime.h>
#include <math.h>

enum { THREADS = 256 };

static __global__ void
softmax_naive(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    const int row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows)
        return;
    z += (size_t)row * classes;
    p += (size_t)row * classes;
    const float of_label = labels != NULL ? z[labels[row]] : 0; /* before p, which may be z, is written */
    float max = -INFINITY, sum = 0;
    for (int c = 0; c < classes; c++)
        max = fmaxf(max, z[c]); /* of a number and NaN: the number. NaN reaches the sum as its own exponential */
    for (int c = 0; c < classes; c++) {
        const float e = expf(z[c] - max);
        p[c] = e;
        sum += e;
    }
    for (int c = 0; c < classes; c++)
        p[c] /= sum;
    if (labels != NULL)
        losses[row] = logf(sum) - (of_label - max);
}

void
launch_softmax_naive(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    if (rows > 0)
        softmax_naive<<<(rows - 1) / THREADS + 1, THREADS>>>(rows, classes, z, labels, p, losses);
}
