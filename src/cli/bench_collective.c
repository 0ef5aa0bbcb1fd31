/* rungs bench allreduce, and every other collective: verified and measured on all ranks. SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/cli.h"
#include <stdio.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#include "core/host.h"
#include "core/process.h"
#include "core/units.h"
#include "mpi/collectives/operation.h"
#include "mpi/model/fit.h"
#include "mpi/watch/rung_counts.h"
#include "mpi/window.h"
#include <limits.h>
#include <string.h>

#define TYPES "float|double|int32|int64" /* in the order of Element */
#define OPS   "sum|min|max|prod"         /* and of Reduction */

static struct {
    const char *type, *op, *messages_svg, *place;
    int ranks_per_node;
    bool model, count, strict;
} own;
static BenchOptions o;
static CollectiveSetting setting;

static const char NOTES[] =
    "Started on several ranks, as in\n"
    "\n"
    "  sh tools/mpirun.sh 2 build/rungs bench allreduce --sizes 4..16M\n"
    "  sh tools/mpirun.sh 4 build/rungs bench allreduce --rungs naive,ring,mpi,mpi:ring --ranks-per-node 2\n"
    "  sh tools/mpirun.sh 3 build/rungs bench broadcast --sizes 1M --root 2\n"
    "  sh tools/mpirun.sh 4 build/rungs bench allreduce --rungs ring --sizes 1K --messages-svg ring.svg\n"
    "\n"
    "A time is the slowest rank's. mpi is the library's own choice; mpi:ring and its like are what Open MPI does when "
    "it\n"
    "is told the algorithm. Every row is verified before and after timing, element by element, exactly; a wrong one "
    "has\n"
    "no time, and the exit status is 1.\n";

/* ---- what can be known before anything is measured -------------------------------------------------------------------- */

/* Machines may differ, and nodes and parts of a vector: all ranks must come to the same end, or some would wait for ever for those
 * that gave up. Bytes that the neediest rank needs: its vectors, and beside them a rung may need another one. */
static bool
size_fits(size_t bytes, Error *error)
{
    const Comm *comm = setting.comm;
    const double ranks = own.ranks_per_node > 0 ? comm->size : comm->node_largest;
    double memory = -(double)host_get()->memory, each = (double)bytes;
    char text[3][UNITS_SIZE];
    if (bytes < element_size(setting.type))
        return error_set(error, "--sizes: %zu bytes hold no element of %s: give %zu or more", bytes, own.type,
                         element_size(setting.type));
    memory = -collective_ranks(comm, false)->most(memory);
    if (each <= memory) /* a longer one may not even be countable */
        each = collective_ranks(comm, false)
                   ->most((double)collective_memory(&setting, collective_length(&setting, bytes)) + (double)bytes);
    if (each * ranks > memory)
        return error_set(error, "--sizes: %s need %s on each of %.0f ranks, and a machine has %s: give fewer",
                         units_bytes(text[0], (double)bytes), units_bytes(text[1], each), ranks,
                         units_bytes(text[2], memory));
    return collective_length(&setting, bytes) <= INT_MAX ||
           error_set(error, "--sizes: %s are more than %d elements", units_bytes(text[0], (double)bytes), INT_MAX);
}

/* Whether there is room in the window is known only when it has been reserved. */
static bool
window_fits(size_t n, Error *error)
{
    Error reason;
    if (!setting.in_window)
        return true;
    void *memory = window_try_allocate(setting.comm, collective_memory(&setting, n), &reason);
    window_free(setting.comm, memory);
    return memory != NULL || error_set(error, "--in-window: %.400s", reason.text);
}

static bool
add_size(Bench *bench, size_t n, Error *error)
{
    for (int place = 0; place < PLACES; place++) {
        if (!collective_has_place(setting.ladder->kind, place) ||
            strcmp(own.place, place == IN_PLACE ? "out" : "in") == 0)
            continue;
        bench->sizes[bench->size_count][0] = (int)n;
        bench->sizes[bench->size_count++][1] = place;
    }
    return bench->size_count > 0 ||
           error_set(error, "--place %s: %s has no such place", own.place, setting.ladder->name);
}

