/* gemm, rung 11: tensor cores, three TF32 products: a float product emulated.
 * Idea      a float has 24 bits, a TF32 number 11: two of them hold 22, nearly all. x = high + low, each rounded to TF32, and
 *
 *               a b = (a_high + a_low) (b_high + b_low) = a_high b_high + a_high b_low + a_low b_high  (+ a_low b_low)
 *
 *           where the last product is 2^-22 of the first and is left out (G. Henry, P. Tang, A. Heinecke, "Leveraging the bfloat16
 *           Artificial Intelligence Datatype For Higher-Precision Computations", 2019).
 * Before    TF32: an error some thousand times that of floats.
 * Now       three times the multiplications, and the error of floats: this is an emulation, and the error is printed with the
 *           results. Tensor cores do at least 7 times what a device's other cores do, so a third of that is still more.
 *
 * Costs     what is left of the range: a low part below 2^-126 is lost, so that numbers below 2^-115 count as TF32; an infinity
 *           becomes NaN. How a device rounds sums in its tensor cores is not said; the emulator rounds each to nearest.
 * Wants     compute capability 8.0; any M, N, K.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include "gpu/gemm/tf32.cuh"

/* Two fragments whose sum is the matrix, but for its last 2 bits or so. */
template <typename Fragment>
static __device__ inline void
load_split(Fragment &high, Fragment &low, const float *shared, int step)
{
    wmma::load_matrix_sync(high, shared, step);
#pragma unroll
    for (int i = 0; i < high.num_elements; i++) {
        const float x = high.x[i];
        high.x[i] = wmma::__float_to_tf32(x);
        low.x[i] = wmma::__float_to_tf32(x - high.x[i]);
    }
}

/* The small products first, as in every sum of large and small numbers. */
static __device__ inline void
multiply_split(Sums8 &sum, const FragmentA a[2], const FragmentB b[2])
{
    wmma::mma_sync(sum, a[1], b[0], sum);
    wmma::mma_sync(sum, a[0], b[1], sum);
    wmma::mma_sync(sum, a[0], b[0], sum);
}

struct Split {
    static __device__ inline void
    multiply(Sums8 (*sum)[ACROSS], const float (*a)[A_STEP], const float (*b)[B_STEP])
    {
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            FragmentB right[ACROSS][2];
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                load_split(right[j][0], right[j][1], &b[k][j * FRAGMENT], B_STEP);
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                FragmentA left[2];
                load_split(left[0], left[1], &a[i * FRAGMENT][k], A_STEP);
#pragma unroll
                for (int j = 0; j < ACROSS; j++)
                    multiply_split(sum[i][j], left, right[j]);
            }
        }
    }
};

static __global__
__launch_bounds__(THREADS) void gemm_tensor_three_tf32(int M, int N, int K, float alpha, const float *A, int lda,
                                                       const float *B, int ldb, float beta, float *C, int ldc)
{
    multiply_by_tiles<Split>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void
launch_gemm_tensor_three_tf32(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
                              float beta, float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_tensor_three_tf32<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
