/* Lecture 1: Rosenblatt's perceptron (1957), in the notation of the slides.
 *
 *     z = w^T x,  x = (1, x_1 .. x_n),  w = (w_0, w_1 .. w_n):  the bias is w_0, its input is always 1
 *     yhat = sgn(z),  sgn(0) = +1
 *     w_j <- w_j + r (y - yhat) x_j      for j = 0 .. n, 0 < r < 1
 *
 * y and yhat are +1 or -1, so that an update adds 2r x or -2r x, and a right prediction adds nothing.
 * SPDX-License-Identifier: MIT */
#ifndef PERCEPTRON_H
#define PERCEPTRON_H

#include <stdbool.h>
#include <stddef.h>

/* sgn(0) has to be something: +1 here. It decides the very first prediction (w = 0) and so the weights that are found. */
int perceptron_sign(double z);

/* yhat = sgn(w^T x). w has n+1 elements, x has n: the caller does not store the 1. */
int perceptron_predict(const double *w, const double *x, size_t n);

/* One application of the rule to one sample: returns true if the prediction was wrong and w has changed. */
bool perceptron_update(double *w, const double *x, int y, size_t n, double r);

typedef struct PerceptronResult {
    bool converged;  /* an epoch passed without an update */
    int epochs;      /* passes over the data, the clean one included */
    size_t updates;  /* in all epochs */
    size_t mistakes; /* in the last epoch */
} PerceptronResult;

/* Epochs over the samples X[count][n] in their order, labels y[count] of +1/-1, until an epoch makes no update or
 * max_epochs have passed. w[n+1] holds the start (zeros, or small random numbers) and then the result.
 * For separable data it ends after at most (R/g)^2 updates (Novikoff 1962), R the longest sample and g the margin; for
 * other data it never ends by itself. */
PerceptronResult perceptron_train(double *w, const double *X, const int *y, size_t count, size_t n, double r,
                                  int max_epochs);

#endif
