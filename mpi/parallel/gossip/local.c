/* Local SGD (Stich 2019, arXiv:1805.09767; McMahan et al. 2017, arXiv:1602.05629, call it federated averaging).
 * SPDX-License-Identifier: MIT
 *
 * Idea      every rank takes steps of its own, and every `every` steps (tau) an all-reduce replaces all weights by their mean.
 *
 *               rank 0  x---x---x.     .x---x---x.     .x
 *               rank 1  x---x---x-mean--x---x---x-mean--x       tau = 3
 *               rank 2  x---x---x'     `x---x---x'     `x
 *
 * Cost      that of an all-reduce, / tau: latency and bytes both.
 * Price     between two averages each rank follows the gradients of its own samples; the mean of p such walks is not the walk
 *           of the mean gradient. tau = 1 with plain SGD or momentum is synchronous SGD, to rounding, as all of it is linear:
 *           mean(x_i - eta g_i) = x - eta mean(g_i). */
#include "core/clock.h"
#include "mpi/parallel/gossip/peers.h"

static void
learn(void *context, Trainer *trainer, TrainStep *step)
{
    Peers *peers = context;
    peers_gradient(peers, trainer, step);
    peers_update(trainer, step);
    if (!peers_meet(peers, step))
        return;
    const double start = clock_now();
    peers_mean(peers, net_parameters(trainer->net), peers->n);
    step->stop = peers_agree(peers);
    train_record(trainer, "average", start);
}

Parallel *
local_create(const Parallel *base, Net *net, Error *error)
{
    if (!peers_check_every(base, error))
        return NULL;
    Peers *peers = peers_create(sizeof(Peers), base, net);
    peers->parallel.group.learn = learn;
    return &peers->parallel;
}
