/* softmax, rung 2: vector.
 * Idea      exponentials as arithmetic (cpu/exp.h), for many elements at once. A row of 10 classes does not fill a vector, so the
 *           differences of several rows are written first and the exponentials taken over all of them in one loop. Maximum and sum
 *           of a long row are kept in LANES parts, which do not wait for each other.
 * Before    expf for each element: a call, and one element at a time.
 * Now       the same passes over a block of rows that stays in the first-level cache. Many rows: threads share the blocks.
 * Wants     nothing. Blocks and lanes depend on `classes` only, so the bits do not depend on the number of threads.
 * SPDX-License-Identifier: MIT */
#include "cpu/exp.h"
#include "cpu/softmax/softmax.h"
#include <math.h>
#include <stddef.h>

enum { LANES = 16, BLOCK = 2048 /* elements: 8 KiB */, PARALLEL_MIN = 1 << 16 };

/* b if it is larger, as rung 1 has it: one instruction. */
static float
larger(float a, float b)
{
    return b > a ? b : a;
}

static float
largest(const float *z, size_t n)
{
    float lane[LANES], max = -INFINITY;
    size_t i = 0;
    if (n >= LANES) {
        for (size_t l = 0; l < LANES; l++)
            lane[l] = -INFINITY;
        for (; i + LANES <= n; i += LANES)
            for (size_t l = 0; l < LANES; l++)
                lane[l] = larger(lane[l], z[i + l]);
        for (size_t l = 0; l < LANES; l++)
            max = larger(max, lane[l]);
    }
    for (; i < n; i++)
        max = larger(max, z[i]);
    return max;
}

static float
sum_of(const float *x, size_t n)
{
    float lane[LANES] = {0}, sum = 0;
    size_t i = 0;
    if (n >= LANES) {
        for (; i + LANES <= n; i += LANES)
            for (size_t l = 0; l < LANES; l++)
                lane[l] += x[i + l];
        for (size_t half = LANES / 2; half > 0; half /= 2)
            for (size_t l = 0; l < half; l++)
                lane[l] += lane[l + half];
        sum = lane[0];
    }
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

static double
softmax_block(size_t rows, size_t classes, const float *z, const int *labels, float *p)
{
    double loss = 0;
    for (size_t r = 0; r < rows; r++) {
        const float max = largest(z + r * classes, classes);
        for (size_t c = 0; c < classes; c++)
            p[r * classes + c] = z[r * classes + c] - max;
        loss -= labels ? p[r * classes + (size_t)labels[r]] : NAN;
    }
    for (size_t i = 0; i < rows * classes; i++)
        p[i] = exp_polynomial(p[i]);
    for (size_t r = 0; r < rows; r++) {
        const float sum = sum_of(p + r * classes, classes), scale = 1 / sum;
        for (size_t c = 0; c < classes; c++)
            p[r * classes + c] *= scale;
        loss += logf(sum);
    }
    return loss;
}

/* The rows first .. end-1, in blocks. */
static double
softmax_rows(size_t first, size_t end, size_t classes, const float *z, const int *labels, float *p)
{
    const size_t block = classes < BLOCK ? BLOCK / classes : 1;
    double loss = 0;
    for (size_t r = first; r < end; r += block) {
        const size_t rows = end - r < block ? end - r : block;
        loss += softmax_block(rows, classes, z + r * classes, labels ? labels + r : NULL, p + r * classes);
    }
    return loss;
}

double
softmax_loss_vector(int rows, int classes, const float *z, const int *labels, float *p)
{
    const size_t R = (size_t)rows, C = (size_t)classes;
    if (R * C < PARALLEL_MIN)
        return softmax_rows(0, R, C, z, labels, p);
    /* The losses are summed in GROUPS parts, as many with one thread as with ten. */
    enum { GROUPS = 64 };
    double part[GROUPS], loss = 0;
#pragma omp parallel for schedule(static)
    for (size_t g = 0; g < GROUPS; g++)
        part[g] = softmax_rows(R * g / GROUPS, R * (g + 1) / GROUPS, C, z, labels, p);
    for (size_t g = 0; g < GROUPS; g++)
        loss += part[g];
    return loss;
}
