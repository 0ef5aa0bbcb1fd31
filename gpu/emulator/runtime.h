/* Inside the emulator: what launches, memory and the runtime's calls share. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_RUNTIME_H
#define GPU_EMULATOR_RUNTIME_H

#include "gpu/emulator/runtime_api.h"

/* Remembers the error for cudaGetLastError, and returns it. */
cudaError_t runtime_error(cudaError_t error);
/* A launch's: the first text stays until cudaGetLastError has been asked and another launch fails. */
void runtime_launch_error(cudaError_t error, const char *text);
/* What the last launches left: cudaSuccess, or the error of the first that failed. */
cudaError_t runtime_pending();

/* Bytes of dynamic and static shared memory that the kernel may use. */
size_t runtime_shared_limit(const void *kernel);

#endif
