/* What the files of this folder share (server.h says what it is all for). SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_SERVER_INTERNAL_H
#define MPI_PARALLEL_SERVER_INTERNAL_H

#include "mpi/parallel/server/server.h"

typedef struct ParameterServer {
    Parallel parallel; /* first: the team's context is both */
    ServerOptions options;
    Net *net;
    Comm *
        pushes; /* the same ranks: what comes from anyone on it is a push, never part of a collective that its sender is at */
    bool asynchronous;
    bool begun; /* since the trainer settled last */

    /* A server's. */
    Optimizer *optimizer; /* of its part; the trainer's has its state when the trainer has settled */
    int64_t version;      /* of its part: how often it moved since the trainer settled */
    int64_t *clock;       /* [workers]: pushes of each since then */
    bool *held;           /* [workers]: it waits for its answer */

    /* A worker's. */
    double *versions; /* [servers]: of the parts that it has */
    Pending *answers; /* [2 servers]: under way */

    /* Asynchronous, for when the trainer settles. */
    double losses, losses_before; /* sums over samples: of this rank since then, of the epoch before that */
    bool stop;                    /* this rank was asked to */

    ServerCounts counts;
} ParameterServer;

/* A worker's word to a server, followed by the gradient of the server's part. */
typedef struct Push {
    int worker;
    int64_t version; /* of the weights that the gradient is of */
    double rate;     /* how far to go */
    double loss;     /* share of the batch's mean */
} Push;

/* create.c: the part of server s. */
Chunk server_part(const ParameterServer *ps, int s);
static inline Chunk
my_part(const ParameterServer *ps)
{
    return server_part(ps, ps->parallel.comm->rank);
}

/* messages.c. A worker: from the net's gradient to new weights. */
void push_and_pull(ParameterServer *ps, Trainer *trainer, double rate, double loss);
/* A server: a push of this worker, or of any that comes, into gradient[my_part().count]; and the answer, the part as it is now. */
enum { ANY_WORKER = -1 };
Push take_push(ParameterServer *ps, int worker, float *gradient);
void answer_push(ParameterServer *ps, int worker);

/* settle.c. What is to be done before the first step after the trainer settled. */
void server_begin(ParameterServer *ps, Trainer *trainer);
void server_settle(void *context, Trainer *trainer);

/* A server: moves its part, which is then a new version. */
void server_update(ParameterServer *ps, Trainer *trainer, const float *gradient, double rate);

/* synchronous.c, asynchronous.c: TrainTeam.learn. */
void learn_in_step(void *context, Trainer *trainer, TrainStep *step);
void learn_as_they_come(void *context, Trainer *trainer, TrainStep *step);

/* report.c */
void server_report(Parallel *parallel, FILE *out);

#endif
