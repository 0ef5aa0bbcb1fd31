/* rungs bench: verifies and measures every rung of a ladder. A new ladder is one line of `ladders`.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/file_options.h"
#include "core/array.h"
#include "core/gnuplot.h"
#include "core/host.h"
#include "core/nearest.h"
#include "core/options.h"
#include "core/process.h"
#include "cpu/ladders.h"
#include "ladder/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Entry {
    const Ladder *ladder;
    const char *sizes; /* unless --sizes says otherwise: in each cache and beyond, odd, and skinny */
} Entry;

static const Entry ladders[] = {
    {&gemv_ladder, "64,256,1003x999,2048,4096,1x100000,10x1000,10000x10"},
};
enum { LADDER_COUNT = sizeof(ladders) / sizeof(ladders[0]), SIZES_MAX = 32 };

static struct {
    const char *rungs, *sizes, *csv, *json, *svg;
    IntList threads;
    int rounds;
    uint64_t seed;
} o;

static const Option options[] = {
    {"rungs", OPTION_STRING, &o.rungs, "LIST", "which rungs: naive,vector or all"},
    {"sizes", OPTION_STRING, &o.sizes, "LIST", "sizes: 256 for all dimensions, or one number each, as in 1003x999"},
    {"threads", OPTION_INTS, &o.threads, "LIST", "numbers of threads", .min = 1, .max = 4096},
    {"rounds", OPTION_INT, &o.rounds, "N", "samples of each rung; below 15 the intervals are wide", .min = 1,
     .max = 1e6},
    {"seed", OPTION_SIZE, &o.seed, "N", "of the random inputs"},
    {"csv", OPTION_STRING, &o.csv, "FILE", "write a table"},
    {"json", OPTION_STRING, &o.json, "FILE", "write everything, samples included"},
    {"svg", OPTION_STRING, &o.svg, "FILE", "draw rate against size (needs gnuplot)"},
    {0},
};

static const char NOTES[] =
    "Every rung is verified before and after timing; a wrong one is reported without a time, "
    "and the exit status is 1.\n"
    "Ratios stand with their 95 % interval; one wider than 10 % that holds 1 is \"too noisy to say\".\n"
    "\n"
    "  rungs bench gemv --sizes 64,1024 --threads 1,2\n"
    "  rungs bench gemv --rungs rows,openblas --sizes 10000x10 --rounds 51\n";

/* ---- the environment -------------------------------------------------------------------------------------------------- */

/* Variables that make a peer choose slower code than the processor has, or threads spin (active) or sleep (passive) at the wrong
 * time; read when the library starts. */
static const char *const handicaps[] = {
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_THREAD_TIMEOUT", "NVPL_BLAS_DEBUG_CPU_TYPE", "OMP_WAIT_POLICY",
    "GOMP_SPINCOUNT",    "KMP_BLOCKTIME"};

/* Replaces this process by the same program with the same arguments. Returns only if that cannot be done. */
static void
start_again(void)
{
    char *arguments[256] = {0}, *text = NULL;
    size_t length = 0, count = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    while (file != NULL && count < 255 && getdelim(&text, &length, '\0', file) > 0) {
        arguments[count++] = text;
        text = NULL;
    }
    fflush(NULL);
    if (count > 0 && count < 255)
        execv("/proc/self/exe", arguments);
    fprintf(stderr,
            "rungs bench: could not start again; unset these variables yourself, or the peer's rows are too slow\n");
    for (size_t i = 0; i < count; i++)
        free(arguments[i]);
    free(text);
    if (file != NULL)
        fclose(file);
}

/* The libraries have read their variables before main. If one is in the way, starts this program again without it. */
static void
clean_environment(void)
{
    static const char done[] = "RUNGS_BENCH_STARTED_AGAIN"; /* once, whatever happens */
    bool again = false;
    if (getenv(done) != NULL || process_count() > 1)
        return;
    for (size_t i = 0; i < sizeof(handicaps) / sizeof(handicaps[0]); i++) {
        const char *value = getenv(handicaps[i]);
        if (value == NULL)
            continue;
        fprintf(stderr, "rungs bench: starting again without %s=%s, which would slow some rows down\n", handicaps[i],
                value);
        unsetenv(handicaps[i]);
        again = true;
    }
    if (again) {
        setenv(done, "1", 1);
        start_again();
    }
}

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
        fprintf(out, "  rungs bench %-10s %s\n", ladders[i].ladder->operation.name,
                ladders[i].ladder->operation.formula);
    if (help)
        fprintf(out, "  rungs bench %-10s training steps of a small network, beside PyTorch if wanted\n", "mlp");
    return NULL;
}

static void
set_defaults(const Entry *entry)
{
    const int cores = host_get()->openmp ? host_get()->cores : 1;
    o.rungs = "all";
    o.sizes = entry->sizes;
    o.rounds = 15;
    o.seed = 1;
    o.threads = (IntList){.count = cores > 1 ? 2 : 1, .values = {1, cores}};
}

/* What can be known before minutes are spent on measuring. */
static bool
outputs_are_possible(Error *error)
{
    const FileOption files[] = {{"csv", o.csv}, {"json", o.json}, {"svg", o.svg}};
    return file_options_differ(files, 3, error) && file_options_writable(files, 3, error) &&
           (o.svg == NULL || gnuplot_is_here(error));
}

static int
max_threads(void)
{
    int max = 1;
    for (int i = 0; i < o.threads.count; i++)
        max = o.threads.values[i] > max ? o.threads.values[i] : max;
    return max;
}

/* Measures and prints all tables; returns how many, fewer than all with a sentence. */
static int
measure_all(const Ladder *ladder, LadderPlan plan, int (*sizes)[LADDER_DIMENSIONS], int size_count,
            LadderTable **tables, Error *error)
{
    int count = 0;
    for (int t = 0; t < o.threads.count; t++)
        for (int s = 0; s < size_count; s++) {
            plan.threads = o.threads.values[t];
            tables[count] = ladder_measure(ladder, sizes[s], &plan, error);
            if (tables[count] == NULL)
                return count;
            report_table(tables[count++], plan.machine, stdout);
            fflush(stdout);
        }
    return count;
}

static bool
write_reports(const LadderReport *report, Error *error)
{
    return (o.csv == NULL || report_csv(report, o.csv, error)) &&
           (o.json == NULL || report_json(report, o.json, error)) &&
           (o.svg == NULL || report_svg(report, o.svg, error));
}

static int
bench(const Ladder *ladder, const bool *selected, int (*sizes)[LADDER_DIMENSIONS], int size_count)
{
    Machine machine;
    Error error = {""};
    machine_measure(&machine, max_threads());
    report_machine(ladder, &machine, stdout);
    report_legend(stdout);
    const LadderPlan plan = {
        .rounds = o.rounds, .sample_seconds = 1e-3, .seed = o.seed, .selected = selected, .machine = &machine};
    const int expected = o.threads.count * size_count;
    LadderTable **tables = ARRAY(LadderTable *, expected);
    int count = measure_all(ladder, plan, sizes, size_count, tables, &error);
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
    if (size_count == 0 || !ladder_parse_rungs(entry->ladder, o.rungs, selected, &error))
        return fail(STATUS_USAGE, &error);
    if (max_threads() > 1 && !host_get()->openmp) {
        error_set(&error, "--threads %d: this build has no OpenMP, so only 1 is possible", max_threads());
        return fail(STATUS_USAGE, &error);
    }
    if (!outputs_are_possible(&error))
        return fail(STATUS_FAILED, &error);
    clean_environment();
    return bench(entry->ladder, selected, sizes, size_count);
}
