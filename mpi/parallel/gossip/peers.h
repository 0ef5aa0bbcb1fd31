/* Ranks without a centre or a common gradient: each has weights of its own, learns from its own slice of every global batch
 * with an optimiser of its own, and from time to time the weights are averaged. The strategies differ in how:
 *
 *     gossip.c   D-PSGD: in every step with the two neighbours on a ring
 *     local.c    local SGD: every few steps all of them, by an all-reduce
 *     easgd.c    EASGD: every few steps all of them a little, by springs to a centre
 *
 * This is what they share. Rank i's gradient is the mean over its own slice, times the slice's size relative to an even one:
 *
 *     g_i = p b_i / B * mean over its b_i samples, so that the mean of all g_i is the mean over the global batch of B samples
 *
 * (of an even slice, b_i = B / p, it is just the mean; a rank without samples has a gradient of zeros). With it the mean of all
 * weights moves as synchronous SGD would, but for the gradients being taken at p points that differ a little.
 *
 * At the end of an epoch and before a stop all ranks synchronise:
 *
 *     weights             the mean over the ranks (EASGD: the centre)
 *     optimiser's state   the mean: of velocities it is the velocity that the mean of the weights has moved with, as both are
 *                         linear in the gradients; of Adam's v it is one rank's mean square. A checkpoint has room for one
 *     running averages    the mean: each rank's are of its own slices, and so lack the variance between the means of the slices
 *     loss                the sum. Until then TrainStep.loss is the mean over the rank's own slice: 0 where that is empty
 *
 * After it all have the same bits. Ranks that are told to end are not all told in the same step: they agree at the next
 * synchronisation.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PEERS_H
#define MPI_PEERS_H

#include "mpi/parallel/gossip/gossip.h"

typedef struct Peers {
    Parallel parallel;       /* first: a Peers is a Parallel, and first in the struct of each strategy */
    size_t n;                /* weights */
    float *spare;            /* [n] */
    bool apart;              /* since they were last synchronised */
    bool asked;              /* this rank was told to end */
    double loss_before;      /* position.loss_sum at the last synchronisation .. */
    double loss;             /* .. and what this rank has added since */
    double distance, length; /* before the last synchronisation: mean over the ranks of |x_i - mean|, and |mean| */
    uint64_t steps;
    double bytes; /* sent by this rank in these steps */
} Peers;

/* A struct of `bytes` bytes, a Peers first, filled for a net in the host's memory. The strategy adds learn, and synchronise or
 * free where it has more to do than peers_synchronise and peers_free. */
void *peers_create(size_t bytes, const Parallel *base, const Net *net);
void peers_free(Parallel *parallel);

/* g_i into the net's gradients; step->loss, and step->stop = false: peers_agree says when. */
void peers_gradient(Peers *peers, Trainer *trainer, TrainStep *step);

/* One step of the rank's own optimiser with these gradients. */
void peers_update(Trainer *trainer, const TrainStep *step);

/* For strategies that average every `every` steps: whether they do in this one. It depends on the step alone, so that a resumed
 * run averages in the same steps. */
bool peers_meet(const Peers *peers, const TrainStep *step);

bool peers_check_every(const Parallel *base, Error *error); /* false with a sentence: it is below 1 */

/* x[n] becomes its sum or its mean over the ranks, the same bits on all. Its bytes count as a ring's, which sends the fewest. */
void peers_sum(Peers *peers, float *x, size_t n);
void peers_mean(Peers *peers, float *x, size_t n);

/* Whether any rank was told to end. All ranks call. */
bool peers_agree(Peers *peers);

/* TrainGroup.synchronise: as above. */
void peers_synchronise(void *peers, Trainer *trainer);

/* Parallel.report: how far the ranks were apart, and bytes beside those of an all-reduce of the gradient in each step. */
void peers_report(Parallel *parallel, FILE *out);

#endif
