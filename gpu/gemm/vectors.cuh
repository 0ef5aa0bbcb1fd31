/* Four floats at once, where they are aligned and the matrix does not end between them. For gpu/gemm/.
 *
 * A device reads and writes 16 bytes with one instruction if their address is a multiple of 16. A matrix may begin anywhere and its
 * rows may have any length; then, and at its edge, the same is done float by float.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_GEMM_VECTORS_CUH
#define GPU_GEMM_VECTORS_CUH

#include <cuda_runtime.h>

/* Is every fourth element of every row at a multiple of 16 bytes? */
static __device__ inline bool
rows_are_aligned(const float *X, int step)
{
    return (size_t)X % 16 == 0 && step % 4 == 0;
}

/* row[at .. at + 3], with 0 from row[end] on. */
static __device__ inline float4
load4(const float *row, int at, int end, bool aligned)
{
    if (aligned && at + 4 <= end)
        return *(const float4 *)&row[at];
    float4 x = {0, 0, 0, 0};
    if (at < end)
        x.x = row[at];
    if (at + 1 < end)
        x.y = row[at + 1];
    if (at + 2 < end)
        x.z = row[at + 2];
    if (at + 3 < end)
        x.w = row[at + 3];
    return x;
}

/* alpha sum + beta c; what c held does not matter if beta is 0. */
static __device__ inline float
combine(float alpha, float sum, float beta, float c)
{
    return beta == 0 ? alpha * sum : alpha * sum + beta * c;
}

/* row[at .. at + 3] becomes alpha sum + beta row[..]; from row[end] on nothing is written. */
static __device__ inline void
store4(float *row, int at, int end, bool aligned, float alpha, const float sum[4], float beta)
{
    if (aligned && at + 4 <= end) {
        float4 *c = (float4 *)&row[at];
        const float4 old = beta == 0 ? make_float4(0, 0, 0, 0) : *c;
        *c = make_float4(combine(alpha, sum[0], beta, old.x), combine(alpha, sum[1], beta, old.y),
                         combine(alpha, sum[2], beta, old.z), combine(alpha, sum[3], beta, old.w));
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (at + i < end)
            row[at + i] = combine(alpha, sum[i], beta, beta == 0 ? 0 : row[at + i]);
}

/* Four floats of shared memory into registers. */
static __device__ inline void
read4(float x[4], const float *shared)
{
    const float4 four = *(const float4 *)shared;
    x[0] = four.x;
    x[1] = four.y;
    x[2] = four.z;
    x[3] = four.w;
}

#endif
