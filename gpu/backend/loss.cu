/* Losses and their gradients: see kernels.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include "gpu/warp.cuh"
#include <cuda_runtime.h>

/* As rung 4 of gpu/reduce, in double: a fixed grid strides along the arrays, a second launch adds the blocks' sums. */
static __global__ void
squares(size_t n, const float *x, const float *target, double *sums)
{
    __shared__ double of_warp[ELEMENT_THREADS / WARP];
    double sum = 0;
    for (size_t i = element_number(); i < n; i += (size_t)gridDim.x * ELEMENT_THREADS) {
        const double error = (double)target[i] - (double)x[i];
        sum += error * error;
    }
    sum = block_sum(sum, of_warp);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum / 2;
}

static __global__ void
sum_of_blocks(unsigned n, double *sums)
{
    __shared__ double of_warp[ELEMENT_THREADS / WARP];
    double sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += ELEMENT_THREADS)
        sum += sums[i];
    sum = block_sum(sum, of_warp);
    if (threadIdx.x == 0)
        sums[0] = sum;
}

void
launch_mse_loss(size_t n, const float *x, const float *target, double *sums)
{
    const unsigned wanted = n > 0 ? element_blocks(n) : 1, blocks = wanted < MSE_SUMS ? wanted : (unsigned)MSE_SUMS;
    squares<<<blocks, ELEMENT_THREADS>>>(n, x, target, sums);
    if (blocks > 1)
        sum_of_blocks<<<1, ELEMENT_THREADS>>>(blocks, sums);
}

static __global__ void
mse_loss_backward(size_t n, const float *x, const float *target, float scale, float *dx)
{
    const size_t i = element_number();
    if (i < n)
        dx[i] = scale * (x[i] - target[i]);
}

void
launch_mse_loss_backward(size_t n, const float *x, const float *target, float scale, float *dx)
{
    if (n > 0)
        mse_loss_backward<<<element_blocks(n), ELEMENT_THREADS>>>(n, x, target, scale, dx);
}

static __global__ void
softmax_loss_backward(size_t n, int classes, const float *p, const int *labels, float scale, float *dz)
{
    const size_t i = element_number();
    if (i < n)
        dz[i] = scale * (p[i] - ((int)(i % classes) == labels[i / classes] ? 1 : 0));
}

void
launch_softmax_loss_backward(int rows, int classes, const float *probability, const int *labels, float scale,
                             float *dlogits)
{
    const size_t n = (size_t)rows * classes;
    if (n > 0)
        softmax_loss_backward<<<element_blocks(n), ELEMENT_THREADS>>>(n, classes, probability, labels, scale, dlogits);
}
