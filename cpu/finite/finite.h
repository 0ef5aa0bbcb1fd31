/* Has a computation left the finite numbers?
 * SPDX-License-Identifier: MIT */
#ifndef CPU_FINITE_H
#define CPU_FINITE_H

#include <stdbool.h>
#include <stddef.h>

/* True if no element is infinite or NaN; n may be 0. */
bool all_finite(size_t n, const float *x);

#endif
