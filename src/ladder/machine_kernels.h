/* The loops whose speed is the machine's: nothing else is known of them. Results are returned so that no compiler drops the work.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_MACHINE_KERNELS_H
#define LADDER_MACHINE_KERNELS_H

#include <stddef.h>

/* steps * KERNEL_CHAINS fused multiply-adds on vectors, in KERNEL_CHAINS independent chains that stay in registers. Lanes: those of
 * a Vector (core/vector.h), or 8. */
enum { KERNEL_CHAINS = 12 };
float kernel_fma(size_t steps);
float kernel_fma256(size_t steps);

/* sum += a[i] * b[i], in order: what the naive rung of a ladder waits for. */
float kernel_chain(size_t n, const float *a, const float *b);

/* Reads x once, adding it up in eight vectors. n is a multiple of 8 * VECTOR_LANES. */
float kernel_read(size_t n, const float *x);

/* a = b + s c. */
void kernel_triad(size_t n, float *restrict a, const float *restrict b, const float *restrict c, float s);

#endif
