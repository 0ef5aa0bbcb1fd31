/* spmm, rung 3: balanced.
 * Idea      a warp for each 128 entries (and 32 columns of C), wherever rows begin and end: no warp has more to do than another.
 * Before    a warp for each row: the longest row decides.
 * Now       the first row of a warp's entries is found by bisection in offset; a row that is all in one warp's entries is
 *           written by it. A row that is split is added up by several warps with atomicAdd, after all of C has been made beta C.
 *
 *           entries   |-------------------|-------------------|-------------------|      128 each
 *           rows      [  0  ][1][      2      ][                3                    ..
 *                      written            added                added
 *
 * Costs     one more pass over C; and the sums of a row that is split between three or more warps are added in any order, so that
 *           the last bit may differ from run to run. (Two sums added to 0 give the same bits in both orders.)
 * Wants     nothing.   Lecture   lectures/05-gemm-gpu.md
 * Source    Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", 2016, for the idea; they also
 *           balance the rows, and add up split ones in order, in a pass of its own.
 * SPDX-License-Identifier: MIT */
#include "gpu/spmm/spmm.h"
#include "gpu/warp.cuh"
#include <cuda_runtime.h>

enum { WARPS = 4, ENTRIES = 128, THREADS = WARP * WARPS };

static __global__ void
scale_rows(int M, int N, float beta, float *C, int ldc)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= (size_t)M * N)
        return;
    float *c = &C[i / N * ldc + i % N];
    *c = beta == 0 ? 0 : beta * *c;
}

/* The row that holds entry p: the last one that begins at p or before; empty rows are passed over. */
static __device__ inline int
row_of(int M, const size_t *offset, size_t p)
{
    int low = 0, high = M; /* offset[low] <= p < offset[high] */
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (offset[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds a warp's sum of row m to C, which holds beta C. alone: no other warp has entries of the row. */
static __device__ inline void
add_to_row(float *c, float sum, bool alone)
{
    if (alone)
        *c += sum;
    else
        atomicAdd(c, sum);
}

static __global__ void
spmm_balanced(int M, int N, size_t nonzeros, const size_t *offset, const int *column, const float *value, float alpha,
              const float *B, int ldb, float *C, int ldc)
{
    const int lane = threadIdx.x % WARP, strips = (N - 1) / WARP + 1;
    const size_t warp = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP, first = warp / strips * ENTRIES;
    if (first >= nonzeros)
        return; /* the whole warp */
    const size_t end = nonzeros - first < ENTRIES ? nonzeros : first + ENTRIES;
    const int n = (int)(warp % strips) * WARP + lane;
    int m = row_of(M, offset, first);
    float sum = 0;
    for (size_t p0 = first; p0 < end; p0 += WARP) {
        const int count = end - p0 < WARP ? (int)(end - p0) : WARP;
        const int my_column = lane < count ? column[p0 + lane] : 0;
        const float my_value = lane < count ? value[p0 + lane] : 0;
        for (int i = 0; i < count; i++) { /* all lanes participate, also those beyond N */
            if (p0 + i == offset[m + 1]) {
                if (n < N)
                    add_to_row(&C[(size_t)m * ldc + n], alpha * sum, offset[m] >= first);
                sum = 0;
                do
                    m++;
                while (offset[m + 1] == p0 + i); /* empty rows */
            }
            const int k = __shfl_sync(WARP_ALL, my_column, i);
            const float a = __shfl_sync(WARP_ALL, my_value, i);
            if (n < N)
                sum += a * B[(size_t)k * ldb + n];
        }
    }
    if (n < N)
        add_to_row(&C[(size_t)m * ldc + n], alpha * sum, offset[m] >= first && offset[m + 1] <= end);
}

void
launch_spmm_balanced(int M, int N, size_t nonzeros, const size_t *offset, const int *column, const float *value,
                     float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const size_t elements = (size_t)M * N, warps = (nonzeros + ENTRIES - 1) / ENTRIES * ((N - 1) / WARP + 1);
    scale_rows<<<(unsigned)((elements - 1) / THREADS + 1), THREADS>>>(M, N, beta, C, ldc);
    if (warps > 0)
        spmm_balanced<<<(unsigned)((warps - 1) / WARPS + 1), THREADS>>>(M, N, nonzeros, offset, column, value, alpha, B,
                                                                        ldb, C, ldc);
}
