/* Optimiser steps. nn/optimizer.h states the formulas. n elements; the arrays do not overlap.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_OPTIMIZER_H
#define CPU_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>

/* One pass over parameters, gradients and state: memory-bound, so each array is read and written once. The compiler makes
 * vector code of the plain loops, threads share long arrays. */
void sgd_step(size_t n, float *w, const float *dw, float rate, float weight_decay);
void momentum_step(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum, float weight_decay,
                   bool nesterov);

/* correction1 = 1 - beta1^t, correction2 = 1 - beta2^t, t >= 1. */
void adam_step(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
               float epsilon, float weight_decay, double correction1, double correction2);

/* Rung 1, to measure against: the same results but for rounding, with a pass over memory for each line of the formula. */
void sgd_step_passes(size_t n, float *w, const float *dw, float rate, float weight_decay);
void momentum_step_passes(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum,
                          float weight_decay, bool nesterov);
void adam_step_passes(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
                      float epsilon, float weight_decay, double correction1, double correction2);

#endif
