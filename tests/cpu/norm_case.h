/* Normalisation by its formulas, in double, and a problem of it. For tests/cpu/test_norm.c. SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_NORM_CASE_H
#define TESTS_CPU_NORM_CASE_H

#include "core/array.h"
#include "core/rng.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const float EPSILON = 1e-5F;

/* ---- the formulas in double ---------------------------------------------------------------------------------------------- */

/* A group of numbers that are normalised together: a column (batch) or a row (layer); element k is at k * stride. */
typedef struct Group {
    size_t count, stride;
} Group;

static inline void
exact_moments(Group g, const double *x, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (size_t k = 0; k < g.count; k++)
        sum += x[k * g.stride];
    *mean = sum / (double)g.count;
    for (size_t k = 0; k < g.count; k++)
        squares += (x[k * g.stride] - *mean) * (x[k * g.stride] - *mean);
    *variance = squares / (double)g.count;
}

/* xhat */
static inline void
exact_forward(Group g, const double *x, double *y)
{
    double mean, variance;
    exact_moments(g, x, &mean, &variance);
    for (size_t k = 0; k < g.count; k++)
        y[k * g.stride] = (x[k * g.stride] - mean) / sqrt(variance + (double)EPSILON);
}

/* The gradient by x of sum(xhat d). */
static inline void
exact_backward(Group g, const double *x, const double *d, double *dx)
{
    double mean, variance, sum = 0, with_xhat = 0;
    exact_moments(g, x, &mean, &variance);
    const double inverse = 1 / sqrt(variance + (double)EPSILON);
    for (size_t k = 0; k < g.count; k++) {
        sum += d[k * g.stride];
        with_xhat += d[k * g.stride] * (x[k * g.stride] - mean) * inverse;
    }
    for (size_t k = 0; k < g.count; k++)
        dx[k * g.stride] = inverse * (d[k * g.stride] - sum / (double)g.count -
                                      (x[k * g.stride] - mean) * inverse * with_xhat / (double)g.count);
}

/* ---- one problem ------------------------------------------------------------------------------------------------------------- */

typedef struct Case {
    size_t R, C;
    bool layer;
    float *x, *dy, *gamma, *beta;
    double *mean, *inverse, *y, *dx, *dgamma, *dbeta; /* what is right */
    double *terms;                                    /* [C]: sum |dy| (1 + |xhat|), for the tolerance */
} Case;

static inline size_t
groups_of(const Case *k)
{
    return k->layer ? k->R : k->C;
}

static inline void
case_results(Case *k, double *x, double *g, double *xhat)
{
    const Group group = k->layer ? (Group){k->C, 1} : (Group){k->R, k->C};
    const size_t step = k->layer ? k->C : 1;
    for (size_t i = 0; i < k->R * k->C; i++) {
        x[i] = (double)k->x[i];
        g[i] = (double)k->dy[i] * (double)k->gamma[i % k->C];
    }
    for (size_t i = 0; group.count > 0 && i < groups_of(k); i++) {
        double variance;
        exact_moments(group, x + i * step, &k->mean[i], &variance);
        k->inverse[i] = 1 / sqrt(variance + (double)EPSILON);
        exact_forward(group, x + i * step, xhat + i * step);
        exact_backward(group, x + i * step, g + i * step, k->dx + i * step);
    }
    for (size_t i = 0; i < k->R * k->C; i++) {
        const size_t c = i % k->C;
        k->y[i] = (double)k->gamma[c] * xhat[i] + (double)k->beta[c];
        k->dbeta[c] += (double)k->dy[i];
        k->dgamma[c] += (double)k->dy[i] * xhat[i];
        k->terms[c] += fabs((double)k->dy[i]) * (1 + fabs(xhat[i]));
    }
}

/* x has a mean of `offset` and a deviation of 1 to 2. */
static inline Case
case_create(bool layer, size_t R, size_t C, double offset)
{
    const size_t n = R * C, most = R > C ? R : C;
    Case k = {R, C, layer, ARRAY(float, n), ARRAY(float, n), ARRAY(float, C), ARRAY(float, C)};
    double **const arrays[] = {&k.mean, &k.inverse, &k.y, &k.dx, &k.dgamma, &k.dbeta, &k.terms};
    for (int i = 0; i < 7; i++)
        *arrays[i] = ARRAY(double, n + most);
    rng_fill_normal(1, 0, 0, k.x, n, offset, 1.5);
    rng_fill_normal(1, 1, 0, k.dy, n, 0.1, 1);
    rng_fill_uniform(1, 2, 0, k.gamma, C, 0.5, 2);
    rng_fill_uniform(1, 3, 0, k.beta, C, -1, 1);
    double *work[3] = {ARRAY(double, n), ARRAY(double, n), ARRAY(double, n)};
    case_results(&k, work[0], work[1], work[2]);
    for (int i = 0; i < 3; i++)
        array_free(work[i]);
    return k;
}

static inline void
case_free(Case *k)
{
    void *const arrays[] = {k->x, k->dy, k->gamma,  k->beta,  k->mean, k->inverse,
                            k->y, k->dx, k->dgamma, k->dbeta, k->terms};
    for (int i = 0; i < 11; i++)
        array_free(arrays[i]);
}

#endif