static bool
parse_sizes(Bench *bench, Error *error)
{
    size_t bytes[BENCH_SIZES / PLACES];
    if (setting.ladder->kind == COLLECTIVE_BARRIER)
        return add_size(bench, 0, error);
    const int count = ladder_parse_bytes(o.sizes, BENCH_SIZES / PLACES, bytes, error);
    for (int i = 0; i < count; i++)
        if (!size_fits(bytes[i], error) || !window_fits(collective_length(&setting, bytes[i]), error) ||
            !add_size(bench, collective_length(&setting, bytes[i]), error))
            return false;
    return count > 0;
}

/* The library's messages are its own. */
static bool
can_watch(Error *error)
{
    if (own.messages_svg == NULL)
        return true;
    if (setting.comm->size == 1)
        return error_set(error,
                         "--messages-svg: one rank sends no message; start it on several: sh tools/mpirun.sh 4 ..");
    const CollectiveRung *rung = collective_rung(setting.ladder, o.rungs);
    return (rung != NULL && !rung->peer) ||
           error_set(error, "--messages-svg draws one rung of ours: name it, as in --rungs %s",
                     setting.ladder->rungs[0].name);
}

/* ---- what is printed besides ------------------------------------------------------------------------------------------ */

static void
print_head(FILE *out)
{
    const Comm *comm = setting.comm;
    if (comm->size > host_get()->cores * comm->nodes)
        fprintf(out, "  more ranks than cores: they take turns, and times say little\n");
    if (comm->size == 1)
        fprintf(out, "  one rank alone has nobody to talk to; two: sh tools/mpirun.sh 2 build/rungs bench %s\n",
                setting.ladder->name);
    if (own.strict)
        fprintf(out, "  every send waits for its receiver: times are longer than they need be\n");
    if (setting.in_window)
        fprintf(out, "  vectors lie in memory that the ranks of a node share\n");
    if (comm->size == 1)
        fprintf(out, "  predicted: nothing, as one rank sends nothing\n");
    else if (cost_parameters_of(setting.comm)->noisy)
        fprintf(out,
                "  predicted: nothing, the machine is too noisy: samples of one message differ by more than %.0f %%;\n"
                "  end other programs\n",
                100 * FIT_SPREAD);
}

/* --model: alpha, beta and gamma as fitted; what they say of each of our rungs at the largest size; where the best one changes. */
static void
print_model(const LadderTable *table)
{
    const CostParameters *network = cost_parameters_of(setting.comm);
    const CostCase what = collective_cost(&setting, NULL, (size_t)table->size[0], IN_PLACE);
    const char *names[LADDER_RUNGS];
    int count = 0;
    for (int i = 0; i < table->count; i++)
        if (!table->rows[i].rung->peer)
            names[count++] = table->rows[i].rung->name;
    if (setting.comm->rank != 0)
        return;
    printf("\n");
    if (setting.comm->size == 1) {
        printf("  one rank sends nothing: there is nothing to predict\n");
        return;
    }
    cost_print_network(stdout, network, setting.comm->nodes > 1);
    printf("\n");
    cost_print_rungs(stdout, &what, names, count, network);
    printf("\n");
    if (!network->noisy)
        cost_print_crossovers(stdout, &what, names, count, network);
}

