/* optimisers, rung 1: a pass for each line of the formula.
 * Idea      what a library of array operations does with  m = beta1 m + (1 - beta1) g;  v = ..;  w -= .. : each line is a loop.
 * Costs     w and dw are read from memory again for each line. Adam: 48 bytes an element in three passes, where 28 are enough.
 * SPDX-License-Identifier: MIT */
#include "cpu/optimizer/optimizer.h"
#include <math.h>

void
sgd_step_passes(size_t n, float *w, const float *dw, float rate, float weight_decay)
{
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * weight_decay * w[i];
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * dw[i];
}

void
momentum_step_passes(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum,
                     float weight_decay, bool nesterov)
{
    for (size_t i = 0; i < n; i++)
        velocity[i] = momentum * velocity[i];
    for (size_t i = 0; i < n; i++)
        velocity[i] += dw[i] + weight_decay * w[i];
    if (nesterov) /* with the gradient at the old w, so in one line */
        for (size_t i = 0; i < n; i++)
            w[i] -= rate * (dw[i] + weight_decay * w[i] + momentum * velocity[i]);
    else
        for (size_t i = 0; i < n; i++)
            w[i] -= rate * velocity[i];
}

void
adam_step_passes(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
                 float epsilon, float weight_decay, double correction1, double correction2)
{
    const float b1 = (float)beta1, rest1 = (float)(1 - beta1), b2 = (float)beta2, rest2 = (float)(1 - beta2);
    const float c1 = (float)correction1, c2 = (float)correction2;
    for (size_t i = 0; i < n; i++)
        m[i] = b1 * m[i] + rest1 * (dw[i] + weight_decay * w[i]);
    for (size_t i = 0; i < n; i++)
        v[i] = b2 * v[i] + rest2 * (dw[i] + weight_decay * w[i]) * (dw[i] + weight_decay * w[i]);
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * (m[i] / c1) / (sqrtf(v[i] / c2) + epsilon);
}
