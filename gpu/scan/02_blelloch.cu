/* scan, rung 2: Blelloch.
 * Idea      a tree. On the way up each node becomes the sum of its two halves, as in a reduction. On the way down each node,
 *           which knows the sum of all before it, passes that to its left half, and that plus the left half's own sum to its right
 *           half.
 *
 *           up, step 1        0     01    2     23             0     -     2     01        down, step 2; -: an empty sum, 0
 *           up, step 2        0     01    2     0123           -     0     01    012       down, step 1
 *           the last is set   0     01    2     -
 *
 *           What arrives is the sum of all elements before; plus the element itself it is y.
 *
 * Before    9217 additions for 1024 elements.
 * Now       1023 up, 1023 down, 1024 for the element itself: 3 for each, however long the chunk. Half as many threads.
 * Costs     20 steps in place of 10, most of them with few threads. Words of one step are 2, 4, 8, .. apart: up to 32 in one
 *           bank.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/scan/scan.h"
#include <cuda_runtime.h>

enum { THREADS = 512, PIECE = 2 * THREADS };

/* s[PIECE - 1] becomes the sum of all. */
static __device__ void
sweep_up(float *s)
{
    for (unsigned step = 1; step < PIECE; step *= 2) {
        const unsigned right = (threadIdx.x + 1) * 2 * step - 1;
        __syncthreads();
        if (right < PIECE)
            s[right] += s[right - step];
    }
}

/* Each s[i] becomes the sum of the elements before it. */
static __device__ void
sweep_down(float *s)
{
    if (threadIdx.x == 0)
        s[PIECE - 1] = 0;
    for (unsigned step = PIECE / 2; step > 0; step /= 2) {
        const unsigned right = (threadIdx.x + 1) * 2 * step - 1;
        __syncthreads();
        if (right < PIECE) {
            const float left = s[right - step];
            s[right - step] = s[right];
            s[right] += left;
        }
    }
    __syncthreads();
}

static __global__ void
scan_blelloch(size_t n, const float *x, float *y)
{
    __shared__ float s[PIECE];
    const unsigned t = threadIdx.x;
    float carry = 0;
    for (size_t begin = 0; begin < n; begin += PIECE) {
        const size_t i = begin + t, j = i + THREADS; /* this thread's two elements */
        const float a = i < n ? x[i] : 0, b = j < n ? x[j] : 0;
        s[t] = a;
        s[t + THREADS] = b;
        sweep_up(s);
        __syncthreads();
        const float sum = s[PIECE - 1];
        __syncthreads(); /* all have read the sum before it is set to 0 */
        sweep_down(s);
        if (i < n)
            y[i] = carry + (s[t] + a);
        if (j < n)
            y[j] = carry + (s[t + THREADS] + b);
        carry += sum;
        __syncthreads();
    }
}

void
launch_scan_blelloch(size_t n, const float *x, float *y, float *work)
{
    (void)work;
    if (n > 0)
        scan_blelloch<<<1, THREADS>>>(n, x, y);
}
