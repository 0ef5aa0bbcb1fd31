/* Lecture 2's table of derivatives: each function as it is written on a tape, and the derivative that the slides give for it.
 * `rungs gradcheck` (cli/gradcheck.c) prints it; tests/test_autodiff.c demands every row.
 * SPDX-License-Identifier: MIT */
#ifndef DERIVATIVES_H
#define DERIVATIVES_H

#include "autodiff.h"
#include "core/rng.h"
#include <stdbool.h>

enum { DERIVATIVE_VARIABLES = 2 };

/* Where a number may lie so that function and formula exist. Always a little away from the edge: differences step over it. */
typedef enum Domain {
    DOMAIN_NONE,             /* the function has no such number */
    DOMAIN_ANY,              /* -4 .. 4 */
    DOMAIN_NONZERO,          /* -4 .. -0.1 and 0.1 .. 4 */
    DOMAIN_POSITIVE,         /* 0.1 .. 4 */
    DOMAIN_POSITIVE_NOT_ONE, /* 0.1 .. 0.8 and 1.2 .. 4 */
    DOMAIN_WHOLE,            /* -3, -2, -1, 1, 2, 3 */
} Domain;

typedef struct Derivative {
    const char *group;                                  /* "functions", "rules", "partial derivatives", "activations" */
    const char *function;                               /* "c^x" */
    const char *formula;                                /* "c^x ln c" */
    const char *condition;                              /* "c > 0"; "" if there is none */
    Domain x, y, c;                                     /* the first variable, the second, the constant */
    size_t by;                                          /* differentiated by variable 0 or 1 */
    bool zero;                                          /* the right derivative is 0 everywhere */
    TapeFunction *on_tape;                              /* context is &c */
    double (*derivative)(double x, double y, double c); /* the formula */
} Derivative;

/* The table; *count rows. Static. */
const Derivative *derivatives(size_t *count);

/* A random point of the row's domain. */
typedef struct DerivativePoint {
    double v[DERIVATIVE_VARIABLES]; /* x, y */
    double c;
} DerivativePoint;
DerivativePoint derivative_draw(const Derivative *row, Rng *rng);

/* The three derivatives at a point. ok: tape and formula differ by at most 1e-12, tape and differences by at most
 * `tolerance` (both as gradient_error does), and the derivative is 0 if and only if it has to be. */
typedef struct DerivativeResult {
    double tape, formula, difference;
    double error; /* of the tape against the differences, relative */
    bool ok;
} DerivativeResult;
DerivativeResult derivative_check(const Derivative *row, const DerivativePoint *point, double tolerance);

#endif
