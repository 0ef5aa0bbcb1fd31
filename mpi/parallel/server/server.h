/* Training with parameter servers: some ranks keep the weights and do not train, the others (workers) send them gradients and get
 * new weights back. SPDX-License-Identifier: MIT
 *
 *     rank   0         1         2   3   4   5   6
 *            server 0  server 1  workers 0 .. 4            --servers 2
 *            weights   weights a push goes to every server, to each the gradient of its slice; from each comes its slice of the
 *            0 .. n/2  n/2 .. n  weights, a new model version M
 *
 * "server", synchronous: the servers wait for all workers, add their gradients in the order of the workers, and take one step.
 * It is the step of one process with the global batch, with the same bits on all ranks and in every run.
 *
 *     server     M0                          M1                          M2
 *                                       g g  |                      g g  |
 *     worker 0   [== from M0 ==]--------'-|->[== from M1 ==]--------'-|->[
 *     worker 1   [===== from M0 =====]----'->[===== from M1 =====]----'->[       worker 0 waits for worker 1
 *
 * "async", asynchronous: a push makes a new version at once, whichever worker sent it, and is answered with it. No worker waits
 * for a slower one; but a gradient is of weights that others have updated since. How many versions since is its staleness:
 *
 *     server     M0          M1        M2             M3         M4
 *                          0 |       1 |            1 |        1 |      staleness of the push that makes it
 *     worker 0   [= from M0 =][====== from M1 ========][==== from M3 ====
 *     worker 1   [====== from M0 ======][====== from M2 ========][== from M4
 *
 * N equal workers: each push meets those of the N - 1 others, so its staleness is N - 1. Steps with gradients that are k versions
 * old come to the minimum of lambda w^2 / 2 only while rate lambda < 2 sin(pi / (2 (2k + 1))): 2 for k = 0, 1 for k = 1, about
 * pi / (2k + 1) for large k. So the staleness bounds the rate.
 *
 * The bound s (stale synchronous parallel): a worker is answered only when the slowest has pushed at most s times less than it.
 * With s = 0 they go in step; s < 0 is any. Between two pushes of a worker each other one can then push 2s + 1 times, not more, so
 * no push is staler than (N - 1)(2s + 1).
 *
 * A push contains the rate of the server's step: the learning rate times the worker's fraction of the global batch. So N pushes
 * move the weights as far as a synchronous step, with Adam and weight decay too, and a worker without samples moves nothing.
 *
 * When do all ranks have the same? Synchronous: workers always, servers when the ranks synchronise (at the end of an epoch, and
 * before a stop). Asynchronous: when they synchronise, and a stop waits for that. Running averages (batch normalisation) are
 * then the mean of the workers'. A checkpoint written there holds all, and goes on with any number of workers and servers.
 *
 * In the synchronous kind a loss or weight that is not finite ends the training on all ranks; in the asynchronous kind on the rank
 * that meets it, and the caller must end the others (process_abort).
 *
 * Li et al. 2014, "Scaling Distributed Machine Learning with the Parameter Server" (slices of the weights); Dean et al. 2012,
 * "Large Scale Distributed Deep Networks" (Downpour SGD: asynchronous); Ho et al. 2013, "More Effective Distributed ML via a Stale
 * Synchronous Parallel Parameter Server" (the bound); Chen et al. 2016, arXiv:1604.00981 (why synchronous training came back). */
#ifndef MPI_PARALLEL_SERVER_H
#define MPI_PARALLEL_SERVER_H

#include "mpi/parallel/parallel.h"

/* Strategy.create. They refuse servers that leave no worker. */
Parallel *server_create(const Parallel *base, Net *net, Error *error);
Parallel *async_create(const Parallel *base, Net *net, Error *error);

enum { STALENESS_KEPT = 64 };

/* What this rank has seen since it was created. All integers are 64 bits, to be added over ranks. */
typedef struct ServerCounts {
    int64_t pushes;                    /* taken by a server, or made by a worker: one to each server counts once */
    int64_t bytes;                     /* of all messages, in and out */
    int64_t staleness[STALENESS_KEPT]; /* server: pushes by staleness; the last: this or more */
    int64_t most_stale;                /* server: of one push */
    int64_t most_ahead; /* server: how many more pushes the worker had made, when one came, than the slowest */
    double waited;      /* seconds: a worker's from its push to its new weights, a server's for a push */
} ServerCounts;

/* Of a Parallel of one of these strategies; owned by it. */
const ServerCounts *server_counts(const Parallel *parallel);

#endif
