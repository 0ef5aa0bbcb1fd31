/* normalisation: what its ladders share. SPDX-License-Identifier: MIT */
#ifndef CPU_NORM_LADDER_INTERNAL_H
#define CPU_NORM_LADDER_INTERNAL_H

#include "cpu/ladder_arrays.h"

#define NORM_EPSILON 1e-5

/* The inputs are arrays: forward x, gamma, beta, and for inference mean and variance; backward x, dy, gamma, mean, inverse. */

/* As Operation.reference wants them. */
void batch_norm_reference(const void *inputs, double *want, double *tolerance);
void batch_norm_infer_reference(const void *inputs, double *want, double *tolerance);
void batch_norm_gradient_reference(const void *inputs, double *want, double *tolerance);
void layer_norm_reference(const void *inputs, double *want, double *tolerance);
void layer_norm_gradient_reference(const void *inputs, double *want, double *tolerance);

/* New x, dy, gamma, and the mean and inverse that the forward pass would have left. */
void batch_norm_gradient_refresh(void *inputs, uint64_t round);
void layer_norm_gradient_refresh(void *inputs, uint64_t round);

#endif
