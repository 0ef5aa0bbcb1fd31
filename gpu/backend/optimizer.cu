/* Optimiser steps, a thread for each parameter: see kernels.h. nn/optimizer.h states the formulas.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>
#include <math.h>

static __global__ void
sgd_step(size_t n, float *w, const float *dw, float rate, float weight_decay)
{
    const size_t i = element_number();
    if (i < n)
        w[i] -= rate * (dw[i] + weight_decay * w[i]);
}

void
launch_sgd_step(size_t n, float *w, const float *dw, float rate, float weight_decay)
{
    if (n > 0)
        sgd_step<<<element_blocks(n), ELEMENT_THREADS>>>(n, w, dw, rate, weight_decay);
}

static __global__ void
momentum_step(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum, float weight_decay,
              bool nesterov)
{
    const size_t i = element_number();
    if (i >= n)
        return;
    const float g = dw[i] + weight_decay * w[i], u = momentum * velocity[i] + g;
    velocity[i] = u;
    w[i] -= rate * (nesterov ? g + momentum * u : u);
}

void
launch_momentum_step(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum,
                     float weight_decay, bool nesterov)
{
    if (n > 0)
        momentum_step<<<element_blocks(n), ELEMENT_THREADS>>>(n, w, dw, velocity, rate, momentum, weight_decay,
                                                              nesterov);
}

/* What is the same for all elements, computed once in double. */
typedef struct Adam {
    float beta1, rest1, beta2, rest2; /* rest = 1 - beta */
    float step;                       /* rate / correction1 */
    float root;                       /* 1 / sqrt(correction2) */
    float epsilon, weight_decay;
} Adam;

static __global__ void
adam_step(size_t n, float *w, const float *dw, float *m, float *v, Adam a)
{
    const size_t i = element_number();
    if (i >= n)
        return;
    const float g = dw[i] + a.weight_decay * w[i];
    m[i] = a.beta1 * m[i] + a.rest1 * g;
    v[i] = a.beta2 * v[i] + a.rest2 * g * g;
    w[i] -= a.step * m[i] / (sqrtf(v[i]) * a.root + a.epsilon);
}

void
launch_adam_step(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
                 float epsilon, float weight_decay, double correction1, double correction2)
{
    const Adam adam = {(float)beta1,
                       (float)(1 - beta1),
                       (float)beta2,
                       (float)(1 - beta2),
                       (float)(rate / correction1),
                       (float)(1 / sqrt(correction2)),
                       epsilon,
                       weight_decay};
    if (n > 0)
        adam_step<<<element_blocks(n), ELEMENT_THREADS>>>(n, w, dw, m, v, adam);
}
