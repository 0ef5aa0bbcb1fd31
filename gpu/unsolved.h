/* Where a lab's solution was cut out of a kernel: what core/checked.h is to C. EXERCISE_NOT_SOLVED("05.1") ends the program
 * with a sentence that names exercise, file and line, on the host and in a kernel. gpu/library.c
 * passes a function, called first, to gpu_on_unsolved, which a library of kernels has if one of its exercises is not solved.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_UNSOLVED_H
#define GPU_UNSOLVED_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define EXERCISE_NOT_SOLVED(exercise) gpu_unsolved(exercise, __FILE__, __LINE__)

typedef void GpuUnsolvedHook(const char *exercise, const char *file, int line);

inline GpuUnsolvedHook *gpu_unsolved_hook;

extern "C" __attribute__((used)) inline void
gpu_on_unsolved(GpuUnsolvedHook *hook)
{
    gpu_unsolved_hook = hook;
}

__host__ __device__ static inline void
gpu_unsolved(const char *exercise, const char *file, int line)
{
    const char *text = "rungs: exercise %s is not solved yet: write your lines at %s:%d\n";
#ifdef __CUDA_ARCH__
    printf(text, exercise, file, line);
    __trap(); /* the next gpu_synchronize fails */
#else
    if (gpu_unsolved_hook)
        gpu_unsolved_hook(exercise, file, line);
    fflush(stdout);
    fprintf(stderr, text, exercise, file, line);
    _Exit(1); /* not exit: the thread may be an emulated one, whose stack is no place to end a program from */
#endif
}

#endif
