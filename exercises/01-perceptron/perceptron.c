/* LAB 01, exercises 01.1 to 01.3. This copy of src/perceptron.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=01       points for each exercise, and the first wrong value
 *     make hint LAB=01.1      the next hint for an exercise
 *     make watch LAB=01       grade again whenever this file is saved
 *     make reset LAB=01       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from src/perceptron.c; change it there. */
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
    EXERCISE_NOT_SOLVED("01.1"); /* TODO: about 4 lines */
}

/* EXERCISE 01.2  Update (10 min, about 7 lines)
 * Predict yhat for this sample. If it is y, change nothing and return false. Otherwise apply
 *     w_j <- w_j + r (y - yhat) x_j      for j = 0 .. n, where x_0 = 1
 * and return true. w must be predicted from before it is changed: yhat is one number for the whole update.
 */
bool
perceptron_update(double *w, const double *x, int y, size_t n, double r)
{
    EXERCISE_NOT_SOLVED("01.2"); /* TODO: about 7 lines */
}

/* EXERCISE 01.3  Train (15 min, about 11 lines)
 * One epoch applies perceptron_update to samples 0 .. count-1 in this order; sample i is the row X[i * n] .. X[i * n + n-1].
 * Repeat epochs until one makes no update (it converged) or max_epochs are done. The epoch without an update counts too.
 * Return how it went: PerceptronResult in perceptron.h says what each field means. All of them start at 0.
 */
PerceptronResult
perceptron_train(double *w, const double *X, const int *y, size_t count, size_t n, double r, int max_epochs)
{
    EXERCISE_NOT_SOLVED("01.3"); /* TODO: about 11 lines */
}
