/* See bench.h; and the ladders of the CPU. SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/cli.h"
#include "core/array.h"
#include "core/host.h"
#include "core/process.h"
#include "ladder/floor.h"
#include "ladder/handicaps.h"
#include "ladder/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds: a rung whose calls are longer is measured only if it is named. */
#define LONGEST 2.0

/* ---- options ---------------------------------------------------------------------------------------------------------- */

IntList
bench_threads(void)
{
    const int cores = host_get()->openmp ? host_get()->cores : 1;
    return (IntList){.count = cores > 1 ? 2 : 1, .values = {1, cores}};
}

int
bench_threads_max(const IntList *threads)
{
    int max = 1;
    for (int i = 0; i < threads->count; i++)
        max = threads->values[i] > max ? threads->values[i] : max;
    return max;
}

bool
bench_threads_check(const IntList *threads, Error *error)
{
    const int most = bench_threads_max(threads), cores = host_get()->cores;
    if (threads->count == 0)
        return error_set(error, "--threads is an empty list: name at least one number, as in --threads 1,%d", cores);
    if (most > 1 && !host_get()->openmp)
        return error_set(error, "--threads %d: this build has no OpenMP, so only 1 is possible", most);
    if (most > cores)
        return error_set(error,
                         "--threads %d: this process may use %d core%s, and threads that share one would only wait for "
                         "each other: give %d or less",
                         most, cores, cores == 1 ? "" : "s", cores);
    return true;
}

bool
bench_parse(const BenchKind *kind, BenchOptions *o, int argc, char **argv, int *positional, int *status)
{
    const Option common[] = {
        {kind->rungs, OPTION_STRING, &o->rungs, "LIST", kind->rungs_help},
        {kind->sizes, OPTION_STRING, &o->sizes, "LIST", kind->sizes_help},
        {kind->threads ? "threads" : NULL, OPTION_INTS, &o->threads, "LIST", "numbers of threads", .min = 1,
         .max = 4096},
        {"rounds", OPTION_INT, &o->rounds, "N", "samples of each row; below 15 the intervals are wide", .min = 1,
         .max = 1e6},
        {"seconds", OPTION_DOUBLE, &o->seconds, "S",
         "for all rounds of a size: when they are over no round begins, but 5 are always made; 0: no limit",
         .max = 1e6},
        {"seed", OPTION_SIZE, &o->seed, "N", "of the random inputs and of the order of rows"},
        {"floor", OPTION_STRINGS, &o->floors, "ROW=RATIO",
         "how many times as fast as that row the fastest rung must be: peer=1.0, bound=0.9, mean:peer=1.1; may be "
         "repeated"},
        {"csv", OPTION_OUTPUT, &o->csv, "FILE", "write a table"},
        {"json", OPTION_OUTPUT, &o->json, "FILE", "write everything, samples included"},
        {"svg", OPTION_FIGURE, &o->svg, "FILE", "draw rate against size (needs gnuplot)"},
        {"keep-environment", OPTION_FLAG, &o->keep_environment, NULL,
         "leave variables alone that slow some rows down, such as OPENBLAS_CORETYPE"},
    };
    int count = 0;
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (common[i].name != NULL)
            o->table[count++] = common[i];
    for (const Option *own = kind->options; own != NULL && own->name != NULL; own++)
        o->table[count++] = *own;
    const Command command = {kind->name, kind->positional, kind->summary,
                             o->table,   kind->notes,      .max_positional = kind->max_positional};
    const OptionsResult result = options_parse(&command, argc, argv, positional);
    *status = result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    return result == OPTIONS_OK;
}

/* ---- what can be known before minutes are spent on measuring ---------------------------------------------------------- */

