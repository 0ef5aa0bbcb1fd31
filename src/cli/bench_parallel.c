/* rungs bench parallel: data-parallel training steps of a network, one row for each way of sending gradients.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include <stdio.h>
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "cli/file_options.h"
#include "core/checked_mpi.h"
#include "core/gnuplot.h"
#include "core/host.h"
#include "core/options.h"
#include "core/process.h"
#include "cpu/backend.h"
#include "mpi/model/merge.h"
#include <string.h>

static struct {
    const char *overlaps, *collectives;
    uint64_t bucket, first_bucket;
    int ranks_per_node;
} o;
static BenchParallel bench; /* large, and a command runs once */

static const char NOTES[] =
    "MODEL is mlp (--inputs, --hidden, --classes) or one that `rungs model` lists. Started on several ranks, as in\n"
    "\n"
    "  sh tools/mpirun.sh 2 build/rungs bench parallel lenet\n"
    "  sh tools/mpirun.sh 4 build/rungs bench parallel mlp --inputs 784 --hidden 1024,1024 --overlaps naive,wfbp\n"
    "  sh tools/mpirun.sh 2 build/rungs bench parallel lenet --overlaps fused --torch python3\n"
    "\n"
    "Samples are random numbers, in memory before anything is timed. Every plan is verified before and after timing, "
    "and rows\n"
    "take turns, in another order each round. A wrong row makes the exit status 1.\n";

static int
fail(Status status, const Error *error)
{
    if (process_rank() == 0)
        fprintf(stderr, "rungs bench parallel: %s\n", error->text);
    return status;
}

static void
set_defaults(void)
{
    o.overlaps = "naive,fused,wfbp,ddp,greedy,optimal";
    o.collectives = "ring";
    o.bucket = 25 << 20;
    o.first_bucket = 1 << 20;
    bench = (BenchParallel){.net = {.hidden = {1, {64}}, .inputs = 64, .classes = 10},
                            .kernels = "best",
                            .batch = 64,
                            .steps = 20,
                            .rounds = 15};
}

/* ---- what can be known before anything is measured -------------------------------------------------------------------- */

/* The next name of a list, cut at commas, into name[64]. Returns what is left; NULL after the last. */
static const char *
next_name(const char *list, char name[64])
{
    const size_t length = strcspn(list, ",");
    snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), list);
    return list[length] == ',' ? list + length + 1 : NULL;
}

static BenchParallelRow *
add_row(BenchParallelKind kind, const char *name)
{
    BenchParallelRow *row = &bench.row[bench.rows++];
    row->kind = kind;
    snprintf(row->name, sizeof row->name, "%.100s", name);
    return row;
}

/* A row for each overlap with each collectives. */
static bool
add_plans(const char *overlap, Error *error)
{
    char name[64], both[sizeof bench.row[0].name];
    for (const char *left = o.collectives; left != NULL;) {
        left = next_name(left, name);
        const Collectives *collectives = collectives_named(name, error);
        if (collectives == NULL)
            return false;
        if (bench.rows + 1 == BENCH_PARALLEL_ROWS)
            return error_set(error, "--overlaps times --collectives: at most %d rows", BENCH_PARALLEL_ROWS - 3);
        snprintf(both, sizeof both, "%s %s", overlap, name);
        BenchParallelRow *row = add_row(BENCH_PLAN, both);
        row->overlap = overlap;
        row->collectives = collectives;
    }
    return true;
}

static bool
add_rows(Error *error)
{
    char name[64];
    add_row(BENCH_ALONE, "one rank alone");
    add_row(BENCH_APART, "every rank by itself");
    for (const char *left = o.overlaps; left != NULL;) {
        left = next_name(left, name);
        int mode = 0;
        while (mode < STEP_MODES && strcmp(step_modes[mode], name) != 0)
            mode++;
        if (mode == STEP_MODES)
            return error_set(error, "--overlaps: there is no '%s'; there are naive, fused, wfbp, ddp, greedy, optimal",
                             name);
        if (!add_plans(step_modes[mode], error))
            return false;
    }
    if (bench.torch != NULL)
        add_row(BENCH_PEER, "PyTorch DDP gloo");
    return true;
}

static bool
choose_net(int positional, char **argv, Error *error)
{
    const char *name = positional > 0 ? argv[1] : "";
    if (positional == 0)
        return error_set(error, "a network must be named, as in 'rungs bench parallel lenet'");
    bench.net.model = model_find(name);
    if (bench.net.model != NULL)
        bench.net.classes = bench.net.model->classes;
    else if (strcmp(name, "mlp") != 0)
        return error_set(error, "there is no network '%s'; there are mlp and those that 'rungs model' lists", name);
    if (bench.torch != NULL && strcmp(name, "lenet") != 0)
        return error_set(error, "--torch: PyTorch's side is written for lenet only");
    return true;
}

