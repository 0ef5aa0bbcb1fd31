/* Elastic averaging SGD, in its synchronous form (Zhang, Choromanska, LeCun 2015, arXiv:1412.6651). SPDX-License-Identifier: MIT
 *
 * Idea      each rank's weights hang on a spring to a centre c; the springs pull the ranks towards the centre, and it towards them.
 *
 *                   x_0
 *                    \                     x_i <- x_i - eta g_i(x_i) - alpha (x_i - c)
 *                     \/\/\.               c   <- c + alpha sum over i of (x_i - c)
 *                           c /\/\/ x_2
 *                      /\/\'               both from the x_i and c before the step; alpha = eta rho, rho the springs' stiffness
 *                     /
 *                   x_1
 *
 *           Ranks may explore: unlike local SGD's mean, the spring gives way. The centre is the mean of their weights over
 *           ranks and time, and is the result. Springs pull every `every` steps (tau), and before all synchronise to the
 *           centre, from where they go on: the paper's ranks never do, but a checkpoint has room for one of them.
 * Stable    without gradients the ranks' mean m keeps what it gives: m - c is multiplied by 1 - alpha - p alpha. So alpha must be
 *           below 2 / (p + 1), or the centre swings ever further; the paper's p alpha = 0.9 is what elasticity 0 stands for.
 * Cost      an all-reduce of the differences, / tau. Every rank has a replica of the centre, with the same bits, adding the
 *           same sums. */
#include "core/array.h"
#include "core/clock.h"
#include "mpi/parallel/gossip/peers.h"

typedef struct Elastic {
    Peers peers;
    double alpha;
    float *centre; /* [n] */
} Elastic;

/* The springs pull at x and at the centre. */
static void
pull(Elastic *elastic, float *x)
{
    Peers *peers = &elastic->peers;
    const float alpha = (float)elastic->alpha;
    float *c = elastic->centre, *difference = peers->spare;
    for (size_t i = 0; i < peers->n; i++) {
        difference[i] = x[i] - c[i];
        x[i] -= alpha * difference[i];
    }
    peers_sum(peers, difference, peers->n);
    for (size_t i = 0; i < peers->n; i++)
        c[i] += alpha * difference[i];
}

static void
learn(void *context, Trainer *trainer, TrainStep *step)
{
    Elastic *elastic = context;
    Peers *peers = &elastic->peers;
    float *x = net_parameters(trainer->net);
    if (!peers->apart) /* all have the same weights: new, synchronised or restored */
        memcpy(elastic->centre, x, peers->n * sizeof(float));
    peers_gradient(peers, trainer, step);
    if (peers_meet(peers, step)) {
        const double start = clock_now();
        pull(elastic, x);
        step->stop = peers_agree(peers);
        train_record(trainer, "pull", start);
    }
    peers_update(trainer, step);
}

/* As peers_synchronise, but to the centre, after a last pull, so that what a rank has learned since is included. */
static void
synchronise(void *context, Trainer *trainer)
{
    Elastic *elastic = context;
    pull(elastic, net_parameters(trainer->net));
    peers_synchronise(context, trainer);
    memcpy(net_parameters(trainer->net), elastic->centre, elastic->peers.n * sizeof(float));
}

static void
free_elastic(Parallel *parallel)
{
    array_free(((Elastic *)parallel)->centre);
    peers_free(parallel);
}

Parallel *
easgd_create(const Parallel *base, Net *net, Error *error)
{
    const PeerOptions *options = base->options.own;
    const int p = base->comm->size;
    const double most = 2.0 / (p + 1), alpha = options->elasticity;
    if (!peers_check_every(base, error))
        return NULL;
    if (!(alpha >= 0 && alpha < most))
        return error_set(error,
                         "the elasticity is %g, expected 0 (for 0.9 / ranks) or more, and below 2 / (ranks + 1) = %g, "
                         "where the centre begins to swing ever further",
                         alpha, most),
               NULL;
    Elastic *elastic = peers_create(sizeof(Elastic), base, net);
    elastic->alpha = alpha > 0 ? alpha : 0.9 / p;
    elastic->centre = ARRAY(float, elastic->peers.n);
    elastic->peers.parallel.group.learn = learn;
    elastic->peers.parallel.group.synchronise = synchronise;
    elastic->peers.parallel.free = free_elastic;
    return &elastic->peers.parallel;
}
