/* rungs bench parallel: data-parallel training steps of a network, one row for each way of sending gradients.
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/cli.h"
#include <stdio.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#include "core/host.h"
#include "core/process.h"
#include "cpu/backend.h"
#include "mpi/collectives/operation.h"
#include "mpi/model/merge.h"
#include "mpi/parallel/data/operation.h"
#include <math.h>
#include <string.h>

static DataSetting setting;
static const char *torch;

static const char NOTES[] =
    "MODEL is mlp (--inputs, --hidden, --classes) or one that `rungs model` lists. Started on several ranks, as in\n"
    "\n"
    "  sh tools/mpirun.sh 2 build/rungs bench parallel lenet\n"
    "  sh tools/mpirun.sh 4 build/rungs bench parallel mlp --inputs 784 --hidden 1024,1024 --overlaps naive,wfbp\n"
    "  sh tools/mpirun.sh 2 build/rungs bench parallel lenet --overlaps fused --torch python3\n"
    "\n"
    "Rows: alone is one rank on its samples, apart every rank by itself, fused:ring a way of overlap with a rung of "
    "the\n"
    "all-reduce, fused:ring:sums its all-reduces alone. Samples are random numbers, in memory before anything is "
    "timed.\n";

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

static bool
add_rungs(const char *overlaps, const char *collectives, Error *error)
{
    char modes[256], names[256];
    snprintf(modes, sizeof modes, "%s", overlaps);
    for (char *rest = modes, *mode; (mode = strsep(&rest, ",")) != NULL;) {
        const int known = option_choice("naive|fused|wfbp|ddp|greedy|optimal", mode);
        if (known < 0)
            return error_set(error, "--overlaps: there is no '%s'; there are naive, fused, wfbp, ddp, greedy, optimal",
                             mode);
        snprintf(names, sizeof names, "%s", collectives);
        for (char *left = names, *name; (name = strsep(&left, ",")) != NULL;) {
            const Collectives *found = collectives_named(name, error);
            if (found == NULL || !data_operation_add(step_modes[known], found, error))
                return false;
        }
    }
    return true;
}

static bool
choose_net(const char *name, Error *error)
{
    if (name == NULL)
        return error_set(error, "a network must be named, as in 'rungs bench parallel lenet'");
    setting.net.model = bench_net_model(name);
    if (setting.net.model != NULL)
        setting.net.classes = setting.net.model->classes;
    else if (strcmp(name, "mlp") != 0)
        return error_set(error, "there is no network '%s'; there are mlp and those that 'rungs model' lists", name);
    return torch == NULL || strcmp(name, "lenet") == 0 ||
           error_set(error, "--torch: PyTorch's side is written for lenet only");
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static void
print_head(FILE *out)
{
    const Comm *comm = setting.comm;
    if (comm->node_largest * host_threads() > host_get()->cores)
        fprintf(out, "  more threads than cores: they take turns, and times say little\n");
    if (comm->size == 1)
        fprintf(out, "  one rank has nobody to learn with; two: sh tools/mpirun.sh 2 build/rungs bench parallel %s\n",
                setting.net.model != NULL ? setting.net.model->name : "mlp");
}

static bool
finish(LadderTable *const *tables, int count, Error *error)
{
    (void)tables, (void)count;
    data_torch_stop(stdout);
    return data_operation_drawn(error);
}

static int
run(const char *name, BenchOptions *o, const char *overlaps, const char *collectives)
{
    char network[BENCH_NET_TEXT], numbers[3][24];
    Error error = {""};
    const int values[] = {setting.comm->size, setting.comm->nodes, (int)bench_net_parameters(&setting.net)};
    for (int i = 0; i < 3; i++)
        snprintf(numbers[i], sizeof numbers[i], "%d", values[i]);
    const Fact facts[] = {{"network", bench_net_text(&setting.net, network)},
                          {"parameters", numbers[2]},
                          {"kernels", setting.kernels},
                          {"ranks", numbers[0]},
                          {"nodes", numbers[1]},
                          {0}};
    data_operation_begin(&setting, facts);
    if (!add_rungs(overlaps, collectives, &error))
        return cli_fail(name, STATUS_USAGE, &error);
    if (torch != NULL)
        data_torch_add(&setting, torch);
    return bench_run(&(Bench){.name = name,
                              .o = o,
                              .ladder = data_operation(),
                              .ranks = collective_ranks(setting.comm, true),
                              .sizes_option = "batch",
                              .sample_seconds = 0.1,
                              .named = true,
                              .head = print_head,
                              .finish = finish});
}

int
command_bench_parallel(int argc, char **argv)
{
    static const char name[] = "rungs bench parallel";
    const char *overlaps = "naive,fused,wfbp,ddp,greedy,optimal", *collectives = "ring";
    uint64_t bucket = 25 << 20, first_bucket = 1 << 20;
    int ranks_per_node = 0, positional, status;
    Error error = {""};
    BenchOptions o = {
        .rungs = "all", .sizes = "64", .rounds = 15, .seconds = 60, .seed = 1, .threads = {1, {host_threads()}}};
    setting = (DataSetting){.net = {.hidden = {1, {64}}, .inputs = 64, .classes = 10}, .kernels = "best"};
    const Option options[] = {
        {"overlaps", OPTION_STRING, &overlaps, "LIST", "which rungs: naive,fused,wfbp,ddp,greedy,optimal"},
        {"collectives", OPTION_STRING, &collectives, "LIST", "what they send with: mpi, ring, auto, or any rung"},
        {"kernels", OPTION_CHOICE, &setting.kernels, "WHICH",
         "bottom or top rung of every ladder; the others: the top, but with this rung of gemm", cpu_backend_names()},
        {"bucket", OPTION_BYTES, &bucket, "SIZE", "ddp: that closes a bucket"},
        {"first-bucket", OPTION_BYTES, &first_bucket, "SIZE", "ddp: that closes the first one"},
        {"inputs", OPTION_INT, &setting.net.inputs, "N", "mlp: features of a sample", .min = 1, .max = 1e6},
        {"hidden", OPTION_INTS, &setting.net.hidden, "LIST", "mlp: neurons of each hidden layer", .min = 1, .max = 1e5},
        {"classes", OPTION_INT, &setting.net.classes, "N", "mlp: outputs", .min = 1, .max = 1e5},
        {"ranks-per-node", OPTION_INT, &ranks_per_node, "K",
         "make nodes of K ranks each, whatever machines they run on; 0: as they are", .max = 1e6},
        {"torch", OPTION_STRING, &torch, "PYTHON",
         "lenet: a Python that has PyTorch, whose DistributedDataParallel on as many ranks is measured in turns"},
        {"timeline-svg", OPTION_FIGURE, &setting.timeline_svg, "FILE",
         "draw a step of the last rung, measured above predicted (needs gnuplot)"},
        {0},
    };
    const BenchKind kind = {.name = name,
                            .positional = "MODEL",
                            .summary = "measure data-parallel training steps of a network",
                            .notes = NOTES,
                            .sizes = "batch",
                            .sizes_help = "samples of each rank in a step",
                            .threads = true,
                            .options = options,
                            .max_positional = 1};
    if (!bench_parse(&kind, &o, argc, argv, &positional, &status))
        return status;
    setting.bucket = (size_t)bucket;
    setting.first_bucket = (size_t)first_bucket;
    if (!choose_net(positional > 0 ? argv[1] : NULL, &error))
        return cli_fail(name, STATUS_USAGE, &error);
    process_start_alone();
    setting.comm = comm_create(MPI_COMM_WORLD, ranks_per_node);
    status = run(name, &o, overlaps, collectives);
    comm_free(setting.comm);
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
