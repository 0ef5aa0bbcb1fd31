/* The matrix product on the device, row-major: C[M][N] = alpha A[M][K] B[K][N] + beta C.
 *
 *     lda, ldb, ldc: floats from one row to the next (lda >= K, ldb >= N, ldc >= N); what is between C's rows is not touched.
 *
 * All three are in device memory. M, N, K >= 0; K = 0 leaves C = beta C; beta = 0 overwrites C, also where it held NaN. C must not
 * overlap A or B. Every rung accepts every shape. Sums are taken in float, each rung in an order of its own;
 * rungs 9 and 10 round A and B first.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_GEMM_H
#define GPU_GEMM_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuGemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                     float *C, int ldc);

/* clang-format off */
GpuGemm launch_gemm_naive;             /* 01: a thread for each element of C; neighbours in different rows */
GpuGemm launch_gemm_coalesced;         /* 02: neighbours in the same row: a warp reads and writes whole lines */
GpuGemm launch_gemm_shared_tile;       /* 03: a block reads each tile of A and B once, into shared memory */
GpuGemm launch_gemm_register_tile_1d;  /* 04: a thread has 8 x 1 elements of C in registers */
GpuGemm launch_gemm_register_tile_2d;  /* 05: 8 x 8 */
GpuGemm launch_gemm_vector_loads;      /* 06: four floats with each load */
GpuGemm launch_gemm_warp_tile;         /* 07: 16 x 8, and a warp's threads close together */
GpuGemm launch_gemm_double_buffer;     /* 08: the next tiles are copied during the multiplications */
GpuGemm launch_gemm_tensor_tf32;       /* 09: tensor cores; A and B are rounded to TF32 */
GpuGemm launch_gemm_tensor_bf16;       /* 10: tensor cores; A and B are rounded to bf16 */
GpuGemm launch_gemm_tensor_three_tf32; /* 11: tensor cores; floats as sums of two TF32 numbers: nearly the error of floats */
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
