/* softmax, rung 2: stable.
 * Idea      three passes over a row: its maximum, the exponentials of the differences and their sum, the division.
 * Costs     a call of expf for each element, and a chain of dependent additions.   Wants: nothing.
 * SPDX-License-Identifier: MIT */
#include "cpu/softmax/softmax.h"
#include <math.h>
#include <stddef.h>

/* A NaN is never the largest; it reaches the sum as its own exponential. */
static float
largest(const float *z, int n)
{
    float max = -INFINITY;
    for (int c = 0; c < n; c++)
        if (z[c] > max)
            max = z[c];
    return max;
}

double
softmax_loss_stable(int rows, int classes, const float *z, const int *labels, float *p)
{
    double loss = 0;
    for (int r = 0; r < rows; r++, z += classes, p += classes) {
        const float max = largest(z, classes);
        const float wanted = labels ? z[labels[r]] - max : NAN; /* before p, which may be z, is written */
        float sum = 0;
        for (int c = 0; c < classes; c++) {
            p[c] = expf(z[c] - max);
            sum += p[c];
        }
        for (int c = 0; c < classes; c++)
            p[c] /= sum;
        loss += log(sum) - wanted;
    }
    return labels ? loss : NAN;
}
