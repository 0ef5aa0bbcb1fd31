/* Optimisers: from gradients to new weights. What the kernels compute (w weights, g gradient, r rate, per element):
 *
 *     g' = dw + weight_decay w                                 (L2 penalty, on biases too)
 *     sgd        w <- w - r g'
 *     momentum   u <- momentum u + g'                          w <- w - r u
 *     nesterov   u <- momentum u + g'                          w <- w - r (g' + momentum u)
 *     adam       m <- beta1 m + (1 - beta1) g'                 m^ = m / (1 - beta1^t)
 *                v <- beta2 v + (1 - beta2) g'^2               v^ = v / (1 - beta2^t)
 *                w <- w - r m^ / (sqrt(v^) + epsilon)          t = 1 in the first step
 *
 * The conventions are those of torch.optim.SGD (dampening 0) and torch.optim.Adam: the rate multiplies the velocity when it is
 * used, not when it is collected, and epsilon stands outside the root. Adam: Kingma and Ba 2015, arXiv:1412.6980; momentum:
 * Polyak 1964, and Sutskever et al. 2013 for the form of Nesterov's that looks ahead.
 *
 * An optimiser works on n elements that need not be all of a network: a shard of it has an optimiser of its own.
 * SPDX-License-Identifier: MIT */
#ifndef NN_OPTIMIZER_H
#define NN_OPTIMIZER_H

#include "core/error.h"
#include "nn/backend.h"
#include <stdint.h>

typedef enum OptimizerKind { OPTIMIZER_SGD, OPTIMIZER_MOMENTUM, OPTIMIZER_NESTEROV, OPTIMIZER_ADAM } OptimizerKind;

/* What an optimiser does not use it ignores. Doubles, because 1 - 0.999 in float is off by 1e-5. */
typedef struct OptimizerOptions {
    double momentum;              /* 0 <= momentum < 1 */
    double weight_decay;          /* >= 0 */
    double beta1, beta2, epsilon; /* 0 <= beta < 1, epsilon > 0 */
} OptimizerOptions;

/* momentum 0.9, no weight decay, beta 0.9 and 0.999, epsilon 1e-8. */
OptimizerOptions optimizer_defaults(void);

/* False with a sentence if a value is out of its range. */
bool optimizer_options_check(const OptimizerOptions *options, Error *error);

/* "sgd", "momentum", "nesterov", "adam"; false with a sentence for another name. */
bool optimizer_kind_from_name(const char *name, OptimizerKind *kind, Error *error);
const char *optimizer_kind_name(OptimizerKind kind);

/* A rate to begin with where nothing is known: 0.001 for Adam, as its authors advise; 0.1 for sgd, and 0.01 where a momentum of
 * 0.9 makes of each gradient 1 / (1 - 0.9) = 10 times the step. */
double optimizer_usual_rate(OptimizerKind kind);

typedef struct Optimizer Optimizer;

/* State is zero, in the backend's memory, which takes the steps; steps are 0. options must have passed optimizer_options_check.
 * Free with optimizer_free (NULL is allowed). */
Optimizer *optimizer_create(const Backend *backend, OptimizerKind kind, OptimizerOptions options, size_t n);
void optimizer_free(Optimizer *optimizer);

/* One step on w[n] with the gradient dw[n]; allocates nothing. */
void optimizer_step(Optimizer *optimizer, float *w, const float *dw, double rate);

OptimizerKind optimizer_kind(const Optimizer *optimizer);
OptimizerOptions optimizer_options(const Optimizer *optimizer);
size_t optimizer_size(const Optimizer *optimizer); /* n */

/* For checkpoints: the state is optimizer_state_count() arrays of n floats, owned by the optimiser, named "velocity" (u above),
 * or "m" and "v"; and the number of steps done. Written back, they continue the run exactly. */
int optimizer_state_count(const Optimizer *optimizer);
float *optimizer_state(Optimizer *optimizer, int i, const char **name);
uint64_t optimizer_steps(const Optimizer *optimizer);
void optimizer_set_steps(Optimizer *optimizer, uint64_t steps);

#endif
