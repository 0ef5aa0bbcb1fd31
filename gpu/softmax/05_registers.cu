/* softmax, rung 5: registers.
 * Idea      a row of up to 1024 numbers is up to 32 for each lane: they stay in registers between the passes.
 * Before    z read twice (rung 4), or z twice and p three times (rung 3).
 * Now       z read once, p written once: the 8 bytes that must be. The passes are those of rung 3, one e^ an element. All loads
 *           of a row are in flight at once.
 *
 *           lane 0:  z[0]  z[32]  z[64] ..        an array stays in registers only if every index is known when the kernel is
 *           lane 1:  z[1]  z[33]  z[65] ..        compiled: loops with a fixed end, unrolled, and a kernel for each length
 *
 * Costs     registers: 32 numbers a lane and those of the rest; rows longer than 1024 would spill to local memory (register
 *           pressure).
 * Wants     classes <= 1024.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/softmax/softmax.h"
#include "gpu/warp.cuh"
#include <math.h>

enum { ROWS = 8 };

/* EACH: numbers for a lane, EACH * WARP >= classes. Elements beyond the row count as -infinity, e^ of which is 0. */
template <int EACH>
static __global__ void
softmax_registers(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    z += (size_t)row * classes;
    p += (size_t)row * classes;
    const bool has_label = labels != NULL && labels[row] % WARP == lane;
    const float of_label = has_label ? z[labels[row]] : 0;
    float v[EACH], max = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        v[k] = lane + k * WARP < classes ? z[lane + k * WARP] : -INFINITY;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        max = fmaxf(max, v[k]);
    max = warp_max(max);
#pragma unroll
    for (int k = 0; k < EACH; k++)
        sum += v[k] = expf(v[k] - max);
    sum = warp_sum(sum);
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (lane + k * WARP < classes)
            p[lane + k * WARP] = v[k] / sum;
    if (has_label)
        losses[row] = logf(sum) - (of_label - max);
}

void
launch_softmax_registers(int rows, int classes, const float *z, const int *labels, float *p, float *losses)
{
    if (rows == 0 || classes == 0)
        return;
    const unsigned blocks = (rows - 1) / ROWS + 1;
    const dim3 threads(WARP, ROWS);
    if (classes <= 32)
        softmax_registers<1><<<blocks, threads>>>(rows, classes, z, labels, p, losses);
    else if (classes <= 128)
        softmax_registers<4><<<blocks, threads>>>(rows, classes, z, labels, p, losses);
    else if (classes <= 512)
        softmax_registers<16><<<blocks, threads>>>(rows, classes, z, labels, p, losses);
    else
        softmax_registers<SOFTMAX_REGISTERS / WARP><<<blocks, threads>>>(rows, classes, z, labels, p, losses);
}
