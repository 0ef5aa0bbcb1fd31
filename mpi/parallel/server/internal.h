/* What the files of this folder share (server.h says what it is all for). SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_SERVER_INTERNAL_H
#define MPI_PARALLEL_SERVER_INTERNAL_H

#include "mpi/parallel/server/server.h"

typedef struct ParameterServer {
    Parallel parallel; /* first: the context of its TrainGroup is both */
    ServerOptions options;
    Net *net;
    Comm *pushes; /* the same ranks: messages on it are pushes, never those of a collective */
    bool asynchronous;
    bool begun; /* since the last synchronisation */

    /* A server's. */
    Optimizer *optimizer; /* of its slice; the trainer's has its state after a synchronisation */
    int64_t version;      /* of its slice: updates since the last synchronisation */
    int64_t *clock;       /* [workers]: pushes of each since then */
    bool *held;           /* [workers]: it waits for its answer */

    /* A worker's. */
    double *versions; /* [servers]: of the slices that it has */
    Pending *answers; /* [2 servers]: under way */

    /* Asynchronous, for synchronisation. */
    double losses, losses_before; /* sums over samples: of this rank since then, of the epoch before that */
    bool stop;                    /* this rank was asked to */

    ServerCounts counts;
} ParameterServer;

/* The header of a worker's message to a server, followed by the gradient of the server's slice. */
typedef struct Push {
    int worker;
    int64_t version; /* of the weights that the gradient is of */
    double rate;     /* how far to go */
    double loss;     /* contribution to the global batch's mean */
} Push;

/* create.c: the slice of server s. */
Chunk server_part(const ParameterServer *ps, int s);
static inline Chunk
my_part(const ParameterServer *ps)
{
    return server_part(ps, ps->parallel.comm->rank);
}

/* messages.c. A worker: from the net's gradient to new weights. */
void push_and_pull(ParameterServer *ps, Trainer *trainer, double rate, double loss);
/* A server: a push of this worker, or of any that comes, into gradient[my_part().count]; and the answer, the slice as it is
 * now. */
enum { ANY_WORKER = -1 };
Push take_push(ParameterServer *ps, int worker, float *gradient);
void answer_push(ParameterServer *ps, int worker);

/* synchronise.c. What is to be done before the first step after a synchronisation. */
void server_begin(ParameterServer *ps, Trainer *trainer);
void server_synchronise(void *context, Trainer *trainer);

/* A server: updates its slice, which is then a new version. */
void server_update(ParameterServer *ps, Trainer *trainer, const float *gradient, double rate);

/* synchronous.c, asynchronous.c: TrainGroup.learn. */
void learn_in_step(void *context, Trainer *trainer, TrainStep *step);
void learn_as_they_come(void *context, Trainer *trainer, TrainStep *step);

/* report.c */
void server_report(Parallel *parallel, FILE *out);

#endif
