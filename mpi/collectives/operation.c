/* See operation.h. SPDX-License-Identifier: MIT */
#include "mpi/collectives/operation.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/host.h"
#include "core/units.h"
#include "mpi/collectives/allreduce/library_forced.h"
#include "mpi/model/fit.h"
#include "mpi/window.h"
#include <math.h>
#include <time.h>

/* The callbacks of an operation are asked about a size alone: the rest stands here. */
static CollectiveSetting s;

/* ---- what a size means ------------------------------------------------------------------------------------------------ */

static bool
reduces(CollectiveKind kind)
{
    return kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_REDUCE_SCATTER;
}

int
collective_root(const CollectiveSetting *setting)
{
    const CollectiveKind kind = setting->ladder->kind;
    const bool has_root = kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_BROADCAST || kind == COLLECTIVE_GATHER ||
                          kind == COLLECTIVE_SCATTER;
    return has_root ? setting->root : -1;
}

bool
collective_has_place(CollectiveKind kind, int place)
{
    if (kind == COLLECTIVE_BROADCAST)
        return place == IN_PLACE;
    return place == OUT_OF_PLACE || (kind != COLLECTIVE_ALL_TO_ALL && kind != COLLECTIVE_BARRIER);
}

/* Bytes of the whole vector for each element of a length. */
static size_t
unit_of(const CollectiveSetting *setting)
{
    const size_t rows = setting->ladder->kind == COLLECTIVE_ALL_TO_ALL ? (size_t)setting->comm->size : 1;
    return rows * element_size(setting->type);
}

size_t
collective_length(const CollectiveSetting *setting, size_t bytes)
{
    const size_t n = bytes / unit_of(setting);
    if (setting->ladder->kind == COLLECTIVE_BARRIER)
        return 0;
    return n == 0 && setting->ladder->kind == COLLECTIVE_ALL_TO_ALL ? 1 : n;
}

static CollectiveCase
case_of(const CollectiveSetting *setting, size_t n, int place)
{
    return (CollectiveCase){.kind = setting->ladder->kind,
                            .n = n,
                            .type = setting->type,
                            .op = setting->op,
                            .root = setting->root,
                            .in_place = place == IN_PLACE};
}

size_t
collective_memory(const CollectiveSetting *setting, size_t n)
{
    const CollectiveCase out = case_of(setting, n, OUT_OF_PLACE), in = case_of(setting, n, IN_PLACE);
    const size_t a = collective_vectors_bytes(&out, setting->comm), b = collective_vectors_bytes(&in, setting->comm);
    return a > b ? a : b;
}

static double
vector_bytes(const int *size)
{
    return (double)size[0] * (double)unit_of(&s);
}

static double
no_flops(const int *size)
{
    (void)size;
    return 0.0;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

typedef struct Inputs {
    CollectiveCase what;
    CollectiveVectors vectors;
    void *memory; /* of the window; NULL: the vectors have their own */
    uint64_t seed;
    int calls; /* since the vectors were filled */
} Inputs;

static void
begin(void *inputs, void *output)
{
    Inputs *in = inputs;
    (void)output;
    collective_vectors_fill(&in->what, s.comm, &in->vectors);
    in->calls = 0;
}

static void
refresh(void *inputs, uint64_t round)
{
    Inputs *in = inputs;
    in->what.round = (unsigned)(in->seed + round);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    (void)error;
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.what = case_of(&s, (size_t)size[0], size[1]), .seed = seed};
    if (s.in_window)
        in->memory = window_allocate(s.comm, collective_vectors_bytes(&in->what, s.comm));
    in->vectors = collective_vectors_create(&in->what, s.comm, in->memory);
    begin(in, NULL);
    return in;
}

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    collective_vectors_free(&in->vectors);
    if (s.in_window)
        window_free(s.comm, in->memory);
    array_free(in);
}

static void
run(const Rung *rung, void *inputs)
{
    Inputs *in = inputs;
    const CollectiveCase *c = &in->what;
    collective_run(s.ladder, rung->context, s.comm, in->vectors.x, in->vectors.y, c->n, c->type, c->op, c->root);
    in->calls++;
}

