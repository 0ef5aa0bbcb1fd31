/* Lecture 2: reverse-mode automatic differentiation of scalars, on a tape.
 *
 * Every operation computes its value at once and writes one node behind the others: which operation it was, from which
 * one or two nodes (its parents), and the derivative of its value by each of them at this very point. For z = x^2 + xy:
 *
 *     node  operation  value  parents  partials       x --+--> mul [2] --+
 *     0     variable   x                                  |              +--> add [4] = z
 *     1     variable   y                                  +--> mul [3] --+
 *     2     mul        x^2    0 0      x x                       ^
 *     3     mul        xy     0 1      y x            y ---------+
 *     4     add        z      2 3      1 1
 *
 * tape_backward(z) gives node z the gradient dz/dz = 1, walks to the front and applies the chain rule
 *
 *     dz/dparent += dz/dnode * dnode/dparent           += because a parent may have several children (fan-out):
 *                                                      df/ds = df/dx1 dx1/ds + df/dx2 dx2/ds
 *
 * So one walk finds the derivatives by all variables, for about the work of computing z. It is here to be read, and to check
 * formulas; a node costs 64 bytes, so no network is trained with it.
 *
 * Where a function has no derivative, the tape says: abs and relu have derivative 0 at 0 (a subgradient); sqrt and log have +inf
 * at 0 and NaN below; x^y is 0 by y at x = 0, y >= 0, and NaN by y for x < 0. What IEEE arithmetic calls inf or NaN stays so.
 * SPDX-License-Identifier: MIT */
#ifndef AUTODIFF_H
#define AUTODIFF_H

#include <stddef.h>
#include <stdio.h>

typedef struct Tape Tape;

/* A number on the tape: the index of its node. A struct, so that the compiler refuses a plain int or double. */
typedef struct Scalar {
    size_t node;
} Scalar;

Tape *tape_create(void);
void tape_free(Tape *tape); /* NULL is allowed */

/* Forgets all nodes (Scalars of before are invalid), keeps the memory. */
void tape_clear(Tape *tape);

/* Gradients are computed for variables. A constant is a number of the formula; its gradient always reads 0. */
Scalar tape_variable(Tape *tape, double value);
Scalar tape_constant(Tape *tape, double value);

Scalar tape_add(Tape *tape, Scalar x, Scalar y);
Scalar tape_sub(Tape *tape, Scalar x, Scalar y);
Scalar tape_mul(Tape *tape, Scalar x, Scalar y);
Scalar tape_div(Tape *tape, Scalar x, Scalar y);
Scalar tape_neg(Tape *tape, Scalar x);
Scalar tape_abs(Tape *tape, Scalar x);
Scalar tape_pow_constant(Tape *tape, Scalar x, double c); /* x^c; for x < 0 only an integer c gives a number */
Scalar tape_pow(Tape *tape, Scalar x, Scalar y);          /* x^y, by both; also c^x and x^x */
Scalar tape_exp(Tape *tape, Scalar x);
Scalar tape_log(Tape *tape, Scalar x); /* ln x */
Scalar tape_sqrt(Tape *tape, Scalar x);
Scalar tape_logistic(Tape *tape, Scalar x); /* 1 / (1 + e^-x) */
Scalar tape_tanh(Tape *tape, Scalar x);
Scalar tape_relu(Tape *tape, Scalar x); /* max(0, x) */

double tape_value(const Tape *tape, Scalar x);

/* Finds d output / d node for every node; what an earlier call found is replaced. */
void tape_backward(Tape *tape, Scalar output);

/* d output / d x of the last tape_backward; 0 if the output does not depend on x. */
double tape_gradient(const Tape *tape, Scalar x);

/* Nodes on the tape, and all of them as a table, one line each. */
size_t tape_length(const Tape *tape);
void tape_print(const Tape *tape, FILE *out);

/* A function of n variables that writes itself on a tape, and returns its output there. */
typedef Scalar TapeFunction(Tape *tape, const Scalar *x, size_t n, const void *context);

/* f(x), and its gradient[n] by the tape (NULL: only the value). */
double tape_evaluate(TapeFunction *f, const void *context, const double *x, size_t n, double *gradient);

#endif
