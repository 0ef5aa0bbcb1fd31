/* activation, rung 1: the C library.
 * Idea      the definition, with expf and tanhf: exact to a unit in the last place or so.
 * Costs     a call for each element; the calls keep the compiler from using vectors.
 * SPDX-License-Identifier: MIT */
#include "cpu/activation/activation.h"
#include <math.h>

/* For x < -88 e^-x is infinite, and 1 / infinity is 0: the right limit. */
void
sigmoid_libm(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = 1 / (1 + expf(-x[i]));
}

void
tanh_libm(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = tanhf(x[i]);
}
