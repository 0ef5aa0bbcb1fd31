/* The table of kernels of a device, or of the emulator: networks run on it as on the CPU's (cpu/backend.h). Parameters, gradients
 * and activations stay in device memory.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include "gpu/library.h"
#include "nn/backend.h"

/* The table, named as gpu_kind_name() names the library. One kind in a process: NULL with a sentence if it cannot be opened, or if
 * another one is in use. What goes wrong on the device later ends the program with a sentence, at the next copy or
 * loss. */
const Backend *gpu_backend(GpuKind kind, Error *error);

#endif
