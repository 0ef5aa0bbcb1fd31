/* CUDA C for the emulator: stands in the place of the toolkit's cuda_runtime.h when kernels are compiled by the host's compiler.
 * Launches and shared memory are rewritten before that (gpu/emulator/translate.awk); all else that kernels use is declared here.
 * How it runs: gpu/emulator/execution.h. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CUDA_RUNTIME_H
#define GPU_EMULATOR_CUDA_RUNTIME_H

#define RUNGS_EMULATOR 1 /* for what a kernel can only do on a device */

#include "gpu/emulator/atomics.h"
#include "gpu/emulator/device_math.h"
#include "gpu/emulator/execution.h"
#include "gpu/emulator/runtime_api.h"
#include "gpu/emulator/vector_types.h"
#include "gpu/emulator/warp.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

#define threadIdx (emulator_thread_index())
#define blockIdx  (emulator_block_index())
#define blockDim  (emulator_block_size())
#define gridDim   (emulator_grid_size())
enum { warpSize = 32 };

#endif
