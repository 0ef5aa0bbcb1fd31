/* Kernels that the tests of the emulator run (tests/gpu/test_execution.c): each uses a few of CUDA's functions and writes down what
 * they gave. <<<This>>>(is no launch). SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static const char *const note = "kernel<<<1, 1>>>(\"nor is this\") /* __shared__ int a; */"; // kernel<<<1, 1>>>();

/* out[thread] = {threadIdx, blockIdx, blockDim, gridDim} */
static __global__ void
indices(unsigned *out)
{
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned *mine = out + 12 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
    const uint3 points[4] = {threadIdx, blockIdx, make_uint3(blockDim.x, blockDim.y, blockDim.z), gridDim};
    for (int i = 0; i < 4; i++) {
        mine[3 * i] = points[i].x;
        mine[3 * i + 1] = points[i].y;
        mine[3 * i + 2] = points[i].z;
    }
}

extern "C" void
launch_indices(const unsigned *grid, const unsigned *block, unsigned *out)
{
    if (note[0] == 'k')
        indices<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2])>>>(out);
}

/* Each block reverses its elements through shared memory: a template, one static array and the dynamic one. */
template <int COUNT, typename T>
static __global__ void
__launch_bounds__(COUNT) reverse(T *__restrict__ x, int n)
{
    __shared__ T kept[COUNT];
    extern __shared__ T twice[];
    const int i = threadIdx.x;
    if (i < n)
        kept[i] = x[blockIdx.x * n + i];
    __syncthreads();
    if (i < n)
        twice[i] = kept[n - 1 - i];
    __syncthreads();
    if (i < n)
        x[blockIdx.x * n + (n - 1 - i)] = twice[n - 1 - i];
}

extern "C" void
launch_reverse(float *x, int blocks, int n)
{
    reverse<64, float><<<blocks, 64, n * sizeof(float), /* the default stream */ 0>>>(x, n);
}

/* 16 results for each of 32 lanes. */
static __global__ void
warp_functions(int *out, const int *in, int width)
{
    const int lane = threadIdx.x;
    const unsigned all = 0xffffffffu;
    int *mine = out + 16 * lane;
    mine[0] = __shfl_sync(all, in[lane], 5, width);
    mine[1] = __shfl_up_sync(all, in[lane], 3, width);
    mine[2] = __shfl_down_sync(all, in[lane], 3, width);
    mine[3] = __shfl_xor_sync(all, in[lane], 6, width);
    mine[4] = (int)__ballot_sync(all, in[lane] % 3 == 0);
    mine[5] = __any_sync(all, in[lane] == 7);
    mine[6] = __all_sync(all, in[lane] > 7);
    mine[7] = (int)__activemask();
    if (lane < 20) { /* some lanes of a warp, with their mask */
        mine[8] = __shfl_down_sync(0xfffffu, in[lane], 1);
        mine[9] = __all_sync(0xfffffu, in[lane] < 1000);
    } else {
        mine[8] = __shfl_xor_sync(0xfff00000u, in[lane], 1);
        mine[9] = __any_sync(0xfff00000u, in[lane] > 1000);
    }
    __syncwarp();
    mine[10] = (int)(__shfl_xor_sync(all, (double)in[lane], 1) * 2);
    mine[11] = (int)__shfl_xor_sync(all, (long long)in[lane] << 33, 1) +
               (int)(__shfl_xor_sync(all, (long long)in[lane] << 33, 1) >> 33);
    mine[12] = __popc((unsigned)in[lane]) + 100 * __ffs(in[lane]) + 10000 * __clz(in[lane]);
    mine[13] = (int)__match_any_sync(all, in[lane] % 4);
    mine[14] = __float2int_rn(in[lane] + 0.5f) + __float_as_int(1.0f);
    mine[15] = (int)__brev((unsigned)in[lane]);
}

extern "C" void
launch_warp_functions(int *out, const int *in, int width)
{
    warp_functions<<<1, 32>>>(out, in, width);
}

/* out[block] = {count, or, and} of in[thread] > limit, each thread agreeing */
static __global__ void
barrier_votes(int *out, const int *in, int limit)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = __syncthreads_count(in[i] > limit), some = __syncthreads_or(in[i] > limit);
    const int all = __syncthreads_and(in[i] > limit);
    int *mine = out + 3 * i;
    mine[0] = count;
    mine[1] = some;
    mine[2] = all;
}

