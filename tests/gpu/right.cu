/* Kernels without mistakes, close to those that tests/wrong/gpu/ gets wrong: the checks must be silent. Each right_* runs one and
 * returns how many results are wrong.
 * SPDX-License-Identifier: MIT */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { N = 64, BLOCKS = 8 };

/* Device memory with 0, 1, 2 .. in it. */
static float *
counting(int n)
{
    float host[1024], *x;
    for (int i = 0; i < n; i++)
        host[i] = (float)i;
    cudaMalloc(&x, n * sizeof(*x));
    cudaMemcpy(x, host, n * sizeof(*x), cudaMemcpyHostToDevice);
    return x;
}

/* How many of x[0 .. n) are not first + step i; frees x. */
static int
differences(float *x, int n, float first, float step)
{
    float host[1024];
    int wrong = cudaMemcpy(host, x, n * sizeof(*x), cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < n; i++)
        wrong += !(host[i] == first + step * (float)i);
    cudaFree(x);
    return wrong;
}

/* ---- barriers of the block: before and behind each use of the tile ------------------------------------------ */

static __global__ void
mirror_rounds(float *x)
{
    __shared__ float tile[N];
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        sum += tile[N - 1 - threadIdx.x];
        __syncthreads();
    }
    x[threadIdx.x] = sum;
}

extern "C" int
right_barriers(void)
{
    float *x = counting(N);
    mirror_rounds<<<1, N>>>(x);
    return differences(x, N, 4 * (N - 1), -4);
}

/* ---- barriers of a warp, also of a subset of its lanes -------------------------------------------------------------- */

static __global__ void
warp_sums(float *x)
{
    __shared__ float s[N];
    const unsigned i = threadIdx.x, lane = i % 32;
    s[i] = x[i];
    __syncwarp();
    for (unsigned step = 16; step > 0; step /= 2) {
        const float other = lane < step ? s[i + step] : 0;
        __syncwarp();
        if (lane < step)
            s[i] += other;
        __syncwarp();
    }
    if (lane < 8) { /* those eight exchange places among themselves */
        const float mine = s[i - lane] + (float)lane;
        __syncwarp(0xff);
        s[i] = mine;
        __syncwarp(0xff);
        x[i] = s[i - lane + 7 - lane];
    }
}

extern "C" int
right_warp(void)
{
    float *x = counting(N), host[N];
    int wrong = 0;
    warp_sums<<<1, N>>>(x);
    cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) /* 0 + .. + 31 = 496, 32 + .. + 63 = 1520 */
        wrong += i % 32 < 8 && host[i] != (i < 32 ? 496 : 1520) + 7 - i % 8;
    cudaFree(x);
    return wrong;
}

/* ---- the last block adds up: fence, atomic, barrier ---------------------------------------------------------- */

static __global__ void
sum_of_blocks(const float *x, float *partial, unsigned *done, float *sum)
{
    __shared__ float s[N];
    __shared__ bool last;
    const unsigned i = threadIdx.x;
    s[i] = x[blockIdx.x * N + i];
    for (unsigned step = N / 2; step > 0; step /= 2) {
        __syncthreads();
        if (i < step)
            s[i] += s[i + step];
    }
    if (i == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    if (i == 1) { /* another thread of the block that came last */
        float all = 0;
        for (unsigned k = 0; k < gridDim.x; k++)
            all += partial[k];
        *sum = all;
    }
}

extern "C" int
right_last_block(void)
{
    float *x = counting(BLOCKS * N), *partial, *sum;
    unsigned *done;
    cudaMalloc(&partial, BLOCKS * sizeof(*partial));
    cudaMalloc(&sum, sizeof(*sum));
    cudaMalloc(&done, sizeof(*done));
    cudaMemset(done, 0, sizeof(*done));
    sum_of_blocks<<<BLOCKS, N>>>(x, partial, done, sum);
    cudaFree(x);
    cudaFree(partial);
    cudaFree(done);
    return differences(sum, 1, BLOCKS * N * (BLOCKS * N - 1) / 2, 0);
}

/* ---- numbers smaller than a word: neighbours in a word belong to different threads --------------------------- */

static __global__ void
bytes(unsigned char *x)
{
    __shared__ unsigned char tile[N];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = (unsigned char)(tile[N - 1 - threadIdx.x] + 1);
}

extern "C" int
right_halves(void)
{
    unsigned char *x, host[N];
    int wrong = 0;
    cudaMalloc(&x, N);
    cudaMemset(x, 5, N);
    bytes<<<1, N>>>(x);
    cudaMemcpy(host, x, N, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != 6;
    cudaFree(x);
    return wrong;
}

/* ---- four at once; a block whose last warp is short ------------------------------------------------------------ */

static __global__ void
vectors(float4 *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 v = x[i];
    x[i] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

extern "C" int
right_vectors(void)
{
    float *x = counting(4 * 101);
    vectors<<<3, 40>>>((float4 *)x, 101);
    return differences(x, 4 * 101, 1, 1);
}

/* ---- cp.async, waited for -------------------------------------------------------------------------------------- */

static __global__ void
staged(float *x)
{
    __shared__ float tile[2][N];
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &x[threadIdx.x], sizeof(float));
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            __pipeline_memcpy_async(&tile[(i + 1) % 2][threadIdx.x], &x[threadIdx.x], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[i % 2][N - 1 - threadIdx.x];
        __syncthreads();
    }
    x[threadIdx.x] = sum;
}

extern "C" int
right_staged(void)
{
    float *x = counting(N);
    staged<<<1, N>>>(x);
    return differences(x, N, 4 * (N - 1), -4);
}
