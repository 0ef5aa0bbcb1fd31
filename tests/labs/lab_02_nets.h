/* Small networks for the tests of lab 02, the grader's own feed-forward, and derivatives by finite differences.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_02_NETS_H
#define TESTS_LABS_LAB_02_NETS_H

#include "core/rng.h"
#include "mlp.h"

enum { LAB_02_NETS = 6, MOST = 8 }; /* lab_02_random_net's shapes; neurons in a layer at most */

/* Random weights and biases; z, a and delta are NaN until somebody fills them. 0 <= which < LAB_02_NETS. */
Mlp *lab_02_random_net(Rng *rng, int which);

/* The golden network of the lecture, 2-2-2, with its input and wanted output. */
Mlp *lab_02_golden_net(void);
extern const double lab_02_golden_x[2], lab_02_golden_y[2];

/* How many weights lead into layer l. */
size_t lab_02_weights(const Mlp *mlp, int l);

/* Leaves what a right feed-forward of x leaves in z and a. */
void lab_02_forward(Mlp *mlp, const double *x);

/* delta^l = dC/dz^l, for a net whose z are filled. */
void lab_02_differences_z(Mlp *mlp, int l, const double *y, double *delta);

/* dC/dw^l and dC/db^l for the sample x, y. */
void lab_02_differences_w(Mlp *mlp, int l, const double *x, const double *y, double *dw);
void lab_02_differences_b(Mlp *mlp, int l, const double *x, const double *y, double *db);

#endif
