/* rungs bench allreduce, and every other collective: verifies and measures its rungs on all ranks.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include <stdio.h>
#ifdef HAVE_MPI
#include "cli/bench_collective.h"
#include "cli/bench_sizes.h"
#include "cli/file_options.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/gnuplot.h"
#include "core/host.h"
#include "core/options.h"
#include "core/process.h"
#include "core/units.h"
#include "mpi/watch/watch.h"
#include "mpi/window.h"
#include <string.h>

/* Seconds: a rung whose calls are longer is measured only if it is named. */
#define LONGEST 2.0

static struct {
    const char *sizes, *rungs, *type, *op, *csv, *json, *svg, *messages_svg;
    int root, rounds, ranks_per_node;
    double seconds;
    uint64_t seed;
    bool in_window, model, count, strict;
} o = {.rungs = "all", .type = "float", .op = "sum", .rounds = 15, .seconds = 30, .seed = 1};

static const Option options[] = {
    {"sizes", OPTION_STRING, &o.sizes, "LIST", "bytes of the vector: 4,64K,1M (K is 1024), or 4..256M by factors of 4"},
    {"rungs", OPTION_STRING, &o.rungs, "LIST", "which rungs: naive,ring,mpi or all"},
    {"type", OPTION_CHOICE, &o.type, "TYPE", "of the elements", "float|double|int32|int64"},
    {"op", OPTION_CHOICE, &o.op, "OP", "how ranks reduce, where they do", "sum|min|max|prod"},
    {"root", OPTION_INT, &o.root, "R", "the rank that gives or gets, where there is one", .max = 1e6},
    {"rounds", OPTION_INT, &o.rounds, "N", "samples of each row; below 15 the intervals are wide", .min = 1,
     .max = 1e6},
    {"seconds", OPTION_DOUBLE, &o.seconds, "S",
     "for all rounds of a size: when they are over no round begins, but 5 are always made; 0: no limit", .max = 1e6},
    {"ranks-per-node", OPTION_INT, &o.ranks_per_node, "K",
     "make nodes of K ranks each, whatever machines they run on; 0: as they are", .max = 1e6},
    {"in-window", OPTION_FLAG, &o.in_window, NULL, "vectors in memory that the ranks of a node share"},
    {"model", OPTION_FLAG, &o.model, NULL, "also print what the cost model fitted, and where the best rung changes"},
    {"count", OPTION_FLAG, &o.count, NULL,
     "also count what each rung sends: messages, bytes, steps, beside the model's"},
    {"strict", OPTION_FLAG, &o.strict, NULL,
     "every send waits for its receiver: what deadlocks for long vectors does so for all"},
    {"csv", OPTION_STRING, &o.csv, "FILE", "write a table: a row for each rung and size, in place and not"},
    {"json", OPTION_STRING, &o.json, "FILE", "write everything, samples included"},
    {"svg", OPTION_STRING, &o.svg, "FILE", "draw bus bandwidth against size (needs gnuplot)"},
    {"messages-svg", OPTION_STRING, &o.messages_svg, "FILE",
     "draw who sends to whom, and when, in one call of the one rung that is named, of the first size (needs gnuplot)"},
    {"seed", OPTION_SIZE, &o.seed, "N", "of the order of the rows"},
    {0},
};

static const char NOTES[] =
    "Started on several ranks, as in\n"
    "\n"
    "  sh tools/mpirun.sh 2 build/rungs bench allreduce --sizes 4..16M\n"
    "  sh tools/mpirun.sh 4 build/rungs bench allreduce --rungs naive,ring,mpi,mpi:ring --ranks-per-node 2\n"
    "  sh tools/mpirun.sh 3 build/rungs bench broadcast --sizes 1M --root 2\n"
    "  sh tools/mpirun.sh 4 build/rungs bench allreduce --rungs ring --sizes 1K --messages-svg ring.svg\n"
    "\n"
    "Every row is verified before and after timing, element by element, exactly; a wrong one has no time, and the "
    "exit\n"
    "status is 1. Rows take turns, in another order each round. mpi is the library's own choice; mpi:ring and its like "
    "are "
    "what\n"
    "Open MPI does when it is told the algorithm. A ratio whose interval is wider than 10 % and holds 1 is \"too noisy "
    "to "
    "say\".\n";

