/* SGD, momentum and Nesterov. SPDX-License-Identifier: MIT */
#include "cpu/chunks.h"
#include "cpu/optimizer/optimizer.h"

static void
sgd_part(size_t n, float *restrict w, const float *restrict dw, float rate, float weight_decay)
{
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * (dw[i] + weight_decay * w[i]);
}

static void
momentum_part(size_t n, float *restrict w, const float *restrict dw, float *restrict velocity, float rate,
              float momentum, float weight_decay)
{
    for (size_t i = 0; i < n; i++) {
        velocity[i] = momentum * velocity[i] + (dw[i] + weight_decay * w[i]);
        w[i] -= rate * velocity[i];
    }
}

/* The step that momentum would take next is already in this one. */
static void
nesterov_part(size_t n, float *restrict w, const float *restrict dw, float *restrict velocity, float rate,
              float momentum, float weight_decay)
{
    for (size_t i = 0; i < n; i++) {
        const float g = dw[i] + weight_decay * w[i];
        velocity[i] = momentum * velocity[i] + g;
        w[i] -= rate * (g + momentum * velocity[i]);
    }
}

void
sgd_step(size_t n, float *w, const float *dw, float rate, float weight_decay)
{
    IN_CHUNKS(n, first, count, sgd_part(count, w + first, dw + first, rate, weight_decay));
}

void
momentum_step(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum, float weight_decay,
              bool nesterov)
{
    if (nesterov)
        IN_CHUNKS(n, first, count,
                  nesterov_part(count, w + first, dw + first, velocity + first, rate, momentum, weight_decay));
    else
        IN_CHUNKS(n, first, count,
                  momentum_part(count, w + first, dw + first, velocity + first, rate, momentum, weight_decay));
}
