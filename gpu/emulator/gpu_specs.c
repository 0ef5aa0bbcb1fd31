/* Real GPUs in numbers: see gpu_specs.h.
 *
 * Cores, clocks, memory: NVIDIA's white papers "Tesla P100" (2016), "Tesla V100" (2017), "A100 Tensor Core GPU" (2020),
 * "H100 Tensor Core GPU" (2022), and the data sheets of H100 and H200 SXM (67 Tflop/s, that is 1.98 GHz; 3.35 and 4.8 TB/s).
 * The A100's pins run at 2.43 Gbit/s (1555 GB/s); tables that round to 2.4 give 1536. Limits of a block and an SM: CUDA C++
 * Programming Guide, table "Technical Specifications per Compute Capability"; 1 KiB of each block's shared memory is the
 * system's from 8.0 on.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/gpu_specs.h"
#include <strings.h>

enum { KIB = 1024, WARP = 32 };

/* clang-format off */
static const GpuSpecs GPUS[] = {
    /* name   cores  SMs  clock   pins          tensor    TF32      threads, blocks, shared memory */
    {"P100",   3584,  56, 1.48e9, 1.40e9, 4096,   0.0,      0.0,    2048, 32,  64 * KIB,  48 * KIB,       0},
    {"V100",   5120,  80, 1.53e9, 1.75e9, 4096, 125.3e12,   0.0,    2048, 32,  96 * KIB,  96 * KIB,       0},
    {"A100",   6912, 108, 1.41e9, 2.43e9, 5120, 311.9e12, 155.9e12, 2048, 32, 164 * KIB, 163 * KIB, 1 * KIB},
    {"H100",  16896, 132, 1.98e9, 5.23e9, 5120, 989.5e12, 494.7e12, 2048, 32, 228 * KIB, 227 * KIB, 1 * KIB},
    {"H200",  16896, 132, 1.98e9, 6.25e9, 6144, 989.5e12, 494.7e12, 2048, 32, 228 * KIB, 227 * KIB, 1 * KIB},
};
/* clang-format on */
enum { GPU_COUNT = sizeof(GPUS) / sizeof(GPUS[0]) };

const GpuSpecs *
gpu_specs(int i)
{
    return i >= 0 && i < GPU_COUNT ? &GPUS[i] : NULL;
}

const GpuSpecs *
gpu_specs_named(const char *name)
{
    for (int i = 0; i < GPU_COUNT; i++)
        if (strcasecmp(GPUS[i].name, name) == 0)
            return &GPUS[i];
    return NULL;
}

const char *
gpu_specs_names(void)
{
    return "P100, V100, A100, H100, H200";
}

double
gpu_peak(const GpuSpecs *gpu)
{
    return gpu->cores * 2.0 * gpu->clock;
}

double
gpu_peak_double(const GpuSpecs *gpu)
{
    return gpu_peak(gpu) / 2.0;
}

double
gpu_bandwidth(const GpuSpecs *gpu)
{
    return gpu->pin_rate * gpu->bus / 8.0;
}

int
gpu_blocks_per_sm(const GpuSpecs *gpu, unsigned threads, size_t shared, const char **limit)
{
    const size_t warps = (threads + WARP - 1) / WARP;
    const size_t by_threads = warps > 0 ? (size_t)gpu->threads_per_sm / (warps * WARP) : 0;
    const size_t reserved = shared + gpu->shared_reserved;
    const size_t by_shared = shared > gpu->shared_per_block ? 0
                             : reserved > 0                 ? gpu->shared_per_sm / reserved
                                                            : (size_t)-1;
    size_t blocks = (size_t)gpu->blocks_per_sm;
    const char *what = "blocks";
    if (by_threads < blocks) {
        blocks = by_threads;
        what = "threads";
    }
    if (by_shared < blocks) {
        blocks = by_shared;
        what = "shared memory";
    }
    if (limit != NULL)
        *limit = what;
    return (int)blocks;
}

double
gpu_occupancy(const GpuSpecs *gpu, unsigned threads, size_t shared)
{
    const unsigned warps = (threads + WARP - 1) / WARP;
    return (double)gpu_blocks_per_sm(gpu, threads, shared, NULL) * warps * WARP / gpu->threads_per_sm;
}
