/* gemm, rung 9: tensor cores, TF32.
 * Idea      a warp multiplies 16 x 8 by 8 x 16 elements with one operation of a tensor core. Its threads hold the operands
 *           together, as fragments; which thread holds which element is not specified.
 * Before    16 x 16 x 8 multiplications were 64 instructions of a warp.
 * Now       one. On an A100 tensor cores do 8 times what its other cores do.
 *
 *           a warp's 64 x 32 elements of C: 4 x 2 fragments, 8 sums in each thread's registers for each
 *
 *                     b0  b1              for each 8 k: 4 fragments of a and 2 of b are read, and multiplied each with each
 *               a0    c   c
 *               a1    c   c
 *               a2    c   c
 *               a3    c   c
 *
 * Costs     TF32 keeps 10 bits of a float's 23: each element of A and B is rounded, by at most 1 part in 2^11, and the error is
 *           some thousand times that of the rungs before. Products and sums are floats. Rows of a have 4 floats more than
 *           needed and rows of b 8: then a warp's accesses have no bank conflicts with the layout of devices (PTX ISA, "Matrix
 *           Fragments for mma.m16n8k8"). The emulator's layout of fragments is another one, and it counts conflicts that a device
 *           does not have.
 * Wants     compute capability 8.0; any M, N, K.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include "gpu/gemm/tf32.cuh"

template <typename Fragment>
static __device__ inline void
load_rounded(Fragment &fragment, const float *shared, int step)
{
    wmma::load_matrix_sync(fragment, shared, step);
#pragma unroll
    for (int i = 0; i < fragment.num_elements; i++)
        fragment.x[i] = wmma::__float_to_tf32(fragment.x[i]);
}

struct Rounded {
    static __device__ inline void
    multiply(Sums8 (*sum)[ACROSS], const float (*a)[A_STEP], const float (*b)[B_STEP])
    {
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            FragmentA left[DOWN];
            FragmentB right[ACROSS];
#pragma unroll
            for (int i = 0; i < DOWN; i++)
                load_rounded(left[i], &a[i * FRAGMENT][k], A_STEP);
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                load_rounded(right[j], &b[k][j * FRAGMENT], B_STEP);
#pragma unroll
            for (int i = 0; i < DOWN; i++)
#pragma unroll
                for (int j = 0; j < ACROSS; j++)
                    wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
        }
    }
};

static __global__
__launch_bounds__(THREADS) void gemm_tensor_tf32(int M, int N, int K, float alpha, const float *A, int lda,
                                                 const float *B, int ldb, float beta, float *C, int ldc)
{
    multiply_by_tiles<Rounded>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void
launch_gemm_tensor_tf32(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                        float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_tensor_tf32<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
