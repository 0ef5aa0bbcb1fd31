/* A rank of a training without a common gradient, for test_gossip_mpi.c and test_gossip_training_mpi.c: the clouds of the training
 * fixture, a net, a trainer and its group.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_PEERS_CASE_H
#define TESTS_MPI_PEERS_CASE_H

#include "core/checked_mpi.h"
#include "mpi/parallel/gossip/gossip.h"
#include "tests/mpi/all_agree.h"
#include "tests/nn/training_fixture.h"

typedef struct Peer {
    Fixture fixture;
    Comm *comm;
    Parallel *parallel;
    Net *net;
    Trainer *trainer;
    float *x, *g; /* [n]: weights and gradients */
    size_t n;
    int p, r;
} Peer;

static inline ParallelOptions
peer_options(const char *kind, int every)
{
    static PeerOptions own; /* of which parallel_create makes a copy */
    own = (PeerOptions){.every = every};
    return (ParallelOptions){
        .strategy = kind, .collectives = collectives_named("ring", &error), .own = &own, .straggler = -1};
}

/* The fixture's data, net and trainer are there; this rank joins the others. */
static inline void
peer_join(Peer *peer, const ParallelOptions *options)
{
    peer->comm = comm_create(MPI_COMM_WORLD, 0);
    peer->parallel = parallel_create(peer->comm, peer->fixture.trainer, options, &error);
    ck_assert_ok(peer->parallel);
    peer->net = peer->fixture.net;
    peer->trainer = peer->fixture.trainer;
    peer->x = net_parameters(peer->net);
    peer->g = net_gradients(peer->net);
    peer->n = net_parameter_count(peer->net);
    peer->p = peer->comm->size;
    peer->r = peer->comm->rank;
}

static inline void
peer_create(Peer *peer, const TrainOptions *train, const ParallelOptions *options)
{
    fixture_create(&peer->fixture, train);
    peer_join(peer, options);
}

static inline void
peer_free(Peer *peer)
{
    parallel_free(peer->parallel);
    comm_free(peer->comm);
    fixture_free(&peer->fixture);
}

/* One step of the trainer, which must work. */
static inline double
peer_step(Peer *peer)
{
    double loss;
    const bool good = trainer_step(peer->trainer, &loss, &error);
    ck_assert_ok(all_agree(good));
    return loss;
}

/* y[n] = the sum over the ranks of x[n], in double. */
static inline void
peer_sum(const Peer *peer, const float *x, double *y)
{
    for (size_t i = 0; i < peer->n; i++)
        y[i] = (double)x[i];
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, y, (int)peer->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

/* Whether all |got - want| <= tolerance (1 + |want|). */
static inline bool
peer_near(const float *got, const double *want, size_t n, double tolerance)
{
    bool near = true;
    for (size_t i = 0; i < n; i++) {
        const double difference = (double)got[i] - want[i], size = want[i] < 0 ? -want[i] : want[i];
        near &= difference <= tolerance * (1 + size) && -difference <= tolerance * (1 + size);
    }
    return near;
}

#endif