/* What several calls in place leave is no longer what went in: then one more, on new inputs, is what is verified. */
static Verdict
verify(const Rung *rung, void *inputs)
{
    Inputs *in = inputs;
    if (in->what.in_place && in->what.kind != COLLECTIVE_BROADCAST && in->calls != 1) {
        begin(in, NULL);
        run(rung, in);
    }
    const size_t wrong = collective_vectors_wrong(&in->what, s.comm, &in->vectors, NULL);
    unsigned long long sums[2] = {wrong, in->vectors.y_count};
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, s.comm->mpi));
    return (Verdict){.count = (size_t)sums[1],
                     .wrong = (size_t)sums[0],
                     .max_error = sums[0] > 0 ? INFINITY : 0.0,
                     .what = "elements of all ranks are wrong"};
}

/* ---- what ranks agree on ---------------------------------------------------------------------------------------------- */

static const Comm *agreeing;
static bool sleeps;

void
collective_sleep(const Comm *comm)
{
    const struct timespec interval = {0, 1000000};
    MPI_Request request;
    int done = 0;
    CHECK_MPI(MPI_Ibarrier(comm->mpi, &request));
    for (;;) {
        CHECK_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done)
            return;
        nanosleep(&interval, NULL);
    }
}

static void
synchronise(void)
{
    CHECK_MPI(MPI_Barrier(agreeing->mpi));
}

static double
most(double mine)
{
    if (sleeps)
        collective_sleep(agreeing);
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, agreeing->mpi));
    return mine;
}

const LadderRanks *
collective_ranks(const Comm *comm, bool sleeping)
{
    static LadderRanks ranks;
    agreeing = comm;
    sleeps = sleeping;
    ranks = (LadderRanks){comm->rank, comm->size, synchronise, most};
    return &ranks;
}

/* ---- beside the time -------------------------------------------------------------------------------------------------- */

CostCase
collective_cost(const CollectiveSetting *setting, const char *rung, size_t n, int place)
{
    CostCase what = cost_case(setting->comm, setting->ladder->name, rung, n, setting->type, place == OUT_OF_PLACE);
    what.shared = setting->in_window;
    return what;
}

/* False: the model does not know the rung. */
static bool
cost_at(const Rung *rung, const int *size, Cost *cost)
{
    const CostCase what = collective_cost(&s, rung->name, (size_t)size[0], size[1]);
    return cost_of(&what, cost, NULL);
}

/* NaN too where the model could not be fitted, and where one rank has nothing to send. */
static double
predict(const Rung *rung, const int *size)
{
    const CostParameters *network = cost_parameters_of(s.comm);
    Cost cost;
    return s.comm->size > 1 && !network->noisy && cost_at(rung, size, &cost) ? cost_time(&cost, network) : NAN;
}

static bool
accepts(const Rung *rung, const int *size, Error *reason)
{
    const CollectiveRung *ours = rung->context;
    return ours->accepts == NULL || ours->accepts(s.comm, (size_t)size[0], s.type, reason);
}

static double
algorithm_bandwidth(const LadderTable *table, const LadderRow *row)
{
    return table->bytes / row->time.median;
}

static double
bus_bandwidth(const LadderTable *table, const LadderRow *row)
{
    return cost_bus_factor(s.ladder->name, s.comm->size) * algorithm_bandwidth(table, row);
}

static double
bytes_moved(const LadderTable *table, const LadderRow *row)
{
    Cost cost;
    return cost_at(row->rung, table->size, &cost) ? cost.moved : NAN;
}

/* What one rank wrote another reads, so at the best from the cache that they share: if it holds all vectors of the node. */
static double
limit(const LadderTable *table, const LadderRow *row)
{
    const double vectors = table->bytes * (table->size[1] == IN_PLACE ? 1 : 2) * s.comm->node->size;
    const double rate = vectors <= (double)host_get()->cache[3] ? s.read : s.write_read;
    return rate > 0 ? bytes_moved(table, row) / rate : NAN;
}

static const Column columns[] = {
    {"busbw", "B/s", "algbw times nccl-tests' factor: what each rank's line must carry, whatever the algorithm",
     bus_bandwidth},
    {"algbw", "B/s", "bytes of the vector in a second", algorithm_bandwidth},
    {"moved", "B", "bytes that the busiest rank loads and stores, by the cost model", bytes_moved},
    {"limit", "s", "the time that these take at the rate of the cache that ranks share, or of memory", limit},
    {0},
};