static int
fail(Status status, const Error *error)
{
    if (process_rank() == 0)
        fprintf(stderr, "rungs bench: %s\n", error->text);
    return status;
}

/* ---- what can be known before anything is measured -------------------------------------------------------------------- */

static Element
type_named(const char *name)
{
    Element type = ELEMENT_FLOAT;
    while (type < ELEMENT_BYTE && strcmp(element_name(type), name) != 0)
        type++;
    return type;
}

static Reduction
reduction_named(const char *name)
{
    Reduction op = REDUCTION_SUM;
    while (op < REDUCTION_PROD && strcmp(reduction_name(op), name) != 0)
        op++;
    return op;
}

/* Machines may differ, and nodes and parts of a vector: all ranks must come to the same end, or some would wait for ever for those
 * that gave up. */
typedef struct Room {
    double memory, ranks; /* bytes of the smallest machine; ranks of the largest node */
} Room;

static Room
room_of(const CollectiveBench *bench)
{
    const Comm *comm = bench->comm;
    Room room = {(double)host_get()->memory, o.ranks_per_node > 0 ? comm->size : comm->node->size};
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &room.memory, 1, MPI_DOUBLE, MPI_MIN, comm->mpi));
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &room.ranks, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
    return room;
}

/* Bytes that the neediest rank needs: its vectors, and beside them a rung may need another one. */
static double
needed(const CollectiveBench *bench, size_t bytes, Room room)
{
    if ((double)bytes > room.memory)
        return (double)bytes; /* a length like that may not even be countable */
    double each = (double)collective_memory(bench, collective_length(bench, bytes)) + (double)bytes;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &each, 1, MPI_DOUBLE, MPI_MAX, bench->comm->mpi));
    return each;
}

static bool
sizes_fit(const CollectiveBench *bench, const size_t *bytes, int count, Error *error)
{
    const size_t element = element_size(bench->type);
    const Room room = room_of(bench);
    char text[3][UNITS_SIZE];
    for (int i = 0; i < count; i++) {
        if (bytes[i] < element)
            return error_set(error, "--sizes: %zu bytes hold no element of %s: give %zu or more", bytes[i], o.type,
                             element);
        const double each = needed(bench, bytes[i], room);
        if (each * room.ranks > room.memory)
            return error_set(error, "--sizes: %s need %s on each of %.0f ranks, and a machine has %s: give fewer",
                             units_bytes(text[0], (double)bytes[i]), units_bytes(text[1], each), room.ranks,
                             units_bytes(text[2], room.memory));
    }
    return true;
}

static bool
bench_fits(const CollectiveBench *bench, Error *error)
{
    const int p = bench->comm->size;
    if (collective_root(bench) >= p)
        return error_set(error, "--root %d: there are ranks 0 to %d", bench->root, p - 1);
    if (bench->svg != NULL && bench->ladder->kind == COLLECTIVE_BARRIER)
        return error_set(error, "--svg: a barrier has no size to draw its rate against");
    return true;
}

/* The longest vectors in the window: whether there is room is known only when it has been reserved. */
static bool
window_fits(const CollectiveBench *bench, const size_t *bytes, int count, Error *error)
{
    if (!bench->in_window)
        return true;
    size_t longest = 0;
    for (int i = 0; i < count; i++)
        longest = bytes[i] > longest ? bytes[i] : longest;
    Error reason;
    void *memory =
        window_try_allocate(bench->comm, collective_memory(bench, collective_length(bench, longest)), &reason);
    window_free(bench->comm, memory);
    return memory != NULL || error_set(error, "--in-window: %.400s", reason.text);
}

