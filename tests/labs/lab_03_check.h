/* What the tests of lab 03 have in common: each function calls what a student wrote, on numbers that the grader made, and compares
 * every number of the result. Outputs are poison before, and have guards around them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_03_CHECK_H
#define TESTS_LABS_LAB_03_CHECK_H

#include "cpu/pool/pool.h"
#include "lab_03_convolution.h"

void lab_03_check_im2col(const Lab03Case *c);
void lab_03_check_forward(const Lab03Case *c);
void lab_03_check_conv(const Lab03Case *c); /* a batch */
void lab_03_check_patch_gradient(const Lab03Case *c);
void lab_03_check_col2im(const Lab03Case *c);
void lab_03_check_gradients(const Lab03Case *c); /* a batch */

/* Both gradients hold `first` before; one of them may be left out of the comparison. */
void lab_03_check_weight_gradient(const Lab03Case *c, float first, bool weights, bool biases);

/* Winners are drawn, not found: a pixel of its own for each window, the same pixel for all, or any pixel and sometimes none. */
typedef enum Winners { WINNERS_APART, WINNERS_EQUAL, WINNERS_ANY } Winners;
void lab_03_check_pooling(Rng *rng, PoolShape shape, Winners winners);

#endif
