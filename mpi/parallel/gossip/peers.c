/* What ranks without a common gradient share (mpi/parallel/gossip/peers.h). SPDX-License-Identifier: MIT */
#include "mpi/parallel/gossip/peers.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/units.h"
#include <math.h>

void *
peers_create(size_t bytes, const Parallel *base, const Net *net)
{
    Peers *peers = array_create(1, bytes);
    peers->parallel = *base;
    peers->parallel.group = (TrainGroup){.context = peers, .part = parallel_part, .synchronise = peers_synchronise};
    peers->parallel.free = peers_free;
    peers->parallel.report = peers_report;
    peers->n = net_parameter_count(net);
    peers->spare = ARRAY(float, peers->n);
    return peers;
}

void
peers_free(Parallel *parallel)
{
    Peers *peers = (Peers *)parallel;
    array_free(peers->spare);
    array_free(peers);
}

static double
sum_of_ranks(const Peers *peers, double x)
{
    peers->parallel.options.collectives->all_reduce(peers->parallel.comm, &x, &x, 1, ELEMENT_DOUBLE, REDUCTION_SUM);
    return x;
}

/* ---- a step ---------------------------------------------------------------------------------------------------------------- */

void
peers_gradient(Peers *peers, Trainer *trainer, TrainStep *step)
{
    if (!peers->apart) {
        peers->loss_before = trainer->position.loss_sum;
        peers->loss = 0;
    }
    peers->apart = true;
    peers->asked |= step->stop;
    step->stop = false;

    /* parallel_gradient weights a slice by b_i / B, its fraction of the global batch. */
    const double loss = parallel_gradient(&peers->parallel, trainer, step) * step->whole;
    float *gradient = net_gradients(trainer->net);
    for (size_t i = 0; i < peers->n; i++)
        gradient[i] *= (float)peers->parallel.workers;
    step->loss = step->batch.size > 0 ? loss / step->batch.size : 0;
    peers->loss += loss;
    peers->steps++;
}

void
peers_update(Trainer *trainer, const TrainStep *step)
{
    const double start = clock_now();
    optimizer_step(trainer->optimizer, net_parameters(trainer->net), net_gradients(trainer->net), step->rate);
    train_record(trainer, "update", start);
}

bool
peers_check_every(const Parallel *base, Error *error)
{
    const PeerOptions *options = base->options.own;
    return options->every >= 1 ||
           error_set(error, "ranks that meet every %d steps are not possible: expected 1 or more", options->every);
}

bool
peers_meet(const Peers *peers, const TrainStep *step)
{
    const PeerOptions *options = peers->parallel.options.own;
    return (step->batch.step + 1) % (uint64_t)options->every == 0;
}

/* What each rank of a ring sends in an all-reduce of n floats (mpi/collectives/allreduce/05_ring.c). */
static double
all_reduce_bytes(const Peers *peers, size_t n)
{
    const double p = peers->parallel.comm->size;
    return 2 * (p - 1) / p * (double)(n * sizeof(float));
}

void
peers_sum(Peers *peers, float *x, size_t n)
{
    peers->parallel.options.collectives->all_reduce(peers->parallel.comm, x, x, n, ELEMENT_FLOAT, REDUCTION_SUM);
    peers->bytes += all_reduce_bytes(peers, n);
}

void
peers_mean(Peers *peers, float *x, size_t n)
{
    peers_sum(peers, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] /= (float)peers->parallel.comm->size;
}

bool
peers_agree(Peers *peers)
{
    peers->asked = sum_of_ranks(peers, peers->asked) > 0;
    return peers->asked;
}

/* ---- synchronisation ---------------------------------------------------------------------------------------------------- */

/* The weights become their mean; how far the ranks were from it is noted. */
static void
synchronise_weights(Peers *peers, float *x)
{
    double far = 0, length = 0;
    memcpy(peers->spare, x, peers->n * sizeof(float));
    peers_mean(peers, x, peers->n);
    for (size_t i = 0; i < peers->n; i++) {
        const double difference = (double)peers->spare[i] - (double)x[i];
        far += difference * difference;
        length += (double)x[i] * (double)x[i];
    }
    peers->distance = sum_of_ranks(peers, sqrt(far)) / peers->parallel.comm->size;
    peers->length = sqrt(length);
}

void
peers_synchronise(void *context, Trainer *trainer)
{
    Peers *peers = context;
    Optimizer *optimizer = trainer->optimizer;
    const double start = clock_now();
    synchronise_weights(peers, net_parameters(trainer->net));
    peers_mean(peers, net_averages(trainer->net), net_average_count(trainer->net));
    for (int s = 0; s < optimizer_state_count(optimizer); s++)
        peers_mean(peers, optimizer_state(optimizer, s, NULL), optimizer_size(optimizer));
    trainer->position.loss_sum = peers->loss_before + sum_of_ranks(peers, peers->loss);
    trainer->stop = peers_agree(peers) || trainer->stop;
    peers->apart = peers->asked = false;
    train_record(trainer, "synchronise", start);
}

/* ---- for people ------------------------------------------------------------------------------------------------------------ */

void
peers_report(Parallel *parallel, FILE *out)
{
    const Peers *peers = (const Peers *)parallel;
    char sent[UNITS_SIZE], reduced[UNITS_SIZE];
    if (parallel->comm->rank != 0 || peers->steps == 0)
        return;
    units_bytes(sent, peers->bytes / (double)peers->steps);
    units_bytes(reduced, all_reduce_bytes(peers, peers->n));
    fprintf(
        out,
        "before the last synchronisation the ranks' weights were %.3g from their mean, %.3g %% of its length %.3g\n",
        peers->distance, 100 * peers->distance / peers->length, peers->length);
    fprintf(out, "rank 0 sent %s in a step, synchronisation included; an all-reduce of the gradient sends %s\n", sent,
            reduced);
}
