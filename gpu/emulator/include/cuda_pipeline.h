/* Copies from device to shared memory that go on beside the thread (cp.async): see gpu/emulator/async_copy.cpp.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CUDA_PIPELINE_H
#define GPU_EMULATOR_CUDA_PIPELINE_H

#include "gpu/emulator/execution.h"

EMULATOR_INLINE void
__pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zeros = 0)
{
    emulator_copy_async(shared, global, bytes, zeros);
}

EMULATOR_INLINE void
__pipeline_commit()
{
    emulator_copy_commit();
}

/* Waits for all commits of this thread but the last `but_the_last`. Others see the copies after a barrier. */
EMULATOR_INLINE void
__pipeline_wait_prior(size_t but_the_last)
{
    emulator_copy_wait((unsigned)but_the_last);
}

#endif
