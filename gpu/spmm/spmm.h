/* Sparse times dense on the device, row-major: C[M][N] = alpha A[M][K] B[K][N] + beta C, A sparse, by rows.
 *
 *     offset, column, value   A's arrays as csr_check wants them (cpu/spmm/csr.h): row m has entries offset[m] .. offset[m + 1] - 1
 *     ldb, ldc                floats from one row to the next (ldb, ldc >= N); what is between the rows is not touched
 *
 * All arrays are in device memory; C must not overlap the others. M, N, K >= 0; column and value may be NULL if nonzeros = 0. A
 * row without entries leaves its row of C = beta C; beta = 0 overwrites C, also where it held NaN. A place without an entry is
 * not multiplied: NaN in a row of B reaches those rows of C whose row of A has an entry there, and no others. M * ceil(N / 32) <
 * 2^32. Sums are taken in float. Rungs 1 and 2 give the same bits each time; rung 3 only where no row of A is split (its file says
 * when). A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_SPMM_H
#define GPU_SPMM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuSpmm(int M, int N, size_t nonzeros, const size_t *offset, const int *column, const float *value,
                     float alpha, const float *B, int ldb, float beta, float *C, int ldc);

/* clang-format off */
GpuSpmm launch_spmm_thread_a_row; /* 01: a thread for each row of A */
GpuSpmm launch_spmm_warp_a_row;   /* 02: a warp for each row and 32 columns of C; entries are broadcast by shuffles */
GpuSpmm launch_spmm_balanced;     /* 03: a warp for each 128 entries, wherever rows begin and end */
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
