/* Measuring the network of a communicator. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/stats.h"
#include "mpi/model/fit.h"
#include "mpi/point.h"
#include <math.h>
#include <string.h>

enum {
    MEMORY = 1 << 30,   /* bytes of a node that vectors may take */
    LONGEST = 32 << 20, /* bytes of the longest message: more than caches hold, with two vectors on each rank */
    SAMPLES = 5,        /* of which the median counts */
    SHARE = 1 << 20     /* bytes with which contention is measured */
};

static const double slow = 20e-3;    /* seconds: no message that takes longer is followed by longer ones */
static const double sample = 0.5e-3; /* seconds that a sample should last, by repetition */

/* What some ranks do over and over again, while those without a part wait. */
typedef struct Probe {
    Comm *comm; /* in which messages go: the whole, a node, those at one place of the nodes. NULL: no part in it */
    void (*play)(const struct Probe *probe, size_t bytes);
    char *x, *y; /* [longest] */
    size_t longest;
} Probe;

static void
play_ping_pong(const Probe *probe, size_t bytes)
{
    Comm *comm = probe->comm;
    const int other = comm->rank ^ 1;
    if (other >= comm->size)
        return;
    if (comm->rank % 2 == 0) {
        point_send(comm, other, probe->x, bytes, ELEMENT_BYTE);
        point_receive(comm, other, probe->y, bytes, ELEMENT_BYTE);
    } else {
        point_receive(comm, other, probe->y, bytes, ELEMENT_BYTE);
        point_send(comm, other, probe->x, bytes, ELEMENT_BYTE);
    }
}

/* With rank ^ 1; the last of an odd number has nobody. */
static void
play_swap(const Probe *probe, size_t bytes)
{
    const int other = probe->comm->rank ^ 1;
    if (other < probe->comm->size)
        point_exchange(probe->comm, other, probe->x, bytes, other, probe->y, bytes, ELEMENT_BYTE);
}

static void
play_shift(const Probe *probe, size_t bytes)
{
    Comm *comm = probe->comm;
    const int p = comm->size, next = (comm->rank + 1) % p, before = (comm->rank + p - 1) % p;
    point_exchange(comm, next, probe->x, bytes, before, probe->y, bytes, ELEMENT_BYTE);
}

static void
play_reduce(const Probe *probe, size_t bytes)
{
    combine(REDUCTION_MAX, ELEMENT_FLOAT, bytes / sizeof(float), probe->x, probe->y, probe->x);
}

static void
play_touch(const Probe *probe, size_t bytes)
{
    combine(REDUCTION_MAX, ELEMENT_FLOAT, bytes / sizeof(float), probe->x, probe->x, probe->x);
}

/* Seconds of one play, those of the slowest rank, the same on all. */
static double
seconds_of(Comm *all, const Probe *probe, size_t bytes, int repeats)
{
    CHECK_MPI(MPI_Barrier(all->mpi));
    const double begin = clock_now();
    for (int i = 0; probe->comm != NULL && i < repeats; i++)
        probe->play(probe, bytes);
    double seconds = (clock_now() - begin) / repeats;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, all->mpi));
    return seconds;
}

/* The median, after a play that shows how many make a sample. */
static double
measure(Comm *all, const Probe *probe, size_t bytes)
{
    const double once = seconds_of(all, probe, bytes, 1);
    const int repeats = once >= sample ? 1 : (int)fmin(sample / once + 1, 100);
    const int samples = once >= slow / 4 ? 3 : SAMPLES;
    double seconds[SAMPLES];
    for (int i = 0; i < samples; i++)
        seconds[i] = seconds_of(all, probe, bytes, repeats);
    return stats_median(seconds, (size_t)samples);
}

/* Over sizes of 8 bytes to LONGEST; of each play `factor` counts. */
static Curve
curve_of(Comm *all, const Probe *probe, double factor)
{
    double bytes[32], seconds[32];
    int count = 0;
    for (size_t n = 8; n <= probe->longest; n *= n < 1024 ? 8 : 2) {
        bytes[count] = (double)n;
        seconds[count] = factor * measure(all, probe, n);
        if (seconds[count++] > slow && count > 2)
            break;
    }
    return curve_fit(bytes, seconds, count);
}

static Probe
probe_of(const Probe *buffers, Comm *comm, void (*play)(const Probe *probe, size_t bytes))
{
    return (Probe){.comm = comm, .play = play, .x = buffers->x, .y = buffers->y, .longest = buffers->longest};
}

/* How much longer a play takes when all do it than when some do, for each pair more. */
static double
contention_of(Comm *all, const Probe *some, const Probe *everyone, double more)
{
    const double alone = measure(all, some, SHARE), together = measure(all, everyone, SHARE);
    return fmax(0, (together / alone - 1) / more);
}

