/* The list of ladders, and how one is bound to a library of kernels: see ladders.h. SPDX-License-Identifier: MIT */
#include "gpu/ladders.h"
#include "core/array.h"
#include "core/checked.h"
#include "cpu/ladder_arrays.h"
#include "gpu/operands.h"
#include <stdio.h>
#include <string.h>

const GpuLadder *const gpu_ladders[] = {
    &gpu_gemm_ladder,       &gpu_transpose_ladder, &gpu_reduce_ladder, &gpu_scan_ladder,   &gpu_softmax_ladder,
    &gpu_layer_norm_ladder, &gpu_conv_ladder,      &gpu_spmm_ladder,   &gpu_kmeans_ladder, NULL};

const GpuLadder *
gpu_ladder_named(const char *operation)
{
    for (int i = 0; gpu_ladders[i] != NULL; i++)
        if (strcmp(gpu_ladders[i]->operation->name, operation) == 0)
            return gpu_ladders[i];
    return NULL;
}

/* ---- operations on arrays: their inputs, the output, the workspace ------------------------------------------------ */

static const GpuLadder *bound; /* the ladder in use */

static int
arrays_of(const LadderArrays *in)
{
    int count = 0;
    while (count < LADDER_ARRAYS_MAX && in->array[count].x != NULL)
        count++;
    return count;
}

static void
prepare_arrays(const void *inputs)
{
    const LadderArrays *in = inputs;
    const int count = arrays_of(in);
    for (int i = 0; i < count; i++)
        operand_copy(i, in->array[i].x, in->array[i].n * sizeof(float));
    operand_poison(count, bound->operation->outputs(in->size) * sizeof(float));
    operand_poison(count + 1, bound->workspace != NULL ? bound->workspace(in->size) * sizeof(float) : 0);
}

static void
fetch_output(const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    operand_fetch(arrays_of(in), output, bound->operation->outputs(in->size) * sizeof(float));
}

/* ---- binding --------------------------------------------------------------------------------------------------------- */

static bool
bind_rung(Rung *rung, const GpuLadder *ladder, const GpuLibrary *library, Error *error)
{
    char symbol[128];
    snprintf(symbol, sizeof symbol, "launch_%s_%s", ladder->operation->name, rung->name);
    rung->function = (LadderFunction *)gpu_function(library, symbol, error);
    rung->prepare = ladder->prepare != NULL ? ladder->prepare : prepare_arrays;
    rung->fetch = ladder->fetch != NULL ? ladder->fetch : fetch_output;
    return rung->function != NULL;
}

Ladder *
gpu_ladder_bind(const GpuLadder *ladder, const GpuLibrary *library, Error *error)
{
    CHECK_THAT(ladder->count <= LADDER_RUNGS, "%d rungs", ladder->count);
    Rung *rungs = ARRAY(Rung, ladder->count);
    for (int i = 0; i < ladder->count; i++) {
        rungs[i] = ladder->rungs[i];
        if (!bind_rung(&rungs[i], ladder, library, error)) {
            array_free(rungs);
            return NULL;
        }
    }
    Ladder *result = ARRAY(Ladder, 1);
    *result = (Ladder){.operation = *ladder->operation, .rungs = rungs, .count = ladder->count};
    result->operation.call = ladder->call;
    operands_use(library);
    bound = ladder;
    return result;
}

void
gpu_ladder_free(Ladder *ladder)
{
    if (ladder == NULL)
        return;
    operands_use(NULL);
    array_free((void *)ladder->rungs);
    array_free(ladder);
}
