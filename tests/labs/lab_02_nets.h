/* Small networks for the tests of lab 02, and everything that is right about them: z, a, errors and gradients, found by automatic
 * differentiation (autodiff.h), which knows none of the formulas of the lab.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_02_NETS_H
#define TESTS_LABS_LAB_02_NETS_H

#include "core/rng.h"
#include "mlp.h"

enum { LAB_02_NETS = 6, MOST = 8 }; /* lab_02_random_net's shapes; neurons in a layer at most */

/* Random weights and biases; z, a, delta and all gradients are poison until they are computed. 0 <= which < LAB_02_NETS. */
Mlp *lab_02_random_net(Rng *rng, int which);

/* The golden network of the lecture, 2-2-2, with its input and wanted output. */
Mlp *lab_02_golden_net(void);
extern const double lab_02_golden_x[2], lab_02_golden_y[2];

/* How many weights lead into layer l. */
size_t lab_02_weights(const Mlp *mlp, int l);

/* A network with the same weights in which everything is filled in for the sample x, y: z, a, delta, and in dw and db the
 * gradients of this one sample. To be freed by mlp_free. */
Mlp *lab_02_truth(const Mlp *mlp, const double *x, const double *y);

/* Copies what an exercise starts from. */
void lab_02_give_activations(Mlp *mlp, const Mlp *truth);  /* every z and a */
void lab_02_give_error(Mlp *mlp, const Mlp *truth, int l); /* delta^l */

/* A random network, a sample for it, and the truth about both. */
typedef struct Case {
    Mlp *mlp, *truth;
    double x[MOST], y[MOST];
    int L;
} Case;
Case case_create(Rng *rng, int which);
void case_free(Case *c);
size_t neurons(const Case *c, int l); /* of layer l */

#endif
