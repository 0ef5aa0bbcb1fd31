/* rungs bench: verifies and measures every rung of a ladder. A new ladder is one line of `ladders`.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/file_options.h"
#include "cli/handicaps.h"
#include "cli/thread_list.h"
#include "core/array.h"
#include "core/gnuplot.h"
#include "core/host.h"
#include "core/nearest.h"
#include "core/options.h"
#include "cpu/ladders.h"
#include "ladder/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    const Ladder *ladder;
    const char *sizes; /* unless --sizes says otherwise: in each cache and beyond, odd, and skinny */
} Entry;

/* Layers of ResNet-50. */
#define CONV_SIZES                                                                                                     \
    "4x56x56x64x64x3x1x1,4x56x56x128x128x3x2x1,4x14x14x256x1024x1x1x0,4x7x7x512x512x3x1x1,1x224x224x3x64x7x2x3"

/* In a cache, and far beyond. */
#define STREAM_SIZES "4096,20000000"
#define NORM_SIZES   "784x512,50176x256,20011x1013"
#define POOL_SIZES   "4x28x28x6x2x2x0,32x112x112x64x3x2x1,64x56x56x64x2x2x0"

static const Entry ladders[] = {
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
enum { LADDER_COUNT = sizeof(ladders) / sizeof(ladders[0]), SIZES_MAX = 64 };

/* Seconds: a rung whose calls are longer is measured only if it is named. */
#define LONGEST 2.0

static struct {
    const char *rungs, *sizes, *csv, *json, *svg, *roofline;
    IntList threads;
    int rounds;
    double seconds;
    uint64_t seed;
    bool keep_environment;
} o;

static const Option options[] = {
    {"rungs", OPTION_STRING, &o.rungs, "LIST", "which rungs: naive,vector or all"},
    {"sizes", OPTION_STRING, &o.sizes, "LIST",
     "sizes: 256 for all dimensions, or one number each, as in 1003x999; gemm: 512:nt for a transposed B, tn, tt"},
    {"threads", OPTION_INTS, &o.threads, "LIST", "numbers of threads", .min = 1, .max = 4096},
    {"rounds", OPTION_INT, &o.rounds, "N", "samples of each rung; below 15 the intervals are wide", .min = 1,
     .max = 1e6},
    {"seconds", OPTION_DOUBLE, &o.seconds, "S",
     "for all rounds of a size: when they are over no round begins, but 5 are always made", .min = 0, .max = 1e6},
    {"seed", OPTION_SIZE, &o.seed, "N", "of the random inputs"},
    {"csv", OPTION_STRING, &o.csv, "FILE", "write a table"},
    {"json", OPTION_STRING, &o.json, "FILE", "write everything, samples included"},
    {"svg", OPTION_STRING, &o.svg, "FILE", "draw rate against size (needs gnuplot)"},
    {"roofline", OPTION_STRING, &o.roofline, "FILE", "draw rates under the machine's peaks (needs gnuplot)"},
    {"keep-environment", OPTION_FLAG, &o.keep_environment, NULL,
     "leave variables alone that slow some rows down, such as OPENBLAS_CORETYPE"},
    {0},
};

static const char NOTES[] =
    "Every rung is verified before and after timing; a wrong one is reported without a time, "
    "and the exit status is 1.\n"
    "Ratios stand with their 95 % interval; one wider than 10 % that holds 1 is \"too noisy to say\".\n"
    "\n"
    "  rungs bench gemm --sizes 1024,64x10x576,512:nt --threads 1,2\n"
    "  rungs bench gemv --rungs rows,openblas --sizes 10000x10 --rounds 51\n";

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static int
fail(Status status, const Error *error)
{
    fprintf(stderr, "rungs bench: %s\n", error->text);
    return status;
}

/* NULL: nothing was named, or --help asked for; *status is then what to return. */
static const Entry *
find_ladder(int argc, char **argv, int *status)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    const bool help = name != NULL && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0);
    *status = help ? STATUS_DONE : STATUS_USAGE;
    Nearest nearest = nearest_to(name != NULL ? name : "");
    for (int i = 0; i < LADDER_COUNT; i++) {
        const Operation *operation = &ladders[i].ladder->operation;
        if (name != NULL && strcmp(name, operation->name) == 0)
            return &ladders[i];
        nearest_offer(&nearest, operation->name);
    }
    nearest_offer(&nearest, "mlp");
    nearest_offer(&nearest, "lenet");
    FILE *out = help ? stdout : stderr;
    if (!help && name == NULL)
        fprintf(out,
                "rungs bench: an operation must be named, as in 'rungs bench gemv'; 'rungs bench --help' lists them\n");
    else if (!help && nearest.name != NULL)
        fprintf(out, "rungs bench: there is no ladder '%s'; did you mean '%s'?\n", name, nearest.name);
    else if (!help)
        fprintf(out, "rungs bench: there is no ladder '%s'; 'rungs bench --help' lists them\n", name);
    else
        fprintf(out, "usage: rungs bench OPERATION [OPTION..]\n\n");
    for (int i = 0; help && i < LADDER_COUNT; i++)
        fprintf(out, "  rungs bench %-21s %s\n", ladders[i].ladder->operation.name,
                ladders[i].ladder->operation.formula);
    if (help)
        fprintf(out,
                "  rungs bench %-21s training steps of a small network, beside PyTorch if wanted\n"
                "  rungs bench %-21s training steps of LeNet-5, likewise\n",
                "mlp", "lenet");
    return NULL;
}

static void
set_defaults(const Entry *entry)
{
    o.rungs = "all";
    o.sizes = entry->sizes;
    o.rounds = 15;
    o.seconds = 60.0;
    o.seed = 1;
    o.threads = thread_list_default();
}