static bool
finish(LadderTable *const *tables, int count, Error *error)
{
    if (own.count)
        rung_counts_print(&setting, tables, count, stdout);
    if (own.model)
        print_model(tables[count - 1]);
    if (own.messages_svg == NULL)
        return true;
    char title[160], size[UNITS_SIZE];
    const LadderTable *first = tables[0];
    snprintf(title, sizeof title, "%s %s, %s, %d ranks", setting.ladder->name, first->rows[0].rung->name,
             units_bytes(size, first->bytes), setting.comm->size);
    rung_counts(&setting, first->rows[0].rung->context, (size_t)first->size[0], first->size[1]);
    return setting.comm->rank != 0 || watch_svg(own.messages_svg, title, error);
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static int
run(const char *name)
{
    Error error = {""};
    const int p = setting.comm->size;
    Bench bench = {
        .name = name, .o = &o, .ranks = collective_ranks(setting.comm, false), .head = print_head, .finish = finish};
    if (collective_root(&setting) >= p)
        error_set(&error, "--root %d: there are ranks 0 to %d", setting.root, p - 1);
    else if (o.svg != NULL && setting.ladder->kind == COLLECTIVE_BARRIER)
        error_set(&error, "--svg: a barrier has no size to draw its rate against");
    if (error.text[0] != '\0' || !parse_sizes(&bench, &error) || !can_watch(&error))
        return cli_fail(name, STATUS_USAGE, &error);
    if (own.strict)
        watch_strict(true);           /* RUNGS_STRICT may have said so before */
    cost_parameters_of(setting.comm); /* fits the model, in which all ranks take part; rank 0 alone prints of it */
    collective_measure_memory(&setting);
    bench.ladder = collective_operation(&setting);
    return bench_run(&bench);
}

int
command_bench_collective(int argc, char **argv)
{
    char name[64];
    int positional, status;
    o = (BenchOptions){.rungs = "all", .sizes = "8,1K,64K,1M,16M", .rounds = 15, .seconds = 30, .seed = 1};
    own.type = "float", own.op = "sum", own.place = "both";
    for (int i = 0; collective_ladders[i] != NULL; i++)
        if (strcmp(collective_ladders[i]->name, argv[0]) == 0)
            setting.ladder = collective_ladders[i];
    CHECK_THAT(setting.ladder != NULL, "there is no ladder %s", argv[0]);
    const Option options[] = {
        {"type", OPTION_CHOICE, &own.type, "TYPE", "of the elements", TYPES},
        {"op", OPTION_CHOICE, &own.op, "OP", "how ranks reduce, where they do", OPS},
        {"root", OPTION_INT, &setting.root, "R", "the rank that gives or gets, where there is one", .max = 1e6},
        {"place", OPTION_CHOICE, &own.place, "PLACE", "the output beside the input, or in its place", "both|out|in"},
        {"ranks-per-node", OPTION_INT, &own.ranks_per_node, "K",
         "make nodes of K ranks each, whatever machines they run on; 0: as they are", .max = 1e6},
        {"in-window", OPTION_FLAG, &setting.in_window, NULL, "vectors in memory that the ranks of a node share"},
        {"model", OPTION_FLAG, &own.model, NULL,
         "also print what the cost model fitted, and where the best rung changes"},
        {"count", OPTION_FLAG, &own.count, NULL,
         "also count what each rung sends: messages, bytes, steps of the busiest rank, beside the model's"},
        {"strict", OPTION_FLAG, &own.strict, NULL,
         "every send waits for its receiver: what deadlocks for long vectors does so for all"},
        {"messages-svg", OPTION_FIGURE, &own.messages_svg, "FILE",
         "draw who sends to whom, and when, in one call of the one rung that is named, of the first size (needs "
         "gnuplot)"},
        {0},
    };
    snprintf(name, sizeof name, "rungs bench %s", argv[0]);
    const BenchKind kind = {
        .name = name,
        .positional = "",
        .summary = setting.ladder->formula,
        .notes = NOTES,
        .rungs = "rungs",
        .rungs_help = "which rungs: naive,ring,mpi or all",
        .sizes = "sizes",
        .sizes_help = "bytes of the vector: 4,64K,1M (K is 1024), or 4..256M by factors of 4",
        .options = options,
    };
    if (!bench_parse(&kind, &o, argc, argv, &positional, &status))
        return status;
    process_start_alone();
    setting.comm = comm_create(MPI_COMM_WORLD, own.ranks_per_node);
    setting.type = (Element)option_choice(TYPES, own.type);
    setting.op = (Reduction)option_choice(OPS, own.op);
    status = run(name);
    comm_free(setting.comm);
    return status;
}

#else

int
command_bench_collective(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr,
            "rungs bench %s: this build is without MPI: ./setup.sh installs Open MPI, and make must not say MPI=0\n",
            argv[0]);
    return STATUS_FAILED;
}

#endif
