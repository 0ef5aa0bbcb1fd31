/* Gossip: D-PSGD, decentralised parallel SGD (Lian et al. 2017, arXiv:1705.09056). SPDX-License-Identifier: MIT
 *
 * Idea      no rank waits for all: each averages its weights with those of its two neighbours on a ring, and takes its own step.
 *
 *                 1 --------- 2                                   0    1    2    3    4
 *                /             \                              0  1/3  1/3   .    .   1/3
 *               0               3                             1  1/3  1/3  1/3   .    .
 *                `---.     .---'                         W =  2   .   1/3  1/3  1/3   .
 *                     `-4-'                                   3   .    .   1/3  1/3  1/3
 *               each line weighs 1/3,                         4  1/3   .    .   1/3  1/3
 *               a rank's own weights 1/3                      two ranks: 1/2 each; one rank: SGD
 *
 *               x_i <- sum over j of W_ij x_j - eta g_i(x_i)
 *
 *           Columns of W add up to 1: mixing leaves the mean of all x_i where it is, and the mean moves by eta times the mean
 *           gradient, as in synchronous SGD. Rows do too: equal weights stay equal. What is not equal goes away: a wave around
 *           the ring, x_i = cos(2 pi k i / p), is multiplied by 1/3 + 2/3 cos(2 pi k / p) in each step. k = 1 is the slowest; for
 *           large p it lives for about 3 p^2 / (4 pi^2) steps, which is what decentralised training pays with.
 * Overlap   the neighbours' weights do not depend on the gradient: x_i is sent while forward and backward compute. No thread
 *           is needed, but MPI may move long messages in calls only: each layer's gradient makes one (point_test).
 * Cost      2 messages of n bytes out and 2 in: 2 alpha + 2 n beta for a port that sends one after the other (and two numbers for
 *           the end). A ring's all-reduce sends 2 n (p - 1) / p bytes, hardly less, but in 2 (p - 1) messages of which each waits
 *           for the one before: gossip saves latency, and a slow rank holds up its neighbours before it holds up all.
 * Ending    a rank that is told to end in step t sends t + p / 2 to its neighbours, they to theirs, and the smallest number
 *           wins. After p / 2 steps the far side of the ring knows it, and all end in the same step without a collective. */
#include "core/array.h"
#include "core/clock.h"
#include "mpi/parallel/gossip/peers.h"

enum { NEIGHBOURS = 2 };

typedef struct Neighbour {
    int rank;
    float *x; /* [n]: its weights */
    int64_t end;
    Pending messages[4]; /* to it and from it: weights, end */
} Neighbour;

typedef struct Gossip {
    Peers peers;
    int neighbours; /* fewer than 2 where there are fewer than 3 ranks */
    Neighbour neighbour[NEIGHBOURS];
    int64_t end; /* the step after which all end; INT64_MAX: none */
} Gossip;

/* Weights and end to both neighbours and from them. x stays as it is until they have arrived. */
static void
begin_messages(Gossip *gossip, const float *x)
{
    Comm *comm = gossip->peers.parallel.comm;
    const size_t n = gossip->peers.n;
    for (int i = 0; i < gossip->neighbours; i++) {
        Neighbour *to = &gossip->neighbour[i];
        point_begin_receive(comm, to->rank, to->x, n, ELEMENT_FLOAT, &to->messages[0]);
        point_begin_receive(comm, to->rank, &to->end, 1, ELEMENT_INT64, &to->messages[1]);
    }
    for (int i = 0; i < gossip->neighbours; i++) {
        Neighbour *to = &gossip->neighbour[i];
        point_begin_send(comm, to->rank, x, n, ELEMENT_FLOAT, &to->messages[2]);
        point_begin_send(comm, to->rank, &gossip->end, 1, ELEMENT_INT64, &to->messages[3]);
        gossip->peers.bytes += (double)(n * sizeof(float) + sizeof(int64_t));
    }
}

/* A hook of run_backward: lets MPI move the messages on. */
static void
move_on(void *context, size_t first, size_t count)
{
    Gossip *gossip = context;
    (void)first, (void)count;
    for (int i = 0; i < gossip->neighbours; i++)
        for (int m = 0; m < 4; m++)
            point_test(&gossip->neighbour[i].messages[m]);
}

static void
wait_for_messages(Gossip *gossip)
{
    for (int i = 0; i < gossip->neighbours; i++)
        for (int m = 0; m < 4; m++)
            point_wait(&gossip->neighbour[i].messages[m]);
    for (int i = 0; i < gossip->neighbours; i++)
        if (gossip->neighbour[i].end < gossip->end)
            gossip->end = gossip->neighbour[i].end;
}

/* x = the mean of x and the neighbours'. */
static void
mix(const Gossip *gossip, float *x)
{
    const float weight = 1.0f / (float)(1 + gossip->neighbours);
    const float *a = gossip->neighbour[0].x, *b = gossip->neighbour[1].x;
    for (size_t i = 0; i < gossip->peers.n && gossip->neighbours == 1; i++)
        x[i] = weight * (x[i] + a[i]);
    for (size_t i = 0; i < gossip->peers.n && gossip->neighbours == 2; i++)
        x[i] = weight * (x[i] + (a[i] + b[i]));
}

static void
learn(void *context, Trainer *trainer, TrainStep *step)
{
    Gossip *gossip = context;
    const int64_t now = (int64_t)step->batch.step, notice = gossip->peers.parallel.comm->size / 2;
    float *x = net_parameters(trainer->net);
    if (step->stop && now + notice < gossip->end)
        gossip->end = now + notice;

    begin_messages(gossip, x);
    net_on_gradient(trainer->net, move_on, gossip);
    peers_gradient(&gossip->peers, trainer, step);
    net_on_gradient(trainer->net, NULL, NULL);

    const double start = clock_now();
    wait_for_messages(gossip);
    mix(gossip, x);
    train_record(trainer, "mix", start);
    peers_update(trainer, step);
    step->stop = now >= gossip->end;
}

static void
synchronise(void *context, Trainer *trainer)
{
    Gossip *gossip = context;
    peers_synchronise(context, trainer);
    if (trainer->stop)
        gossip->end = INT64_MAX;
}

static void
free_gossip(Parallel *parallel)
{
    Gossip *gossip = (Gossip *)parallel;
    for (int i = 0; i < NEIGHBOURS; i++)
        array_free(gossip->neighbour[i].x);
    peers_free(parallel);
}

Parallel *
gossip_create(const Parallel *base, Net *net, Error *error)
{
    const int p = base->comm->size, r = base->comm->rank, next = (r + 1) % p, before = (r + p - 1) % p;
    Gossip *gossip = peers_create(sizeof(Gossip), base, net);
    (void)error;
    gossip->neighbours = p < 3 ? p - 1 : NEIGHBOURS; /* of two ranks, the next is also the one before */
    gossip->neighbour[0].rank = before;
    gossip->neighbour[1].rank = next;
    for (int i = 0; i < gossip->neighbours; i++)
        gossip->neighbour[i].x = ARRAY(float, gossip->peers.n);
    gossip->end = INT64_MAX;
    gossip->peers.parallel.group.learn = learn;
    gossip->peers.parallel.group.synchronise = synchronise;
    gossip->peers.parallel.free = free_gossip;
    return &gossip->peers.parallel;
}