static bool
sizes_have_elements(const Bench *bench, Error *error)
{
    char text[64];
    const Operation *operation = &bench->ladder->operation;
    const int counts = operation->counts > 0 ? operation->counts : operation->dimension_count;
    for (int i = 0; i < bench->size_count; i++)
        for (int d = 0; d < counts; d++)
            if (bench->sizes[i][d] < 1)
                return error_set(error, "--%s %s: there is nothing to measure in a size of 0: give 1 or more",
                                 bench->sizes_option != NULL ? bench->sizes_option : "sizes",
                                 ladder_size_text(bench->ladder, bench->sizes[i], text));
    return true;
}

static bool
parse_sizes(Bench *bench, Error *error)
{
    if (bench->size_count > 0)
        return true;
    bench->size_count = ladder_parse_sizes(bench->ladder, bench->o->sizes, BENCH_SIZES, bench->sizes, error);
    return bench->size_count > 0 && sizes_have_elements(bench, error);
}

static bool
parse_floors(const Bench *bench, const bool *selected, Floor *floors, Error *error)
{
    for (int i = 0; i < bench->o->floors.count; i++)
        if (!floor_parse(bench->ladder, selected, bench->o->floors.values[i], &floors[i], error))
            return false;
    return true;
}

/* Rank 0 writes, and so it alone can say. */
static Status
outputs_are_possible(const Bench *bench, Error *error)
{
    const Status status = process_rank() == 0 ? cli_check_outputs(bench->o->table, error) : STATUS_DONE;
    return bench->ranks != NULL ? (Status)bench->ranks->most(status) : status;
}

/* ---- measuring -------------------------------------------------------------------------------------------------------- */

/* What was kept is a part of the result. */
static void
print_environment(void)
{
    for (int i = 0; i < HANDICAPS; i++)
        if (getenv(handicaps[i].name) != NULL)
            printf("  kept %s=%s: %s\n", handicaps[i].name, getenv(handicaps[i].name), handicaps[i].effect);
}

static void
print_head(const Bench *bench, const bool *selected, const Machine *machine)
{
    if (process_rank() != 0)
        return;
    report_machine(bench->ladder, selected, machine, stdout);
    if (bench->head != NULL)
        bench->head(stdout);
    if (bench->o->keep_environment)
        print_environment();
    report_legend(bench->ladder, stdout);
}

/* Measures and prints all tables; returns how many, fewer than all with a sentence. */
static int
measure_all(const Bench *bench, LadderPlan plan, Machine *machine, LadderTable **tables, Error *error)
{
    int count = 0;
    const IntList one = {1, {1}}, *threads = bench->o->threads.count > 0 ? &bench->o->threads : &one;
    for (int t = 0; t < threads->count; t++)
        for (int i = 0; i < bench->size_count; i++) {
            plan.threads = threads->values[t];
            if (machine != NULL)
                machine_measure_again(machine, bench_threads_max(threads));
            tables[count] = ladder_measure(bench->ladder, bench->sizes[i], &plan, error);
            if (tables[count] == NULL)
                return count;
            if (process_rank() == 0)
                report_table(tables[count], plan.machine, stdout);
            count++;
            fflush(stdout);
        }
    return count;
}

static bool
write_reports(const BenchOptions *o, const LadderReport *report, Error *error)
{
    return process_rank() != 0 || ((o->csv == NULL || report_csv(report, o->csv, error)) &&
                                   (o->json == NULL || report_json(report, o->json, error)) &&
                                   (o->svg == NULL || report_svg(report, o->svg, error)) &&
                                   (o->roofline == NULL || report_roofline(report, o->roofline, error)));
}

/* All ranks have the same tables and come to the same verdicts; rank 0 says them. */
static bool
judge(const BenchOptions *o, const Floor *floors, LadderTable *const *tables, int count)
{
    bool met = true;
    FILE *out = process_rank() == 0 ? stdout : fopen("/dev/null", "w");
    if (o->crossing != NULL)
        report_crossings(tables, count, o->crossing, out);
    if (o->floors.count > 0)
        fprintf(out, "\n");
    for (int i = 0; i < o->floors.count; i++)
        met = floor_judge(&floors[i], tables, count, out) && met;
    if (process_rank() != 0 && out != NULL)
        fclose(out);
    return met;
}