/* Of all pairs of a node, what one would have alone: the latency, and its part of the rest. */
static void
undo_contention(Curve *curve, double contention, double pairs)
{
    const double latency = curve_seconds(curve, 0), part = 1 / (1 + contention * (pairs - 1));
    for (int i = 0; i < curve->pieces; i++) {
        curve->piece[i].alpha = latency + (curve->piece[i].alpha - latency) * part;
        curve->piece[i].beta *= part;
    }
}

/* All nodes at the same time: one pair sends to and fro; then all ranks of the node around a ring, and in pairs. */
static Link
probe_within(Comm *all, const Probe *buffers, Comm *node)
{
    const Probe pair = probe_of(buffers, node->rank < 2 ? node : NULL, play_ping_pong);
    const Probe everyone = probe_of(buffers, node, play_ping_pong), shift = probe_of(buffers, node, play_shift);
    const Probe swap = probe_of(buffers, node, play_swap);
    Link link = {.curve = {curve_of(all, &pair, 0.5), curve_of(all, &shift, 1)}};
    int ranks = node->size;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, all->mpi));
    link.curve[PATTERN_SWAP] = ranks > 2 ? curve_of(all, &swap, 1) : link.curve[PATTERN_SHIFT];
    if (ranks / 2 > 1) {
        link.contention = contention_of(all, &pair, &everyone, ranks / 2 - 1);
        undo_contention(&link.curve[PATTERN_SHIFT], link.contention, ranks / 2);
        undo_contention(&link.curve[PATTERN_SWAP], link.contention, ranks / 2);
    }
    return link;
}

/* Between the leaders of the nodes; then all ranks, to see what the nodes' lines bear. */
static Link
probe_between(Comm *all, const Probe *buffers)
{
    const bool leads = all->node->rank == 0;
    const Probe pair = probe_of(buffers, leads && all->across->rank < 2 ? all->across : NULL, play_ping_pong);
    const Probe shift = probe_of(buffers, leads ? all->across : NULL, play_shift);
    const Probe swap = probe_of(buffers, leads ? all->across : NULL, play_swap);
    const Probe everyone = probe_of(buffers, all->across, play_shift);
    Link link = {.curve = {curve_of(all, &pair, 0.5), curve_of(all, &shift, 1), curve_of(all, &swap, 1)}};
    if (all->node_smallest > 1)
        link.contention = contention_of(all, &shift, &everyone, all->node_smallest - 1);
    return link;
}

/* Vectors as long as memory allows: two on each rank, of which a node may have many. */
static size_t
longest_of(Comm *comm)
{
    int ranks = comm->node != NULL ? comm->node->size : comm->size;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, comm->mpi));
    size_t longest = LONGEST;
    while (longest > SHARE && 2 * longest * (size_t)ranks > MEMORY)
        longest /= 2;
    return longest;
}

static Network
probe(Comm *comm)
{
    const size_t longest = longest_of(comm);
    const Probe buffers = {
        .comm = comm, .longest = longest, .x = array_create(longest, 1), .y = array_create(longest, 1)};
    const Probe sums = probe_of(&buffers, comm, play_reduce), touches = probe_of(&buffers, comm, play_touch);
    Network network = {.within = probe_within(comm, &buffers, comm->node != NULL ? comm->node : comm)};
    network.between = comm->nodes > 1 ? probe_between(comm, &buffers) : network.within;
    network.reduce = curve_of(comm, &sums, 1);
    network.touch = curve_of(comm, &touches, 1);
    network.flag = curve_seconds(&network.within.curve[PATTERN_ONE_WAY], 0); /* a message's: a flag alone is faster */
    array_free(buffers.x);
    array_free(buffers.y);
    return network;
}

const Network *
network_of(Comm *comm)
{
    if (comm->model == NULL) {
        comm->model = ARRAY(CommModel, 1);
        Network *network = &comm->model->network;
        *network = comm->size > 1 ? probe(comm) : network_textbook(0, 0, 0);
        CHECK_MPI(MPI_Bcast(network, sizeof(*network), MPI_BYTE, 0, comm->mpi)); /* that of rank 0 goes for all */
    }
    return &comm->model->network;
}

CostCase
cost_case(const Comm *comm, const char *operation, const char *rung, size_t n, Element type, bool out_of_place)
{
    return (CostCase){.operation = operation,
                      .rung = rung,
                      .p = comm->size,
                      .per_node = comm->node_largest, /* not p / nodes: 5 ranks may be 4 and 1 */
                      .node_of = comm->node_of,
                      .n = n,
                      .element = element_size(type),
                      .out_of_place = out_of_place};
}
