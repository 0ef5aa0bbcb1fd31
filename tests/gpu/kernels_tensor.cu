/* Kernels that the tests of the emulator run (tests/gpu/test_tensor.c): 16-bit numbers, fragments, asynchronous copies.
 * SPDX-License-Identifier: MIT */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

/* out[i] = {a + b, a - b, a * b, a / b, fma(a, b, a), max, min, a rounded}, as floats, of numbers rounded to T. */
template <typename T>
static __global__ void
narrow(float *out, const float *a, const float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const T x = T(a[i]), y = T(b[i]);
    float *mine = out + 8 * i;
    mine[0] = (float)(x + y);
    mine[1] = (float)__hsub(x, y);
    mine[2] = (float)(x * y);
    mine[3] = (float)__hdiv(x, y);
    mine[4] = (float)__hfma(x, y, x);
    mine[5] = (float)__hmax(x, y);
    mine[6] = (float)__hmin(x, y);
    mine[7] = (float)x;
}

extern "C" void
launch_narrow(float *out, const float *a, const float *b, int n, int bfloat)
{
    if (bfloat)
        narrow<__nv_bfloat16><<<(n + 63) / 64, 64>>>(out, a, b, n);
    else
        narrow<half><<<(n + 63) / 64, 64>>>(out, a, b, n);
}

/* Pairs: 2 floats in, 2 out. */
static __global__ void
pairs(float2 *out, const float2 *in)
{
    const half2 h = __float22half2_rn(in[threadIdx.x]);
    const __nv_bfloat162 b = __float22bfloat162_rn(in[threadIdx.x]);
    const float2 x = __half22float2(__hfma2(h, h, __float2half2_rn(1.0f)));
    const float2 y = __bfloat1622float2(__hmul2(b, __floats2bfloat162_rn(2.0f, 3.0f)));
    out[threadIdx.x] = make_float2(x.x + y.x, x.y + y.y);
}

extern "C" void
launch_pairs(float *out, const float *in)
{
    pairs<<<1, 32>>>((float2 *)out, (const float2 *)in);
}

/* One warp: D[16][16] = A[16][K] B[K][16] + C, from floats that the kernel rounds to T. B is stored by columns if `columns`. */
template <typename T, int K, typename LayoutB>
static __global__ void
product(float *D, const float *A, const float *B, const float *C)
{
    __shared__ alignas(32) T a[16 * K];
    __shared__ alignas(32) T b[16 * K];
    for (int i = threadIdx.x; i < 16 * K; i += 32) {
        a[i] = T(A[i]);
        b[i] = T(B[i]);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, K, T, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, K, T, LayoutB> y;
    wmma::fragment<wmma::accumulator, 16, 16, K, float> sum;
    wmma::load_matrix_sync(x, a, K);
    wmma::load_matrix_sync(y, b, 16);
    wmma::load_matrix_sync(sum, C, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(D, sum, 16, wmma::mem_row_major);
}

static __global__ void
product_tf32(float *D, const float *A, const float *B, int rounded)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(x, A, 16);
    wmma::load_matrix_sync(y, B, 16);
    for (int i = 0; rounded && i < x.num_elements; i++)
        x.x[i] = wmma::__float_to_tf32(x.x[i]);
    for (int i = 0; rounded && i < y.num_elements; i++)
        y.x[i] = wmma::__float_to_tf32(y.x[i]);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, x, y, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 2;
    wmma::store_matrix_sync(D, sum, 16, wmma::mem_col_major);
}

/* kind 0: half, 1: bfloat16, both with B by rows; 2: half, B by columns. */
extern "C" void
launch_product(float *D, const float *A, const float *B, const float *C, int kind)
{
    if (kind == 0)
        product<half, 16, wmma::row_major><<<1, 32>>>(D, A, B, C);
    else if (kind == 1)
        product<__nv_bfloat16, 16, wmma::row_major><<<1, 32>>>(D, A, B, C);
    else
        product<half, 16, wmma::col_major><<<1, 32>>>(D, A, B, C);
}

/* A is stored by columns, D likewise, and is 2 A B. */
extern "C" void
launch_product_tf32(float *D, const float *A, const float *B, int rounded)
{
    product_tf32<<<1, 32>>>(D, A, B, rounded);
}

/* Copies n floats a block through shared memory in two steps of which the second is not waited for unless wait_all; of the second
 * step only the first `given` floats of each four come from memory, the others are 0. */
static __global__ void
copy_through(float *out, const float *in, int wait_all, int given)
{
    __shared__ float4 first[32], second[32];
    const float4 *from = (const float4 *)in + threadIdx.x;
    __pipeline_memcpy_async(&first[threadIdx.x], from, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&second[threadIdx.x], from + 32, 16, (size_t)(4 - given) * 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    if (wait_all)
        __pipeline_wait_prior(0);
    __syncthreads();
    ((float4 *)out)[threadIdx.x] = first[31 - threadIdx.x];
    ((float4 *)out)[32 + threadIdx.x] = second[31 - threadIdx.x];
}

extern "C" void
launch_copy_through(float *out, const float *in, int wait_all, int given)
{
    copy_through<<<1, 32>>>(out, in, wait_all, given);
}

static __global__ void
misaligned_copy(float *out, const float *in)
{
    __shared__ float4 s[2];
    __pipeline_memcpy_async(s, in + 1, 16);
    out[0] = 1;
}

extern "C" void
launch_misaligned_copy(float *out, const float *in)
{
    misaligned_copy<<<1, 1>>>(out, in);
}
