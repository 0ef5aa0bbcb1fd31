/* softmax, rung 4: vector.
 * Idea      exponentials as arithmetic (cpu/exp.h), for many elements at once. A row of 10 classes does not fill a vector, so the
 *           differences of several rows are written first and the exponentials taken over all of them in one loop. A row of WIDE
 *           classes and more does: its exponentials are taken and summed in one loop. Maximum and sum are kept in parts, which do
 *           not wait for each other.
 * Before    expf for each element: a call, and one element at a time.
 * Now       the same passes over a row, or a block of rows, that stays in the first-level cache. Threads share the rows.
 * Wants     nothing. Blocks and lanes depend on `classes` only, so the bits do not depend on the number of threads.
 * SPDX-License-Identifier: MIT */
#include "cpu/exp.h"
#include "cpu/softmax/softmax.h"
#include <math.h>
#include <stddef.h>

enum { LANES = 16, WIDE = 64, BLOCK = 2048 /* elements: 8 KiB */, PARALLEL_MIN = 1 << 16 };

/* b if it is larger, as rung 2 has it: one instruction. */
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

/* p = e^(z - max) for a row of many classes; returns the sum. e is a copy, so that p may be z. */
static float
exponentials(const float *z, size_t n, float max, float *p)
{
    float lane[WIDE] = {0}, e[WIDE], sum = 0;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE) {
        for (size_t l = 0; l < WIDE; l++)
            e[l] = exp_polynomial(z[i + l] - max);
        for (size_t l = 0; l < WIDE; l++) {
            lane[l] += e[l];
            p[i + l] = e[l];
        }
    }
    for (; i < n; i++)
        sum += p[i] = exp_polynomial(z[i] - max);
    for (size_t half = WIDE / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return sum + lane[0];
}

/* Rows that fill the lanes: three visits to each, while it is in the cache. */
static double
softmax_long(size_t rows, size_t classes, const float *z, const int *labels, float *p)
{
    double loss = 0;
    for (size_t r = 0; r < rows; r++, z += classes, p += classes) {
        const float max = largest(z, classes);
        const float wanted = labels ? z[labels[r]] - max : NAN; /* before p, which may be z, is written */
        const float sum = exponentials(z, classes, max, p), scale = 1 / sum;
        for (size_t c = 0; c < classes; c++)
            p[c] *= scale;
        loss += (double)(logf(sum) - wanted);
    }
    return loss;
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

/* The rows first .. end-1; short ones in blocks. */
static double
softmax_rows(size_t first, size_t end, size_t classes, const float *z, const int *labels, float *p)
{
    const size_t block = BLOCK / classes;
    double loss = 0;
    if (classes >= WIDE)
        return softmax_long(end - first, classes, z + first * classes, labels ? labels + first : NULL,
                            p + first * classes);
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
