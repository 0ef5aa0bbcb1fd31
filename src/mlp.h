/* Lecture 2: a multi-layer perceptron, feed-forward and error backpropagation in the notation of the slides, one sample at
 * a time, in plain loops. It is here to be read; src/nn/ is the same mathematics on whole batches.
 *
 *     layers l = 1 .. L; layer 1 is the input
 *     z^l = w^l a^{l-1} + b^l,  a^l = sigma(z^l)            w^l_{jk}: from neuron k of layer l-1 to neuron j of layer l
 *     C = 1/2 ||y - a^L||^2
 *     delta^l_j = dC/dz^l_j
 *     delta^L = (a^L - y) . sigma'(z^L)                     . is the element-wise (Hadamard) product
 *     delta^l = ((w^{l+1})^T delta^{l+1}) . sigma'(z^l)
 *     dC/dw^l_{jk} = a^{l-1}_k delta^l_j,  dC/db^l_j = delta^l_j
 *
 * Everything is in double: 10 digits of the golden network of the tests can be compared.
 * SPDX-License-Identifier: MIT */
#ifndef MLP_H
#define MLP_H

#include <stddef.h>
#include <stdint.h>

/* Arrays are indexed by the l of the slides: w[1], b[1], z[1], delta[1] do not exist (NULL); a[1] is the input. */
typedef struct Mlp {
    int L;      /* layers, the input included */
    int *size;  /* size[l]: neurons of layer l, l = 1 .. L */
    double **w; /* w[l][j * size[l-1] + k] */
    double **b; /* b[l][j] */
    double **z, **a, **delta;
    double **dw, **db; /* sums of the gradients over the samples since mlp_clear_gradients */
} Mlp;

/* sizes[0 .. L-1] from the input to the output, L >= 2. Weights are Xavier-uniform from the seed, biases 0. */
Mlp *mlp_create(int L, const int *sizes, uint64_t seed);
void mlp_free(Mlp *mlp);

/* The logistic function and its derivative, from its value: sigma'(z) = a (1 - a). */
double mlp_sigma(double z);
double mlp_sigma_prime(double z);

/* Computes z^l and a^l for l = 2 .. L. Returns a^L (owned by mlp). */
const double *mlp_forward(Mlp *mlp, const double *x);

/* C for the last forward pass and the wanted output y. */
double mlp_cost(const Mlp *mlp, const double *y);

/* delta^L. */
void mlp_output_error(Mlp *mlp, const double *y);

/* delta^l for l = L-1 .. 2, from delta^L. */
void mlp_backpropagate(Mlp *mlp);

/* Adds this sample's dC/dw, dC/db to dw, db. */
void mlp_add_gradients(Mlp *mlp);
void mlp_clear_gradients(Mlp *mlp);

/* Gradient descent on a mini-batch of m samples: w^l <- w^l - (eta / m) dw^l, and so for b. */
void mlp_step(Mlp *mlp, double eta, size_t m);

/* One epoch of mini-batch SGD: X[count][size[1]], Y[count][size[L]] are visited in a random order (seed, epoch), in batches
 * of B, the last one smaller if B does not divide count. Returns the mean cost, each sample's taken when it was visited
 * (NaN if there are none). B >= 1. */
double mlp_train_epoch(Mlp *mlp, const double *X, const double *Y, size_t count, size_t B, double eta, uint64_t seed,
                       uint64_t epoch);

#endif