/* Rank 0 writes, and so it alone can say. */
static Status
outputs_are_possible(const CollectiveBench *bench, Error *error)
{
    const FileOption files[] = {
        {"csv", bench->csv}, {"json", bench->json}, {"svg", bench->svg}, {"messages-svg", bench->messages_svg}};
    const bool draws = bench->svg != NULL || bench->messages_svg != NULL;
    int status = STATUS_DONE;
    if (bench->comm->rank == 0)
        status = file_options_check(files, sizeof files / sizeof files[0], error);
    if (bench->comm->rank == 0 && status == STATUS_DONE && draws && !gnuplot_is_here(error))
        status = STATUS_FAILED;
    CHECK_MPI(MPI_Bcast(&status, 1, MPI_INT, 0, bench->comm->mpi));
    return (Status)status;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static bool
write_files(const CollectiveReport *report, Error *error)
{
    const CollectiveBench *bench = report->bench;
    return (bench->csv == NULL || collective_csv(report, bench->csv, error)) &&
           (bench->json == NULL || collective_json(report, bench->json, error)) &&
           (bench->svg == NULL || collective_svg(report, bench->svg, error)) &&
           (bench->messages_svg == NULL || collective_messages_svg(report, bench->messages_svg, error));
}

int
collective_bench(CollectiveBench *bench, const size_t *bytes, int count)
{
    CollectiveTable *tables[BENCH_SIZES_MAX];
    Error error = {""};
    bool right = true;
    if (bench->strict)
        watch_strict(true); /* RUNGS_STRICT may have said so before */
    collective_fit(bench);
    collective_measure_memory(bench);
    if (bench->comm->rank == 0)
        collective_print_head(bench);
    for (int i = 0; i < count; i++) {
        tables[i] = collective_measure(bench, collective_length(bench, bytes[i]));
        collective_predict(bench, tables[i]);
        right = right && collective_table_ok(tables[i]);
        if (bench->comm->rank == 0)
            collective_print_table(bench, tables[i]);
        if (bench->count_messages)
            collective_count(bench, tables[i]);
    }
    const CollectiveReport report = {bench, (const CollectiveTable *const *)tables, count};
    if (bench->model)
        collective_print_model(&report);
    if (bench->messages_svg != NULL)
        collective_watch(bench, tables[0]);
    int written = bench->comm->rank != 0 || write_files(&report, &error);
    CHECK_MPI(MPI_Bcast(&written, 1, MPI_INT, 0, bench->comm->mpi));
    for (int i = 0; i < count; i++)
        collective_table_free(tables[i]);
    if (!written)
        return fail(STATUS_FAILED, &error);
    if (!right && bench->comm->rank == 0)
        fprintf(stderr, "rungs bench: at least one rung is WRONG, see above\n");
    return right ? STATUS_DONE : STATUS_FAILED;
}

static int
run(CollectiveBench *bench)
{
    size_t bytes[BENCH_SIZES_MAX] = {0};
    Error error = {""};
    const bool sized = bench->ladder->kind != COLLECTIVE_BARRIER;
    const int count = sized ? bench_sizes_parse(o.sizes, bytes, &error) : 1;
    if (count == 0 || !bench_fits(bench, &error) || (sized && !sizes_fit(bench, bytes, count, &error)) ||
        !window_fits(bench, bytes, count, &error) || !collective_select(bench, o.rungs, &error) ||
        !collective_can_watch(bench, &error))
        return fail(STATUS_USAGE, &error);
    const Status status = outputs_are_possible(bench, &error);
    return status == STATUS_DONE ? collective_bench(bench, bytes, count) : fail(status, &error);
}

int
command_bench_collective(int argc, char **argv)
{
    const CollectiveLadder *ladder = NULL;
    for (int i = 0; collective_ladders[i] != NULL; i++)
        if (strcmp(collective_ladders[i]->name, argv[0]) == 0)
            ladder = collective_ladders[i];
    CHECK_THAT(ladder != NULL, "there is no ladder %s", argv[0]);
    char name[64];
    int positional;
    snprintf(name, sizeof name, "rungs bench %s", argv[0]);
    o.sizes = "8,1K,64K,1M,16M";
    const Command command = {name, "", ladder->formula, options, .notes = NOTES};
    const OptionsResult result = options_parse(&command, argc, argv, &positional);
    if (result != OPTIONS_OK)
        return result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    process_start_alone();
    CollectiveBench bench = {
        .ladder = ladder,
        .comm = comm_create(MPI_COMM_WORLD, o.ranks_per_node),
        .type = type_named(o.type),
        .op = reduction_named(o.op),
        .root = o.root,
        .rounds = o.rounds,
        .seconds = o.seconds,
        .longest = ladder_selects_all(o.rungs) ? LONGEST : 0,
        .seed = o.seed,
        .csv = o.csv,
        .json = o.json,
        .svg = o.svg,
        .messages_svg = o.messages_svg,
        .in_window = o.in_window,
        .model = o.model,
        .count_messages = o.count,
        .strict = o.strict,
    };
    const int status = run(&bench);
    comm_free(bench.comm);
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
