/* spmm, rung 2: a warp a row.
 * Idea      a warp for each row of A and each 32 columns of C: lane n has column n. The lanes load 32 entries of the row
 *           together, one each, and broadcast them by shuffles.
 * Before    32 sectors for each load of an entry, and of B.
 * Now       4 for 32 column numbers, 4 for 32 values, 4 for 32 neighbours of a row of B, all of it used: at most 4 + 8 / 32
 *           sectors for 32 multiplications. M N threads.
 *
 *           lane      0   1   2  ..  31
 *           column    3  17  40  ..  91      one load of 128 bytes
 *           value     5   2   7  ..   1      another
 *
 *           for each of these entries, broadcast from its lane:   B[3][n0 + lane], B[17][n0 + lane], B[40][n0 + lane] ..
 *
 * Costs     B is read once for each entry: 2 flops for 4 bytes, where gemm uses each load many times. It saves the
 *           zeros. A row of 10,000 entries keeps one warp busy for 10,000 steps (load imbalance).
 * Against   the dense product of the same numbers, by the sectors that warps request. With tiles of T x T in shared memory, a
 *           place of A costs 8 / T sectors for 32 columns, filled or not; here an entry costs 4 + 8 / 32. They cross where one
 *           place in 17 holds an entry if T is 32 (gemm's rung 3), one in 68 if it is 128 (rung 5): the better the dense kernel,
 *           the sparser a matrix must be. Counted at 128 x 128 x 128, where C and the offsets weigh more: between 4 and 6 %, and
 *           between 0.5 and 1 % (tests/gpu/test_spmm.c). By flops alone they would never cross. Caches are not counted.
 * Wants     nothing.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/spmm/spmm.h"
#include "gpu/warp.cuh"
#include <cuda_runtime.h>

enum { WARPS = 4 };

static __global__ void
spmm_warp_a_row(int M, int N, const size_t *offset, const int *column, const float *value, float alpha, const float *B,
                int ldb, float beta, float *C, int ldc)
{
    const int lane = threadIdx.x % WARP, strips = (N - 1) / WARP + 1;
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / WARP;
    const int m = warp / strips, n = warp % strips * WARP + lane;
    if (m >= M)
        return; /* the whole warp */
    const size_t end = offset[m + 1];
    float sum = 0;
    for (size_t p0 = offset[m]; p0 < end; p0 += WARP) {
        const int count = end - p0 < WARP ? (int)(end - p0) : WARP;
        const int my_column = lane < count ? column[p0 + lane] : 0;
        const float my_value = lane < count ? value[p0 + lane] : 0;
        for (int i = 0; i < count; i++) { /* all lanes participate, also those beyond N */
            const int k = __shfl_sync(WARP_ALL, my_column, i);
            const float a = __shfl_sync(WARP_ALL, my_value, i);
            if (n < N)
                sum += a * B[(size_t)k * ldb + n];
        }
    }
    if (n >= N)
        return;
    float *c = &C[(size_t)m * ldc + n];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

void
launch_spmm_warp_a_row(int M, int N, size_t nonzeros, const size_t *offset, const int *column, const float *value,
                       float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    (void)nonzeros;
    if (M == 0 || N == 0)
        return;
    const size_t warps = (size_t)M * ((N - 1) / WARP + 1);
    spmm_warp_a_row<<<(unsigned)((warps - 1) / WARPS + 1), WARPS * WARP>>>(M, N, offset, column, value, alpha, B, ldb,
                                                                           beta, C, ldc);
}