extern "C" void
launch_barrier_votes(int *out, const int *in, int blocks, int threads, int limit)
{
    barrier_votes<<<blocks, threads>>>(out, in, limit);
}

/* All blocks add to the same places. */
static __global__ void
atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&i[0], me);
    atomicSub(&i[1], 1);
    atomicMax(&i[2], me);
    atomicMin(&i[3], -me);
    atomicOr(&i[4], 1 << me % 31);
    atomicAnd(&u[0], ~(1u << me % 32));
    atomicXor(&u[1], (unsigned)me);
    atomicInc(&u[2], 6);
    if (atomicCAS(&u[3], 0u, (unsigned)me + 1) == 0)
        atomicAdd(&u[4], 1u);
    atomicAdd(&u[5], atomicExch(&u[6], 1u));
    atomicAdd(&l[0], (unsigned long long)me << 30);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
}

extern "C" void
launch_atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, int blocks, int threads)
{
    atomics<<<blocks, threads>>>(i, u, l, f, d);
}

/* The last block to finish sums what all have written: fences and an atomic ticket. A lock within the block, too. */
static __global__ void
last_block(float *out, float *block_sums, unsigned *ticket, int *lock)
{
    __shared__ bool last;
    block_sums[blockIdx.x] = (float)(blockIdx.x + 1);
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            out[1] += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    if (!last || threadIdx.x != 0)
        return;
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        sum += ((volatile float *)block_sums)[b];
    out[0] = sum;
}

extern "C" void
launch_last_block(float *out, float *block_sums, unsigned *ticket, int *lock, int blocks)
{
    last_block<<<blocks, 8>>>(out, block_sums, ticket, lock);
}

/* ---- mistakes ---------------------------------------------------------------------------------------- */

/* Half of the block never comes to the barrier, but waits for its warp. */
static __global__ void
deadlock(int *out)
{
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __shfl_sync(0xffffffffu, (int)threadIdx.x, 0);
    out[threadIdx.x] = 1;
}

extern "C" void
launch_deadlock(int *out)
{
    deadlock<<<3, 32>>>(out);
}

/* Waits for a flag that is never set. */
static __global__ void
spin(unsigned *flag)
{
    while (atomicAdd(flag, 0u) == 0)
        ;
}

extern "C" void
launch_spin(unsigned *flag)
{
    spin<<<1, 2>>>(flag);
}

/* In order, thread i reads what thread i - 1 has written. */
static __global__ void
race(int *out)
{
    __shared__ int chain[65];
    if (threadIdx.x == 0)
        chain[0] = 1;
    chain[threadIdx.x + 1] = chain[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = chain[threadIdx.x + 1];
}

extern "C" void
launch_race(int *out)
{
    race<<<1, 64>>>(out);
}

/* Memory that was not written is NaN. */
static __global__ void
uninitialised(float *out, const float *in)
{
    __shared__ float s[8];
    out[threadIdx.x] = threadIdx.x < 4 ? s[threadIdx.x] : in[threadIdx.x];
}

extern "C" void
launch_uninitialised(float *out, const float *in)
{
    uninitialised<<<1, 8>>>(out, in);
}

template <int BYTES>
static __global__ void
large_static(char *out)
{
    __shared__ char s[BYTES];
    s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}

static __global__ void
large_dynamic(char *out, size_t bytes)
{
    extern __shared__ char s[];
    s[bytes - 1] = 1;
    out[0] = s[bytes - 1];
}

/* Any launch: text of the error, or NULL. */
extern "C" int
launch_limits(char *out, const unsigned *grid, const unsigned *block, size_t dynamic, int allowed)
{
    if (allowed >= 0 &&
        cudaFuncSetAttribute(large_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, allowed) != cudaSuccess)
        return (int)cudaGetLastError();
    large_dynamic<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), dynamic>>>(out, dynamic);
    return (int)cudaPeekAtLastError();
}

extern "C" void
launch_large_static(char *out, int too_large)
{
#ifdef RUNGS_EMULATOR /* nvcc refuses it */
    if (too_large)
        large_static<49153><<<1, 1>>>(out);
#endif
    if (!too_large)
        large_static<49152><<<1, 1>>>(out);
}
