/* Adam. SPDX-License-Identifier: MIT */
#include "cpu/chunks.h"
#include "cpu/optimizer/optimizer.h"
#include <math.h>

/* What is the same for all elements, computed once in double. */
typedef struct Adam {
    float beta1, rest1, beta2, rest2; /* rest = 1 - beta */
    float step;                       /* rate / correction1 */
    float root;                       /* 1 / sqrt(correction2) */
    float epsilon, weight_decay;
} Adam;

/* w -= rate (m / correction1) / (sqrt(v / correction2) + epsilon) */
static void
adam_part(size_t n, float *restrict w, const float *restrict dw, float *restrict m, float *restrict v, Adam a)
{
    for (size_t i = 0; i < n; i++) {
        const float g = dw[i] + a.weight_decay * w[i];
        m[i] = a.beta1 * m[i] + a.rest1 * g;
        v[i] = a.beta2 * v[i] + a.rest2 * g * g;
        w[i] -= a.step * m[i] / (sqrtf(v[i]) * a.root + a.epsilon);
    }
}

void
adam_step(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
          float epsilon, float weight_decay, double correction1, double correction2)
{
    const Adam adam = {
        .beta1 = (float)beta1,
        .rest1 = (float)(1 - beta1),
        .beta2 = (float)beta2,
        .rest2 = (float)(1 - beta2),
        .step = (float)(rate / correction1),
        .root = (float)(1 / sqrt(correction2)),
        .epsilon = epsilon,
        .weight_decay = weight_decay,
    };
    IN_CHUNKS(n, first, count, adam_part(count, w + first, dw + first, m + first, v + first, adam));
}
