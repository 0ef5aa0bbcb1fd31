/* Real GPUs in numbers, to predict from counts the time of a kernel there.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_GPU_SPECS_H
#define GPU_EMULATOR_GPU_SPECS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GpuSpecs {
    const char *name;
    int cores, sms;      /* FP32 cores; streaming multiprocessors */
    double clock;        /* Hz, the boost clock that peaks are quoted at */
    double pin_rate;     /* memory: bit/s of a pin */
    int bus;             /* memory: pins */
    double dense_tensor; /* flop/s of tensor cores, fp16 or bf16 with fp32 sums, no sparsity; 0: it has none */
    double dense_tf32;   /* the same in TF32, which came with compute capability 8.0 */
    int threads_per_sm, blocks_per_sm;
    size_t shared_per_sm, shared_per_block; /* bytes, at most */
    size_t shared_reserved;                 /* bytes that the system reserves in each block */
} GpuSpecs;

/* P100, V100, A100, H100, H200 (all SXM). NULL: no such index, no such name. */
const GpuSpecs *gpu_specs(int i);
const GpuSpecs *gpu_specs_named(const char *name);

/* "P100, V100, A100, H100, H200". */
const char *gpu_specs_names(void);

/* flop/s: every core finishes one FMA, 2 flops, each cycle. Doubles: half of it. */
double gpu_peak(const GpuSpecs *gpu);
double gpu_peak_double(const GpuSpecs *gpu);

/* byte/s from memory: what all pins deliver. */
double gpu_bandwidth(const GpuSpecs *gpu);

/* How many blocks an SM holds at once, and what limits it ("threads", "shared memory", "blocks"). Registers limit it too, but only
 * nvcc knows their number (-Xptxas -v). 0 blocks: the block does not fit. limit may be NULL. */
int gpu_blocks_per_sm(const GpuSpecs *gpu, unsigned threads, size_t shared, const char **limit);

/* The resident threads by the most that can be: 0 .. 1. */
double gpu_occupancy(const GpuSpecs *gpu, unsigned threads, size_t shared);

#ifdef __cplusplus
}
#endif
#endif