static int
measure(const Bench *bench, const bool *selected, const Floor *floors)
{
    const BenchOptions *o = bench->o;
    const int threads = bench_threads_max(&o->threads),
              expected = (o->threads.count > 0 ? o->threads.count : 1) * bench->size_count;
    Machine measured = {0}, *machine = bench->peaks ? &measured : NULL;
    Error error = {""};
    host_set_threads(threads); /* on cores of their own: the peaks are those of all of them */
    if (machine != NULL)
        machine_measure(machine, threads);
    print_head(bench, selected, machine);
    const LadderPlan plan = {
        .rounds = o->rounds,
        .sample_seconds = bench->sample_seconds > 0 ? bench->sample_seconds : 5e-3,
        .seconds = o->seconds,
        .longest = ladder_selects_all(o->rungs) && !bench->named ? LONGEST : 0.0,
        .seed = o->seed,
        .selected = selected,
        .machine = machine,
        .ranks = bench->ranks,
    };
    LadderTable **tables = ARRAY(LadderTable *, expected);
    const int count = measure_all(bench, plan, machine, tables, &error);
    const LadderReport report = {
        .ladder = bench->ladder, .machine = machine, .seed = o->seed, .count = count, .tables = tables};
    bool done = count == expected && (bench->finish == NULL || bench->finish(tables, count, &error)), right = true;
    done = done && write_reports(o, &report, &error);
    if (bench->ranks != NULL)
        done = bench->ranks->most(!done) == 0;
    const bool met = !done || judge(o, floors, tables, count);
    for (int i = 0; i < count; i++) {
        right = right && ladder_table_ok(tables[i]);
        ladder_table_free(tables[i]);
    }
    array_free(tables);
    if (!done)
        return cli_fail(bench->name, STATUS_FAILED, &error);
    if (!right)
        cli_fail(bench->name, STATUS_FAILED, &(Error){"at least one row is WRONG, see above"});
    if (!met)
        cli_fail(bench->name, STATUS_FAILED, &(Error){"at least one floor is not met, see above"});
    return right && met ? STATUS_DONE : STATUS_FAILED;
}

int
bench_run(Bench *bench)
{
    bool selected[LADDER_RUNGS], compared[LADDER_RUNGS];
    Floor floors[OPTION_LIST_MAX];
    Error error = {""};
    const BenchOptions *o = bench->o;
    if (!parse_sizes(bench, &error) || !ladder_parse_rungs(bench->ladder, o->rungs, selected, &error) ||
        !parse_floors(bench, selected, floors, &error) ||
        (o->crossing != NULL && !ladder_parse_rungs(bench->ladder, o->crossing, compared, &error)) ||
        (o->svg != NULL && bench->svg_refused != NULL && !error_set(&error, "%s", bench->svg_refused)))
        return cli_fail(bench->name, STATUS_USAGE, &error);
    const Status status = outputs_are_possible(bench, &error);
    if (status != STATUS_DONE)
        return cli_fail(bench->name, status, &error);
    if (!o->keep_environment && bench->ranks == NULL)
        handicaps_remove(bench->name);
    return measure(bench, selected, floors);
}

/* ---- ladders ---------------------------------------------------------------------------------------------------------- */

static const char NOTES[] =
    "Every rung is verified before and after timing; a wrong one is reported without a time, "
    "and the exit status is 1.\n"
    "Ratios stand with their 95 % interval; one wider than 10 % that holds 1 is \"too noisy to say\".\n"
    "A floor: [RUNG/]ROW=[SIZE:]RATIO, .. ok, below (exit status 1), or unsure, where the interval holds it.\n"
    "\n"
    "  rungs bench gemm --sizes 1024,64x10x576,512:nt --threads 1,2\n"
    "  rungs bench gemv --rungs rows,openblas --sizes 10000x10 --rounds 51\n"
    "  rungs bench gemm --rungs expert,openblas --sizes 512,1024 --floor openblas=1.0 --floor bound=0.9\n"
    "  rungs bench gemm --device emulator --counters --gpu H200\n"
    "  rungs bench gemm --compare cpu,gpu --gpu A100\n";

