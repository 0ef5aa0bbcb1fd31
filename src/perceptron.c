/* Lecture 1: the perceptron, three functions and the sign. What each promises is in perceptron.h. It learns from samples
 * in memory and prints nothing: `rungs train perceptron` (cli/train_perceptron.c) is the program around it.
 * SPDX-License-Identifier: MIT */
#include "perceptron.h"
#include "core/checked.h" /* the lab's copy of this file needs it */

int
perceptron_sign(double z)
{
    return z >= 0 ? +1 : -1;
}

/* EXERCISE 01.1  Predict (10 min, about 4 lines)
 * Compute z = w^T x = w_0 * 1 + w_1 x_1 + ... + w_n x_n and return sgn(z), which is perceptron_sign above.
 * The bias w_0 is w[0]. Its input 1 is not stored, so that x_1 .. x_n are x[0] .. x[n-1]: w[j] meets x[j-1].
 */
int
perceptron_predict(const double *w, const double *x, size_t n)
{
    /* BEGIN SOLUTION 01.1 */
    double z = w[0];
    for (size_t j = 1; j <= n; j++)
        z += w[j] * x[j - 1];
    return perceptron_sign(z);
    /* END SOLUTION */
}

/* EXERCISE 01.2  Update (10 min, about 7 lines)
 * Predict yhat for this sample. If it is y, change nothing and return false. Otherwise apply
 *     w_j <- w_j + r (y - yhat) x_j      for j = 0 .. n, where x_0 = 1
 * and return true. w must be predicted from before it is changed: yhat is one number for the whole update.
 */
bool
perceptron_update(double *w, const double *x, int y, size_t n, double r)
{
    /* BEGIN SOLUTION 01.2 */
    int yhat = perceptron_predict(w, x, n);
    if (yhat == y)
        return false;
    w[0] += r * (y - yhat);
    for (size_t j = 1; j <= n; j++)
        w[j] += r * (y - yhat) * x[j - 1];
    return true;
    /* END SOLUTION */
}

/* EXERCISE 01.3  Train (15 min, about 11 lines)
 * One epoch applies perceptron_update to samples 0 .. count-1 in this order; sample i is the row X[i * n] .. X[i * n + n-1].
 * Repeat epochs until one makes no update (it converged) or max_epochs are done. The epoch without an update counts too.
 * Return how it went: PerceptronResult in perceptron.h says what each field means. All of them start at 0.
 */
PerceptronResult
perceptron_train(double *w, const double *X, const int *y, size_t count, size_t n, double r, int max_epochs)
{
    /* BEGIN SOLUTION 01.3 */
    PerceptronResult result = {0};
    while (!result.converged && result.epochs < max_epochs) {
        result.mistakes = 0;
        for (size_t i = 0; i < count; i++)
            if (perceptron_update(w, &X[i * n], y[i], n, r))
                result.mistakes++;
        result.epochs++;
        result.updates += result.mistakes;
        result.converged = result.mistakes == 0;
    }
    return result;
    /* END SOLUTION */
}