/* Rank 0 writes, and so it alone can say. */
static Status
outputs_are_possible(Error *error)
{
    const FileOption files[] = {{"csv", bench.csv}, {"json", bench.json}, {"svg", bench.svg}};
    int status = bench.comm->rank == 0 ? file_options_check(files, 3, error) : STATUS_DONE;
    if (bench.comm->rank == 0 && status == STATUS_DONE && bench.svg != NULL && !gnuplot_is_here(error))
        status = STATUS_FAILED;
    CHECK_MPI(MPI_Bcast(&status, 1, MPI_INT, 0, bench.comm->mpi));
    return (Status)status;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static bool
write_files(Error *error)
{
    return (bench.csv == NULL || bench_parallel_csv(&bench, error)) &&
           (bench.json == NULL || bench_parallel_json(&bench, error));
}

static int
run(void)
{
    Error error = {""};
    Status status = outputs_are_possible(&error);
    if (status != STATUS_DONE)
        return fail(status, &error);
    host_set_threads(bench.threads);
    bench_parallel_look(&bench);
    if (bench.comm->rank == 0)
        bench_parallel_head(&bench);
    bool ok = bench_parallel_measure(&bench, bench.svg != NULL ? bench_parallel_svg : NULL, &error), right = true;
    if (ok && bench.comm->rank == 0) {
        bench_parallel_table(&bench);
        ok = write_files(&error);
    }
    int written = ok;
    CHECK_MPI(MPI_Bcast(&written, 1, MPI_INT, 0, bench.comm->mpi));
    for (int r = 0; r < bench.rows; r++)
        right = right && bench.row[r].wrong == 0;
    bench_parallel_free_rows(&bench);
    if (!written)
        return fail(STATUS_FAILED, &error);
    if (!right && bench.comm->rank == 0)
        fprintf(stderr, "rungs bench parallel: at least one row is WRONG, see above\n");
    return right ? STATUS_DONE : STATUS_FAILED;
}

int
command_bench_parallel(int argc, char **argv)
{
    set_defaults();
    bench.threads = host_threads();
    const Option options[] = {
        {"overlaps", OPTION_STRING, &o.overlaps, "LIST", "which plans: naive,fused,wfbp,ddp,greedy,optimal"},
        {"collectives", OPTION_STRING, &o.collectives, "LIST", "what they send with: mpi, ring, auto, or any rung"},
        {"batch", OPTION_INT, &bench.batch, "N", "samples of each rank in a step", .min = 1, .max = 1e5},
        {"steps", OPTION_INT, &bench.steps, "N", "steps in one measurement", .min = 1, .max = 1e6},
        {"rounds", OPTION_INT, &bench.rounds, "N", "measurements of each row; below 15 the intervals are wide",
         .min = 1, .max = 1e4},
        {"threads", OPTION_INT, &bench.threads, "N", "of each rank", .min = 1, .max = 1024},
        {"kernels", OPTION_CHOICE, &bench.kernels, "WHICH",
         "bottom or top rung of every ladder; the others: the top, but with this rung of gemm", cpu_backend_names()},
        {"bucket", OPTION_BYTES, &o.bucket, "SIZE", "ddp: that closes a bucket"},
        {"first-bucket", OPTION_BYTES, &o.first_bucket, "SIZE", "ddp: that closes the first one"},
        {"inputs", OPTION_INT, &bench.net.inputs, "N", "mlp: features of a sample", .min = 1, .max = 1e6},
        {"hidden", OPTION_INTS, &bench.net.hidden, "LIST", "mlp: neurons of each hidden layer", .min = 1, .max = 1e5},
        {"classes", OPTION_INT, &bench.net.classes, "N", "mlp: outputs", .min = 1, .max = 1e5},
        {"ranks-per-node", OPTION_INT, &o.ranks_per_node, "K",
         "make nodes of K ranks each, whatever machines they run on; 0: as they are", .max = 1e6},
        {"torch", OPTION_STRING, &bench.torch, "PYTHON",
         "lenet: a Python that has PyTorch, whose DistributedDataParallel on as many ranks is measured in turns"},
        {"csv", OPTION_STRING, &bench.csv, "FILE", "write the table"},
        {"json", OPTION_STRING, &bench.json, "FILE", "write everything, samples included"},
        {"svg", OPTION_STRING, &bench.svg, "FILE", "draw a step of the last plan, measured above predicted"},
        {0},
    };
    const Command command = {
        "rungs bench parallel", "MODEL", "measure data-parallel training steps of a network", options, NOTES,
        .max_positional = 1};
    int positional;
    Error error = {""};
    const OptionsResult result = options_parse(&command, argc, argv, &positional);
    if (result != OPTIONS_OK)
        return result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    bench.bucket = (size_t)o.bucket;
    bench.first_bucket = (size_t)o.first_bucket;
    if (!choose_net(positional, argv, &error) || !add_rows(&error))
        return fail(STATUS_USAGE, &error);
    process_start_alone();
    bench.comm = comm_create(MPI_COMM_WORLD, o.ranks_per_node);
    const int status = run();
    comm_free(bench.comm);
    return status;
}

#else

int
command_bench_parallel(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "rungs bench parallel: this build is without MPI: ./setup.sh installs Open MPI, and make must not "
                    "say MPI=0\n");
    return STATUS_FAILED;
}

#endif