static int
bench_ladder(const BenchEntry *entry, int argc, char **argv)
{
    char name[64];
    int positional, status;
    Error error = {""};
    BenchOptions o = {.rungs = "all",
                      .device = "cpu",
                      .sizes = entry->sizes,
                      .rounds = 15,
                      .seconds = 60.0,
                      .seed = 1,
                      .threads = bench_threads()};
    const Option options[] = {
        {"roofline", OPTION_FIGURE, &o.roofline, "FILE", "draw rates under the machine's peaks (needs gnuplot)"},
        {"crossing", OPTION_STRING, &o.crossing, "ROW",
         "of sizes that differ in their last number: at which one each rung is as fast as that row"},
        {"device", OPTION_CHOICE, &o.device, "DEVICE",
         "the GPU, or an emulator of one that runs the same kernels on processors; the other one also looks for "
         "mistakes",
         "cpu|gpu|emulator|emulator-checked"},
        {"counters", OPTION_FLAG, &o.counters, NULL,
         "emulator: what each kernel did, and predicted times on known GPUs"},
        {"lines", OPTION_FLAG, &o.lines, NULL, "emulator: the same for each line of its source"},
        {"gpu", OPTION_STRING, &o.gpu, "NAME", "predict for this GPU only: P100, V100, A100, H100 or H200"},
        {"compare", OPTION_CHOICE, &o.compare, "WITH",
         "times of processor and GPU, and the size where the GPU overtakes", "cpu,gpu"},
        {"link", OPTION_DOUBLE, &o.link, "GB/S", "between processor and GPU, for --compare; 0: what its PCIe should do",
         .min = 0, .max = 1e6},
        {0},
    };
    snprintf(name, sizeof name, "rungs bench %s", entry->operation->name);
    const BenchKind kind = {.name = name,
                            .positional = "",
                            .summary = entry->operation->formula,
                            .notes = NOTES,
                            .rungs = "rungs",
                            .rungs_help = "which rungs: naive,vector or all",
                            .sizes = "sizes",
                            .sizes_help = "sizes: 256 for all dimensions, or one number each, as in 1003x999; gemm: "
                                          "512:nt for a transposed B, tn, tt",
                            .threads = true,
                            .options = options};
    if (!bench_parse(&kind, &o, argc, argv, &positional, &status))
        return status;
    if (!bench_options_fit(entry, &o, &error))
        return cli_fail(name, STATUS_USAGE, &error);
    if (strcmp(o.device, "gpu") == 0 && o.compare == NULL) {
        o.sizes = o.sizes == entry->sizes ? entry->gpu->sizes : o.sizes;
        o.threads = (IntList){1, {1}}; /* of the processor, which waits */
    }
    if (!bench_threads_check(&o.threads, &error))
        return cli_fail(name, STATUS_USAGE, &error);
    if (o.compare != NULL)
        return bench_compare(name, entry, &o);
    if (strcmp(o.device, "cpu") != 0)
        return bench_gpu(name, entry, &o);
    return bench_run(&(Bench){.name = name, .o = &o, .ladder = entry->cpu, .peaks = true});
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
    int status;
    BenchEntry entry;
    if (argc > 1 && strcmp(argv[1], "parallel") == 0)
        return command_bench_parallel(argc - 1, argv + 1);
    if (argc > 1 && (strcmp(argv[1], "mlp") == 0 || strcmp(argv[1], "lenet") == 0))
        return command_bench_network(argc - 1, argv + 1); /* a whole network, not a ladder */
    if (means_collective(argc, argv))
        return command_bench_collective(argc - 1, argv + 1);
    return bench_find(argc, argv, &entry, &status) ? bench_ladder(&entry, argc - 1, argv + 1) : status;
}
