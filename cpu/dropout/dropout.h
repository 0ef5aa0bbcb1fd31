/* Dropout: some numbers become zero, chosen by random numbers that are counted (core/rng.h).
 * SPDX-License-Identifier: MIT */
#ifndef CPU_DROPOUT_H
#define CPU_DROPOUT_H

#include <stddef.h>
#include <stdint.h>

/* y[i] = 0 where uniform number first + i of (seed, stream) is below probability, else x[i] / (1 - probability). The same call
 * with dy in place of x gives the gradient. y may be x. 0 <= probability < 1. */
void dropout(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream, uint64_t first);

#endif
