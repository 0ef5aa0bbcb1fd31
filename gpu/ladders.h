/* The ladders of the GPU: `rungs bench NAME --device gpu|emulator` runs them. They are like those of the CPU (ladder/ladder.h),
 * with two differences. Inputs and outputs are copied to device memory and back (gpu/operands.h), around the calls. And a
 * rung's function is looked up, when the program runs, in a library of kernels (gpu/library.h): launch_<operation>_<rung>.
 *
 *     inputs (host) --prepare--> operands (device) --call: launch, wait--> operand --fetch--> output (host)
 *                                                    \__ timed ________/
 *
 * A new ladder is a folder gpu/<operation>/ with its kernels, its contract and a table (gpu/gemm/ladder.c is an example to
 * copy), and a line here and in ladders.c.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_LADDERS_H
#define GPU_LADDERS_H

#include "gpu/library.h"
#include "ladder/ladder.h"

typedef struct GpuLadder {
    const Operation *operation; /* what is computed: the CPU's operation if it has one. Its `call` is not used */
    const Rung *
        rungs; /* name, idea, file; where needed accepts and tolerance_factor. The rest is filled in by gpu_ladder_bind */
    int count;
    const char *sizes;          /* on a device, unless --sizes says otherwise */
    const char *compare_sizes;  /* to compare with the CPU, from small to large; NULL: `sizes` */
    const char *emulator_sizes; /* on the emulator, which needs seconds where a device needs microseconds */

    /* Copies the inputs into operands, and poisons those that are written. NULL: the inputs are LadderArrays
     * (cpu/ladder_arrays.h), which become operands 0, 1, ..; the next operand is the output, and the one behind it has
     * workspace(size) floats. */
    void (*prepare)(const void *inputs);
    size_t (*workspace)(const int *size); /* NULL: none */
    /* Launches and waits (operands_wait). output is the host's: leave it alone. */
    void (*call)(LadderFunction *function, const void *inputs, void *output);
    /* Copies the result back. NULL: the output as it is, where prepare is NULL, too. */
    void (*fetch)(const void *inputs, void *output);
} GpuLadder;

/* What each row of such a table has: {GPU_RUNG(gemm, "01", naive, "a thread for each element of C"), ..} stands for
 * gpu/gemm/01_naive.cu. */
#define GPU_RUNG(folder, number, rung, its_idea)                                                                       \
    .name = #rung, .idea = (its_idea), .file = "gpu/" #folder "/" number "_" #rung ".cu"

extern const GpuLadder gpu_gemm_ladder;       /* gpu/gemm/ladder.c */
extern const GpuLadder gpu_transpose_ladder;  /* gpu/transpose/ladder.c */
extern const GpuLadder gpu_reduce_ladder;     /* gpu/reduce/ladder.c */
extern const GpuLadder gpu_scan_ladder;       /* gpu/scan/ladder.c */
extern const GpuLadder gpu_softmax_ladder;    /* gpu/softmax/ladder.c */
extern const GpuLadder gpu_layer_norm_ladder; /* gpu/layernorm/ladder.c */
extern const GpuLadder gpu_conv_ladder;       /* gpu/conv/ladder.c */
extern const GpuLadder gpu_spmm_ladder;       /* gpu/spmm/ladder.c */
extern const GpuLadder gpu_kmeans_ladder;     /* gpu/kmeans/ladder.c */

/* All of them, NULL at the end. */
extern const GpuLadder *const gpu_ladders[];

/* The ladder of the operation of this name; NULL: there is none. */
const GpuLadder *gpu_ladder_named(const char *operation);

/* A ladder that the driver can run, with functions from this library; its operands are then in that library's memory. NULL with a
 * sentence if the library lacks a rung. One at a time: gpu_ladder_free frees the operands, too. */
Ladder *gpu_ladder_bind(const GpuLadder *ladder, const GpuLibrary *library, Error *error);
void gpu_ladder_free(Ladder *ladder);

#endif
