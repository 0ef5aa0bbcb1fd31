/* What it does to gradient descent when many workers share it: on problems so small that the answer is a formula, and played
 * through beside it, so that the formula can be doubted. Rates, distances and times have no units but those of the caller.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_DESCENT_H
#define MPI_MODEL_DESCENT_H

#include <stdint.h>

/* ---- late gradients: asynchronous SGD ----
 *
 * Descent on f(w) = lambda w^2 / 2 with gradients of weights that are k steps old: w[t + 1] = w[t] - eta lambda w[t - k]. k other
 * workers have moved the weights since the one whose turn it is read them. It converges exactly for
 *     0 < eta lambda < 2 sin(pi / (2 (2 k + 1))): 2, 1, 0.618, 0.445, 0.347 for k = 0 .. 4; about pi / (2 k + 1) for long delays,
 * since there the first roots of z^(k+1) - z^k + eta lambda leave the unit circle (Levin and May, Theor. Popul. Biol. 9 (1976)
 * 178). k >= 0. */
double stale_limit(int k);

/* Plays it: from w = 1 at all times up to 0. Returns the largest |w| of the last k + 1 of `steps` steps; ends early above 1e100. */
double stale_descent(int k, double eta_lambda, long steps);

/* ---- waiting for the slowest: synchronous SGD ----
 *
 * Workers whose steps take exponential times of mean 1. A step of all ends when the slowest has come, after H_N = 1 + 1/2 + .. +
 * 1/N on average; of `workers` + `backups`, whose gradients are used in the order in which they come until there are `workers`
 * (Chen, Pan, Monga, Bengio and Jozefowicz, arXiv 1604.00981), after H_(N+b) - H_b. workers >= 1, backups >= 0. */
double slowest_mean(int workers, int backups);

/* Plays `rounds` steps with numbers drawn from the seed: the mean. */
double slowest_played(int workers, int backups, int rounds, uint64_t seed);

/* ---- larger batches: which learning rate? ----
 *
 * f(w) = curvature w^2 / 2, of which one sample shows the gradient with a noise of its own, normal with this deviation. One step of
 * SGD with b samples: w <- w - rate (curvature w + deviation z / sqrt(b)), z normal. With N times the batch,
 *     rate N         (linear; Goyal et al., arXiv 1706.02677) keeps the progress of the mean of w for each sample, to first order;
 *     rate sqrt(N)   (Krizhevsky, arXiv 1404.5997) keeps the variance of a step, rate^2 deviation^2 / b;
 * no rate keeps both. */
typedef struct NoisyQuadratic {
    double curvature, deviation;
} NoisyQuadratic;

typedef struct NoisyDescent {
    double distance; /* the mean of w, which was 1, after the last step */
    double variance; /* of one step's movement about its mean */
} NoisyDescent;

/* The formulas: distance (1 - rate curvature)^steps, variance rate^2 deviation^2 / batch. */
NoisyDescent noisy_descent(NoisyQuadratic problem, double batch, double rate, int steps);

/* Played: the means over `runs` runs from w = 1 with numbers drawn from the seed. runs * steps >= 2. */
NoisyDescent noisy_descent_played(NoisyQuadratic problem, double batch, double rate, int steps, int runs,
                                  uint64_t seed);

/* ---- no centre: gossip ----
 *
 * D-PSGD on a ring (Lian et al., NeurIPS 2017, arXiv 1705.09056): each of p ranks takes the mean of its own value and those of
 * its two neighbours, y[r] = (x[r - 1] + x[r] + x[r + 1]) / 3, indices mod p; two ranks are each other's neighbour on both sides.
 * The mean of all stays. What they differ from it by shrinks, in each round, to at most |1/3 + 2/3 cos(2 pi / p)| of its length:
 * the second largest eigenvalue. So a ring of 32 needs 78 rounds for a factor e. p >= 1; one rank differs from nobody: 0. */
double gossip_contraction(int p);

/* One round: x[p] into y[p], which do not overlap. */
void gossip_round(int p, const double *x, double *y);

#endif
