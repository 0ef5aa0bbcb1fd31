/* softmax, rung 1: naive.
 * Idea      the formula as it is written: e^z, divided by its sum.
 * Costs     it is wrong: e^89 is more than a float can hold, and infinity / infinity is NaN. If all z are below -104, it is 0 / 0.
 *           tests/cpu/test_softmax.c shows both. A network in training reaches such logits sooner or later.
 * Wants     |z| below 80 or so. No table of kernels has this rung; it stands here as the step before the next one.
 * SPDX-License-Identifier: MIT */
#include "cpu/softmax/softmax.h"
#include <math.h>
#include <stddef.h>

double
softmax_loss_naive(int rows, int classes, const float *z, const int *labels, float *p)
{
    const size_t C = (size_t)classes;
    double loss = 0;
    for (size_t r = 0; r < (size_t)rows; r++, z += C, p += C) {
        float sum = 0;
        for (size_t c = 0; c < C; c++) {
            p[c] = expf(z[c]);
            sum += p[c];
        }
        for (size_t c = 0; c < C; c++)
            p[c] /= sum;
        loss -= labels ? (double)logf(p[labels[r]]) : 0;
    }
    return labels ? loss : NAN;
}