static bool
sizes_have_elements(const Ladder *ladder, int (*sizes)[LADDER_DIMENSIONS], int count, Error *error)
{
    char text[64];
    const int counts = ladder->operation.counts > 0 ? ladder->operation.counts : ladder->operation.dimension_count;
    for (int i = 0; i < count; i++)
        for (int d = 0; d < counts; d++)
            if (sizes[i][d] < 1)
                return error_set(error, "--sizes %s: there is nothing to measure in a size of 0: give 1 or more",
                                 ladder_size_text(ladder, sizes[i], text));
    return true;
}

/* What can be known before minutes are spent on measuring. */
static bool
outputs_are_possible(Error *error)
{
    const FileOption files[] = {{"csv", o.csv}, {"json", o.json}, {"svg", o.svg}, {"roofline", o.roofline}};
    return file_options_differ(files, 4, error) && file_options_writable(files, 4, error) &&
           ((o.svg == NULL && o.roofline == NULL) || gnuplot_is_here(error));
}

/* Measures and prints all tables; returns how many, fewer than all with a sentence. */
static int
measure_all(const Ladder *ladder, LadderPlan plan, Machine *machine, int (*sizes)[LADDER_DIMENSIONS], int size_count,
            LadderTable **tables, Error *error)
{
    int count = 0;
    for (int t = 0; t < o.threads.count; t++)
        for (int s = 0; s < size_count; s++) {
            plan.threads = o.threads.values[t];
            machine_measure_again(machine, thread_list_max(&o.threads));
            tables[count] = ladder_measure(ladder, sizes[s], &plan, error);
            if (tables[count] == NULL)
                return count;
            report_table(tables[count++], plan.machine, stdout);
            fflush(stdout);
        }
    return count;
}

/* What was kept is a part of the result. */
static void
print_environment(void)
{
    for (int i = 0; i < HANDICAPS; i++)
        if (getenv(handicaps[i].name) != NULL)
            printf("  kept %s=%s: %s\n", handicaps[i].name, getenv(handicaps[i].name), handicaps[i].effect);
}

static bool
write_reports(const LadderReport *report, Error *error)
{
    return (o.csv == NULL || report_csv(report, o.csv, error)) &&
           (o.json == NULL || report_json(report, o.json, error)) &&
           (o.svg == NULL || report_svg(report, o.svg, error)) &&
           (o.roofline == NULL || report_roofline(report, o.roofline, error));
}

static int
bench(const Ladder *ladder, const bool *selected, int (*sizes)[LADDER_DIMENSIONS], int size_count)
{
    Machine machine;
    Error error = {""};
    host_set_threads(thread_list_max(&o.threads)); /* on cores of their own: the peaks are those of all of them */
    machine_measure(&machine, thread_list_max(&o.threads));
    report_machine(ladder, selected, &machine, stdout);
    if (o.keep_environment)
        print_environment();
    report_legend(stdout);
    const LadderPlan plan = {
        .rounds = o.rounds,
        .sample_seconds = 5e-3,
        .seconds = o.seconds,
        .longest = strcmp(o.rungs, "all") == 0 ? LONGEST : 0.0,
        .seed = o.seed,
        .selected = selected,
        .machine = &machine,
    };
    const int expected = o.threads.count * size_count;
    LadderTable **tables = ARRAY(LadderTable *, expected);
    int count = measure_all(ladder, plan, &machine, sizes, size_count, tables, &error);
    const LadderReport report = {
        .ladder = ladder, .machine = &machine, .seed = o.seed, .count = count, .tables = tables};
    bool done = count == expected && write_reports(&report, &error), right = true;
    for (int i = 0; i < count; i++) {
        right = right && ladder_table_ok(tables[i]);
        ladder_table_free(tables[i]);
    }
    array_free(tables);
    if (!done)
        return fail(STATUS_FAILED, &error);
    if (!right)
        fprintf(stderr, "rungs bench: at least one rung is WRONG, see above\n");
    return right ? STATUS_DONE : STATUS_FAILED;
}

int
command_bench(int argc, char **argv)
{
    int status, positional, sizes[SIZES_MAX][LADDER_DIMENSIONS];
    bool selected[LADDER_RUNGS];
    Error error = {""};
    if (argc > 1 && strcmp(argv[1], "mlp") == 0)
        return command_bench_mlp(argc - 1, argv + 1); /* a whole network, not a ladder */
    if (argc > 1 && strcmp(argv[1], "lenet") == 0)
        return command_bench_lenet(argc - 1, argv + 1);
    const Entry *entry = find_ladder(argc, argv, &status);
    if (entry == NULL)
        return status;
    char name[64];
    snprintf(name, sizeof name, "rungs bench %s", entry->ladder->operation.name);
    const Command command = {name, "", entry->ladder->operation.formula, options, .notes = NOTES};
    set_defaults(entry);
    OptionsResult result = options_parse(&command, argc - 1, argv + 1, &positional);
    if (result != OPTIONS_OK)
        return result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    int size_count = ladder_parse_sizes(entry->ladder, o.sizes, SIZES_MAX, sizes, &error);
    if (size_count == 0 || !sizes_have_elements(entry->ladder, sizes, size_count, &error) ||
        !ladder_parse_rungs(entry->ladder, o.rungs, selected, &error) || !thread_list_check(&o.threads, &error))
        return fail(STATUS_USAGE, &error);
    if (!outputs_are_possible(&error))
        return fail(STATUS_FAILED, &error);
    if (!o.keep_environment)
        handicaps_remove("rungs bench");
    return bench(entry->ladder, selected, sizes, size_count);
}
