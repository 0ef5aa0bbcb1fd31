/* All parameters of an Mlp as one array, and the four samples of XOR: for the tests of src/mlp.c.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MLP_PARAMETERS_H
#define TESTS_MLP_PARAMETERS_H

#include "mlp.h"
#include <string.h>

static const double XOR_X[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, XOR_Y[4] = {0, 1, 1, 0};

static inline size_t
mlp_weights_into(const Mlp *mlp, int l)
{
    return (size_t)mlp->size[l] * (size_t)mlp->size[l - 1];
}

/* All parameters of mlp, as one array: w^2, b^2, w^3, b^3 .. */
static inline size_t
mlp_parameter_count(const Mlp *mlp)
{
    size_t count = 0;
    for (int l = 2; l <= mlp->L; l++)
        count += mlp_weights_into(mlp, l) + (size_t)mlp->size[l];
    return count;
}

/* Copies w and b, or dw and db, of mlp into to[mlp_parameter_count]. */
static inline void
mlp_gather(const Mlp *mlp, double *const *w, double *const *b, double *to)
{
    for (int l = 2; l <= mlp->L; l++) {
        memcpy(to, w[l], mlp_weights_into(mlp, l) * sizeof(double));
        to += mlp_weights_into(mlp, l);
        memcpy(to, b[l], (size_t)mlp->size[l] * sizeof(double));
        to += mlp->size[l];
    }
}

#endif
