/* rungs bench: verifies and measures every rung of a ladder (bench_ladders.c lists them).
 * SPDX-License-Identifier: MIT */
#include "cli/bench_collectives.h"
#include "cli/bench_options.h"
#include "cli/cli.h"
#include "cli/file_options.h"
#include "cli/handicaps.h"
#include "cli/thread_list.h"
#include "core/array.h"
#include "core/gnuplot.h"
#include "core/host.h"
#include "core/options.h"
#include "ladder/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 64 };

/* Seconds: a rung whose calls are longer is measured only if it is named. */
#define LONGEST 2.0

static BenchOptions o;

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
    {"device", OPTION_CHOICE, &o.device, "DEVICE",
     "the GPU, or an emulator of one that runs the same kernels on processors; the other one also looks for mistakes",
     "cpu|gpu|emulator|emulator-checked"},
    {"counters", OPTION_FLAG, &o.counters, NULL, "emulator: what each kernel did, and predicted times on known GPUs"},
    {"lines", OPTION_FLAG, &o.lines, NULL, "emulator: the same for each line of its source"},
    {"gpu", OPTION_STRING, &o.gpu, "NAME", "predict for this GPU only: P100, V100, A100, H100 or H200"},
    {"compare", OPTION_CHOICE, &o.compare, "WITH", "times of processor and GPU, and the size where the GPU overtakes",
     "cpu,gpu"},
    {"link", OPTION_DOUBLE, &o.link, "GB/S", "between processor and GPU, for --compare; 0: what its PCIe should do",
     .min = 0, .max = 1e6},
    {0},
};

static const char NOTES[] =
    "Every rung is verified before and after timing; a wrong one is reported without a time, "
    "and the exit status is 1.\n"
    "Ratios stand with their 95 % interval; one wider than 10 % that holds 1 is \"too noisy to say\".\n"
    "\n"
    "  rungs bench gemm --sizes 1024,64x10x576,512:nt --threads 1,2\n"
    "  rungs bench gemv --rungs rows,openblas --sizes 10000x10 --rounds 51\n"
    "  rungs bench gemm --device emulator --counters --gpu H200\n"
    "  rungs bench gemm --compare cpu,gpu --gpu A100\n";

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static int
fail(Status status, const Error *error)
{
    fprintf(stderr, "rungs bench: %s\n", error->text);
    return status;
}

static void
set_defaults(const BenchEntry *entry)
{
    o.rungs = "all";
    o.device = "cpu";
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
            if (machine != NULL)
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

/* gpu: its name, if the ladder runs there; its peaks are not measured. NULL: the CPU. */
static int
bench(const Ladder *ladder, const bool *selected, int (*sizes)[LADDER_DIMENSIONS], int size_count, const char *gpu)
{
    Machine measured = {0}, *machine = gpu == NULL ? &measured : NULL;
    Error error = {""};
    host_set_threads(thread_list_max(&o.threads)); /* on cores of their own: the peaks are those of all of them */
    if (machine != NULL)
        machine_measure(machine, thread_list_max(&o.threads));
    report_machine(ladder, selected, machine, stdout);
    if (gpu != NULL)
        printf("  %s; a time is that of a launch and of waiting for its end, without copies\n", gpu);
    if (o.keep_environment)
        print_environment();
    report_legend(stdout);
    const LadderPlan plan = {
        .rounds = o.rounds,
        .sample_seconds = 5e-3,
        .seconds = o.seconds,
        .longest = ladder_selects_all(o.rungs) ? LONGEST : 0.0,
        .seed = o.seed,
        .selected = selected,
        .machine = machine,
    };
    const int expected = o.threads.count * size_count;
    LadderTable **tables = ARRAY(LadderTable *, expected);
    int count = measure_all(ladder, plan, machine, sizes, size_count, tables, &error);
    const LadderReport report = {
        .ladder = ladder, .machine = machine, .seed = o.seed, .count = count, .tables = tables};
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

/* ---- where ---------------------------------------------------------------------------------------------- */

static int
bench_ladder(const Ladder *ladder, const char *gpu)
{
    int sizes[SIZES_MAX][LADDER_DIMENSIONS];
    bool selected[LADDER_RUNGS];
    Error error = {""};
    const int size_count = ladder_parse_sizes(ladder, o.sizes, SIZES_MAX, sizes, &error);
    if (size_count == 0 || !sizes_have_elements(ladder, sizes, size_count, &error) ||
        !ladder_parse_rungs(ladder, o.rungs, selected, &error) || !thread_list_check(&o.threads, &error))
        return fail(STATUS_USAGE, &error);
    if (!outputs_are_possible(&error))
        return fail(STATUS_FAILED, &error);
    if (!o.keep_environment)
        handicaps_remove("rungs bench");
    return bench(ladder, selected, sizes, size_count, gpu);
}

/* "reduce" is a collective of ranks and an operation of the GPU: a device tells them apart. */
static bool
means_collective(int argc, char **argv)
{
    if (argc < 2 || !bench_collective_is(argv[1]))
        return false;
    for (int i = 2; i < argc && gpu_ladder_named(argv[1]) != NULL; i++)
        if (strncmp(argv[i], "--device", strlen("--device")) == 0)
            return false;
    return true;
}

int
command_bench(int argc, char **argv)
{
    int status, positional;
    BenchEntry entry;
    Error error = {""};
    if (argc > 1 && strcmp(argv[1], "mlp") == 0)
        return command_bench_mlp(argc - 1, argv + 1); /* a whole network, not a ladder */
    if (argc > 1 && strcmp(argv[1], "lenet") == 0)
        return command_bench_lenet(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "parallel") == 0)
        return command_bench_parallel(argc - 1, argv + 1);
    if (means_collective(argc, argv))
        return command_bench_collective(argc - 1, argv + 1);
    if (!bench_find(argc, argv, &entry, &status))
        return status;
    char name[64];
    snprintf(name, sizeof name, "rungs bench %s", entry.operation->name);
    const Command command = {name, "", entry.operation->formula, options, .notes = NOTES};
    set_defaults(&entry);
    OptionsResult result = options_parse(&command, argc - 1, argv + 1, &positional);
    if (result != OPTIONS_OK)
        return result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    if (!bench_options_fit(&entry, &o, &error))
        return fail(STATUS_USAGE, &error);
    if (strcmp(o.device, "gpu") == 0 && o.compare == NULL) {
        o.sizes = o.sizes == entry.sizes ? entry.gpu->sizes : o.sizes;
        o.threads = (IntList){1, {1}}; /* of the processor, which waits */
    }
    if (o.compare != NULL)
        return bench_compare(&entry, &o);
    return strcmp(o.device, "cpu") == 0 ? bench_ladder(entry.cpu, NULL) : bench_gpu(&entry, &o, bench_ladder);
}
