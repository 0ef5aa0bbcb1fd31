/* Measuring the network of a communicator. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/model/fit.h"
#include "mpi/model/survey.h"
#include "mpi/point.h"
#include <math.h>

enum {
    MEMORY = 1 << 30, /* bytes of a node that vectors may take */
    LONGEST =
        32 << 20,   /* bytes of the longest message: larger than the last-level cache, with two vectors on each rank */
    SHARE = 1 << 20 /* bytes with which contention is measured */
};

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

/* With rank ^ 1; the last of an odd number has no partner. */
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

static Probe
probe_of(const Probe *buffers, Comm *comm, void (*play)(const Probe *probe, size_t bytes))
{
    return (Probe){.comm = comm, .play = play, .x = buffers->x, .y = buffers->y, .longest = buffers->longest};
}

/* What is measured of a link. */
typedef struct LinkLines {
    SurveyLine line[PATTERNS];
    int alone, together; /* points of some pairs, of all; -1: there are no more pairs */
    int pairs;           /* on a node */
} LinkLines;

/* All nodes at the same time: one pair sends to and fro; then all ranks of the node around a ring, and in pairs. */
static LinkLines
add_within(Survey *survey, const Probe *buffers, Comm *all)
{
    Comm *node = all->node != NULL ? all->node : all;
    const Probe pair = probe_of(buffers, node->rank < 2 ? node : NULL, play_ping_pong);
    const Probe everyone = probe_of(buffers, node, play_ping_pong), shift = probe_of(buffers, node, play_shift);
    const Probe swap = probe_of(buffers, node, play_swap);
    int ranks = node->size;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, all->mpi));
    LinkLines lines = {
        .line = {survey_line(survey, &pair), survey_line(survey, &shift)}, .alone = -1, .pairs = ranks / 2};
    lines.line[PATTERN_SWAP] = ranks > 2 ? survey_line(survey, &swap) : lines.line[PATTERN_SHIFT];
    if (lines.pairs > 1) {
        lines.alone = survey_point(survey, &pair, SHARE);
        lines.together = survey_point(survey, &everyone, SHARE);
    }
    return lines;
}

/* Between the leaders of the nodes; then all ranks, to see what the nodes' lines bear. */
static LinkLines
add_between(Survey *survey, const Probe *buffers, Comm *all)
{
    const bool leads = all->node->rank == 0;
    const Probe pair = probe_of(buffers, leads && all->across->rank < 2 ? all->across : NULL, play_ping_pong);
    const Probe shift = probe_of(buffers, leads ? all->across : NULL, play_shift);
    const Probe swap = probe_of(buffers, leads ? all->across : NULL, play_swap);
    const Probe everyone = probe_of(buffers, all->across, play_shift);
    LinkLines lines = {.line = {survey_line(survey, &pair), survey_line(survey, &shift), survey_line(survey, &swap)},
                       .alone = -1,
                       .pairs = all->node_smallest};
    if (all->node_smallest > 1) {
        lines.alone = survey_point(survey, &shift, SHARE);
        lines.together = survey_point(survey, &everyone, SHARE);
    }
    return lines;
}

/* Of all pairs of a node, what one would have alone: the latency, and its fraction of the bandwidth term. */
static void
undo_contention(Curve *curve, double contention, double pairs)
{
    const double latency = curve_seconds(curve, 0), part = 1 / (1 + contention * (pairs - 1));
    for (int i = 0; i < curve->pieces; i++) {
        curve->piece[i].alpha = latency + (curve->piece[i].alpha - latency) * part;
        curve->piece[i].beta *= part;
    }
}

/* Contention: how much longer a play takes when all do it than when some do, for each pair more. */
static bool
fit_link(const Survey *survey, const LinkLines *lines, bool within, Link *link)
{
    bool good = true;
    *link = (Link){.contention = 0};
    for (int i = 0; i < PATTERNS; i++) {
        const bool fits = survey_fit_line(survey, lines->line[i], i == PATTERN_ONE_WAY ? 0.5 : 1, &link->curve[i]);
        good = good && fits;
    }
    if (lines->alone < 0)
        return good;
    const FitPoint alone = survey_fit(survey, lines->alone), together = survey_fit(survey, lines->together);
    link->contention = fmax(0, (together.seconds / alone.seconds - 1) / (lines->pairs - 1));
    for (int i = PATTERN_SHIFT; i <= PATTERN_SWAP && within; i++)
        undo_contention(&link->curve[i], link->contention, lines->pairs);
    return good && alone.spread <= FIT_SPREAD && together.spread <= FIT_SPREAD;
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

static CostParameters
probe(Comm *comm)
{
    const size_t longest = longest_of(comm);
    const Probe buffers = {
        .comm = comm, .longest = longest, .x = array_create(longest, 1), .y = array_create(longest, 1)};
    const Probe sums = probe_of(&buffers, comm, play_reduce), touches = probe_of(&buffers, comm, play_touch);
    Survey *survey = survey_create(comm);
    const LinkLines within = add_within(survey, &buffers, comm);
    const LinkLines between = comm->nodes > 1 ? add_between(survey, &buffers, comm) : within;
    const SurveyLine reduce = survey_line(survey, &sums), touch = survey_line(survey, &touches);
    survey_measure(survey);
    CostParameters network = {.flag = 0};
    const bool good[] = {fit_link(survey, &within, true, &network.within),
                         fit_link(survey, &between, comm->nodes == 1, &network.between),
                         survey_fit_line(survey, reduce, 1, &network.reduce),
                         survey_fit_line(survey, touch, 1, &network.touch)};
    network.noisy = !(good[0] && good[1] && good[2] && good[3]);
    network.flag = curve_seconds(&network.within.curve[PATTERN_ONE_WAY], 0); /* a message's: a flag alone is faster */
    survey_free(survey);
    array_free(buffers.x);
    array_free(buffers.y);
    return network;
}

const CostParameters *
cost_parameters_of(Comm *comm)
{
    if (comm->model == NULL) {
        comm->model = ARRAY(CommModel, 1);
        CostParameters *network = &comm->model->network;
        *network = comm->size > 1 ? probe(comm) : cost_parameters_textbook(0, 0, 0);
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
