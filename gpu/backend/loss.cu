/* Losses and their gradients: see kernels.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include "gpu/backend/sums.cuh"
#include <cuda_runtime.h>

/* One block: a network has few outputs. */
static __global__ void
mse_loss(size_t n, const float *x, const float *target, double *sum)
{
    double squares = 0;
    for (size_t i = threadIdx.x; i < n; i += BLOCK_THREADS) {
        const double error = (double)target[i] - (double)x[i];
        squares += error * error;
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0)
        *sum = squares / 2;
}

void
launch_mse_loss(size_t n, const float *x, const float *target, double *sum)
{
    mse_loss<<<1, BLOCK_THREADS>>>(n, x, target, sum);
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

/* A warp for each row, BLOCK_WARPS rows in a block: the largest, the sum of the exponentials, the probabilities. p may be z. */
static __global__ void
softmax_loss(int rows, int classes, const float *z, const int *labels, float *p, double *losses)
{
    const int row = blockIdx.x * BLOCK_WARPS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) /* the whole warp */
        return;
    z += (size_t)row * classes;
    p += (size_t)row * classes;
    float max = -INFINITY;
    for (int c = lane; c < classes; c += WARP)
        max = fmaxf(max, z[c]);
    max = warp_max(max);
    double sum = 0;
    for (int c = lane; c < classes; c += WARP)
        sum += expf(z[c] - max);
    sum = warp_sum(sum);
    if (lane == 0 && labels != NULL)
        losses[row] = log(sum) - (double)(z[labels[row]] - max);
    __syncwarp(); /* z of the label is read */
    for (int c = lane; c < classes; c += WARP)
        p[c] = expf(z[c] - max) / (float)sum;
}

static __global__ void
sum_of(int n, const double *x, double *sum)
{
    double partial = 0;
    for (int i = threadIdx.x; i < n; i += BLOCK_THREADS)
        partial += x[i];
    partial = block_sum(partial);
    if (threadIdx.x == 0)
        *sum = partial;
}

void
launch_softmax_loss(int rows, int classes, const float *logits, const int *labels, float *probability, double *losses,
                    double *sum)
{
    const dim3 block(WARP, BLOCK_WARPS);
    if (rows > 0)
        softmax_loss<<<(rows + BLOCK_WARPS - 1) / BLOCK_WARPS, block>>>(rows, classes, logits, labels, probability,
                                                                        losses);
    if (labels != NULL)
        sum_of<<<1, BLOCK_THREADS>>>(rows, losses, sum);
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