/* Each rank measures what one thread can do while all others do the same; the slowest counts. */
void
collective_measure_memory(CollectiveSetting *setting)
{
    Machine machine;
    CHECK_MPI(MPI_Barrier(setting->comm->mpi));
    machine_measure(&machine, 1);
    double rates[2] = {machine.one.read[MACHINE_L3], machine.one.triad};
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, rates, 2, MPI_DOUBLE, MPI_MIN, setting->comm->mpi));
    setting->read = rates[0];
    setting->write_read = rates[1];
}

/* ---- the operation ---------------------------------------------------------------------------------------------------- */

/* The library is to stand at its best: so it is said how its ranks copy, and how they could. */
static const char *
describe_library(void)
{
    static char text[512];
    char copy[32];
    library_single_copy(copy);
    snprintf(text, sizeof text, "%s\n    single-copy mechanism of Open MPI's vader: %s%s", host_get()->mpi,
             copy[0] != '\0' ? copy : "not known",
             strcmp(copy, "none") == 0 ? ", so long messages within a node are copied twice; one copy:\n"
                                         "    OMPI_MCA_btl_vader_single_copy_mechanism=cma, where the system allows it"
                                       : "");
    return text;
}

static Rung
rung_of(const CollectiveRung *rung)
{
    const bool chooses_itself = rung->peer && strcmp(rung->name, "mpi") == 0;
    return (Rung){.name = rung->name,
                  .idea = rung->idea,
                  .file = rung->file,
                  .peer = rung->peer,
                  .describe = chooses_itself ? describe_library : NULL,
                  .context = rung};
}

static const Fact *
facts_of(const CollectiveSetting *setting)
{
    static char ranks[16], nodes[16], root[16], read[UNITS_SIZE], memory[UNITS_SIZE];
    static Fact facts[9];
    snprintf(ranks, sizeof ranks, "%d", setting->comm->size);
    snprintf(nodes, sizeof nodes, "%d", setting->comm->nodes);
    snprintf(root, sizeof root, "%d", collective_root(setting));
    memcpy(facts,
           (const Fact[]){{"ranks", ranks},
                          {"nodes", nodes},
                          {"type", element_name(setting->type)},
                          {"redop", reduces(setting->ladder->kind) ? reduction_name(setting->op) : "none"},
                          {"root", root},
                          {"in_window", setting->in_window ? "yes" : "no"},
                          {"shared_cache", units_format(read, setting->read, "B/s")},
                          {"memory", units_format(memory, setting->write_read, "B/s")},
                          {0}},
           sizeof facts);
    return facts;
}

const Ladder *
collective_operation(const CollectiveSetting *setting)
{
    static const char *const places[] = {"out", "in", NULL};
    static Rung rungs[LADDER_RUNGS];
    static Ladder ladder;
    const int forced = setting->ladder->kind == COLLECTIVE_ALLREDUCE ? ALLREDUCE_FORCED : 0;
    s = *setting;
    CHECK_THAT(s.ladder->count + forced <= LADDER_RUNGS, "%d rungs of %s", s.ladder->count, s.ladder->name);
    for (int i = 0; i < s.ladder->count + forced; i++)
        rungs[i] = rung_of(i < s.ladder->count ? &s.ladder->rungs[i] : &allreduce_forced[i - s.ladder->count]);
    ladder = (Ladder){.operation = {.name = s.ladder->name,
                                    .formula = s.ladder->formula,
                                    .dimensions = "in bytes",
                                    .dimension_count = 1,
                                    .variants = places,
                                    .unit = unit_of(&s),
                                    .tolerance = "every element of every rank is exactly right",
                                    .lecture = "lectures/06-all-reduce.md",
                                    .create = create,
                                    .refresh = refresh,
                                    .begin = begin,
                                    .run = run,
                                    .verify = verify,
                                    .destroy = destroy,
                                    .accepts = accepts,
                                    .predict = predict,
                                    .flops = no_flops,
                                    .bytes = vector_bytes,
                                    .columns = columns,
                                    .compared = COMPARED_PEER,
                                    .facts = facts_of(&s)},
                      .rungs = rungs,
                      .count = s.ladder->count + forced};
    return &ladder;
}
