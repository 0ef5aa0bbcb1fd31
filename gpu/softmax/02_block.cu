/* softmax, rung 2: block.
 * Idea      a block a row: thread t has elements t, t + 256, ..; maxima and sums of the threads are combined by trees in
 *           shared memory (as in gpu/reduce/02_sequential.cu).
 * Before    32 sectors for each load and store, and few threads.
 * Now       4: a warp reads and writes 32 neighbours. 256 threads for each row.
 *
 *               c ->
 *           z   t0 t1 t2 .. t255 t0 t1 ..
 *
 * Costs     20 barriers a row; rows shorter than 256 leave threads without work.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/softmax/softmax.h"
#include <cuda_runtime.h>
#include <math.h>

enum { THREADS = 256 };

/* The largest of the threads' v, or their sum, for all of them. s: THREADS floats of shared memory. */
static __device__ float
tree(float v, bool add, float *s)
{
    const unsigned t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (unsigned step = THREADS / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] = add ? s[t] + s[t + step] : fmaxf(s[t], s[t + step]);
        __syncthreads();
    }
    v = s[0];
    __syncthreads(); /* the next tree may write s */
    return v;
}

static __global__ void
softmax_block(int classes, const float *z, const int *labels, float *p, float *losses)
{
    __shared__ float s[THREADS];
    const unsigned row = blockIdx.x;
    z += (size_t)row * classes;
    p += (size_t)row * classes;
    const float of_label = labels != NULL ? z[labels[row]] : 0;
    float max = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < classes; c += THREADS)
        max = fmaxf(max, z[c]);
    max = tree(max, false, s);
    for (int c = threadIdx.x; c < classes; c += THREADS) {
        const float e = expf(z[c] - max);
        p[c] = e;
        sum += e;
    }
    sum = tree(sum, true, s);
    for (int c = threadIdx.x; c < classes; c += THREADS)
        p[c] /= sum; /* each thread divides what it wrote itself */
    if (threadIdx.x == 0 && labels != NULL)
        losses[row] = logf(sum) - (of_label - max);
}

void
launch_softmax_block(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    if (rows > 0)
        softmax_block<<<rows, THREADS>>>(classes, z, labels, p, losses);
}
