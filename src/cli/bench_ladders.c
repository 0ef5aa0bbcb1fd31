/* The list of ladders: a new one of the CPU is one line of `ladders`, of the GPU one line in gpu/ladders.c.
 * SPDX-License-Identifier: MIT */
#include "cli/bench_ladders.h"
#include "cli/cli.h"
#include "core/nearest.h"
#include "core/process.h"
#include "cpu/ladders.h"
#include <stdio.h>
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/collectives/collectives.h"
#endif

/* ---- collectives: the list is that of mpi/collectives/collectives.c --------------------------------------------------- */

#ifdef HAVE_MPI

static const char *
collective_name(int i)
{
    return collective_ladders[i] != NULL ? collective_ladders[i]->name : NULL;
}

static const char *
collective_formula(int i)
{
    return collective_ladders[i]->formula;
}

#else

/* Known by name, so that the command can say what is missing. */
static const char *
collective_name(int i)
{
    static const char *const names[] = {"allreduce", "reduce",  "broadcast",  "reduce_scatter", "all_gather",
                                        "gather",    "scatter", "all_to_all", "barrier",        NULL};
    return names[i];
}

static const char *
collective_formula(int i)
{
    (void)i;
    return "not in this build, which is without MPI";
}

#endif

bool
bench_collective_is(const char *name)
{
    for (int i = 0; collective_name(i) != NULL; i++)
        if (strcmp(collective_name(i), name) == 0)
            return true;
    return false;
}

/* ---- ladders ---------------------------------------------------------------------------------------------------------- */

/* Layers of ResNet-50. */
#define CONV_SIZES                                                                                                     \
    "4x56x56x64x64x3x1x1,4x56x56x128x128x3x2x1,4x14x14x256x1024x1x1x0,4x7x7x512x512x3x1x1,1x224x224x3x64x7x2x3"

/* In a cache, and far beyond. */
#define STREAM_SIZES "4096,20000000"
#define NORM_SIZES   "784x512,50176x256,20011x1013"
#define POOL_SIZES   "4x28x28x6x2x2x0,32x112x112x64x3x2x1,64x56x56x64x2x2x0"

static const struct {
    const Ladder *ladder;
    const char *sizes;
} ladders[] = {
    {&gemm_ladder, "32,100,256,512,1024,2048,16x1024x1024,3136x64x147"},
    {&gemm_bf16_ladder, "100,256,1024,2048,16x1024x1024,3136x64x147"},
    {&gemm_int8_ladder, "100,256,1024,2048,16x1024x1024,3136x64x147"},
    {&gemv_ladder, "64,256,1003x999,2048,4096,1x100000,10x1000,10000x10"},
    {&spmm_ladder, "256x256x256x50,1024x1024x1024x10,1024x1024x1024x100,512x196x4608x50,1003x101x999x20"},
    {&conv_ladder, CONV_SIZES},
    {&conv_input_gradient_ladder, CONV_SIZES},
    {&conv_weight_gradient_ladder, CONV_SIZES},
    {&max_pool_ladder, POOL_SIZES},
    {&max_pool_gradient_ladder, POOL_SIZES},
    {&average_pool_ladder, POOL_SIZES},
    {&average_pool_gradient_ladder, POOL_SIZES},
    {&batch_norm_ladder, NORM_SIZES},
    {&batch_norm_infer_ladder, NORM_SIZES},
    {&batch_norm_gradient_ladder, NORM_SIZES},
    {&layer_norm_ladder, NORM_SIZES},
    {&layer_norm_gradient_ladder, NORM_SIZES},
    {&sigmoid_ladder, STREAM_SIZES},
    {&tanh_ladder, STREAM_SIZES},
    {&relu_ladder, STREAM_SIZES},
    {&sigmoid_gradient_ladder, STREAM_SIZES},
    {&tanh_gradient_ladder, STREAM_SIZES},
    {&relu_gradient_ladder, STREAM_SIZES},
    {&softmax_ladder, "64x10,1000x1000,1003x999,20000x1000"},
    {&sgd_ladder, STREAM_SIZES},
    {&momentum_ladder, STREAM_SIZES},
    {&adam_ladder, STREAM_SIZES},
};
enum { LADDER_COUNT = sizeof(ladders) / sizeof(ladders[0]) };

/* The i-th operation: first those of the CPU, then those that only the GPU has. False: there are no more. */
static bool
get_entry(int i, BenchEntry *entry)
{
    if (i < LADDER_COUNT) {
        *entry = (BenchEntry){&ladders[i].ladder->operation, ladders[i].ladder, ladders[i].sizes, NULL};
        entry->gpu = gpu_ladder_named(entry->operation->name);
        return true;
    }
    i -= LADDER_COUNT;
    for (int g = 0; gpu_ladders[g] != NULL; g++) {
        bool both = false;
        for (int c = 0; c < LADDER_COUNT; c++)
            both = both || strcmp(gpu_ladders[g]->operation->name, ladders[c].ladder->operation.name) == 0;
        if (!both && i-- == 0) {
            *entry = (BenchEntry){gpu_ladders[g]->operation, NULL, NULL, gpu_ladders[g]};
            return true;
        }
    }
    return false;
}

static void
print_list(FILE *out)
{
    BenchEntry entry;
    fprintf(out, "usage: rungs bench OPERATION [OPTION..]\n\n");
    for (int i = 0; get_entry(i, &entry); i++)
        fprintf(out, "  rungs bench %-21s %s%s\n", entry.operation->name, entry.operation->formula,
                entry.cpu == NULL   ? "  (GPU only: --device)"
                : entry.gpu != NULL ? "  (also on the GPU)"
                                    : "");
    fprintf(out,
            "  rungs bench %-21s training steps of a small network, beside PyTorch if wanted\n"
            "  rungs bench %-21s training steps of LeNet-5, likewise\n"
            "  rungs bench %-21s data-parallel training steps of a network  (several ranks)\n",
            "mlp", "lenet", "parallel");
    for (int i = 0; collective_name(i) != NULL; i++)
        fprintf(out, "  rungs bench %-21s %s  (several ranks)\n", collective_name(i), collective_formula(i));
}

bool
bench_find(int argc, char **argv, BenchEntry *entry, int *status)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    const bool help = name != NULL && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0);
    *status = help ? STATUS_DONE : STATUS_USAGE;
    Nearest nearest = nearest_to(name != NULL ? name : "");
    for (int i = 0; get_entry(i, entry); i++) {
        if (name != NULL && strcmp(name, entry->operation->name) == 0)
            return true;
        nearest_offer(&nearest, entry->operation->name);
    }
    nearest_offer(&nearest, "mlp");
    nearest_offer(&nearest, "lenet");
    nearest_offer(&nearest, "parallel");
    for (int i = 0; collective_name(i) != NULL; i++)
        nearest_offer(&nearest, collective_name(i));
    if (process_rank() != 0) /* one sentence, not one of each rank */
        return false;
    if (help)
        print_list(stdout);
    else if (name == NULL)
        fprintf(stderr,
                "rungs bench: an operation must be named, as in 'rungs bench gemv'; 'rungs bench --help' lists them\n");
    else
        cli_unknown("rungs bench", "ladder ", &nearest, "", "'rungs bench --help' lists them");
    return false;
}
