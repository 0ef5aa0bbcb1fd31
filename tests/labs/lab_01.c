/* Lab 01: the perceptron, exercises/01-perceptron. The grader computes with sums of its own: the student's functions are called
 * and compared, the reference is not asked.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "grade.h"
#include "perceptron.h"
#include <math.h>
#include <string.h>

enum { MOST_INPUTS = 40 };

/* z, with whole numbers: exact in double whatever the order of the sum, so that z = 0 is really met. */
static double
weighted_sum(const double *w, const double *x, size_t n)
{
    double z = w[n] * (n > 0 ? x[n - 1] : 1);
    for (size_t j = n; j-- > 0;)
        z += w[j] * (j > 0 ? x[j - 1] : 1);
    return z;
}

static int
wanted(const double *w, const double *x, size_t n)
{
    return weighted_sum(w, x, n) >= 0 ? 1 : -1;
}

static void
fill_whole(Rng *rng, double *x, size_t n, int most)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)rng_below(rng, 2 * (uint64_t)most + 1) - most;
}

/* ---- 01.1 ---------------------------------------------------------------------------------------------------------- */

START_TEST(predict_bias)
{
    const double x[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const struct {
        const char *name;
        double w[3];
        int want[4];
    } cases[] = {{"and, w = (-3, 2, 1)", {-3, 2, 1}, {-1, -1, -1, 1}},
                 {"w = (0.5, 0, 0): the bias alone", {0.5, 0, 0}, {1, 1, 1, 1}},
                 {"w = (-0.5, 0, 0): the bias alone", {-0.5, 0, 0}, {-1, -1, -1, -1}},
                 {"w = (-1, 0, 2): x_2 alone", {-1, 0, 2}, {-1, 1, -1, 1}}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        for (int i = 0; i < 4; i++) {
            int got = perceptron_predict(cases[c].w, x[i], 2);
            grade_that(got == cases[c].want[i], "%s, x = (%g, %g): got %d, want %d", cases[c].name, x[i][0], x[i][1],
                       got, cases[c].want[i]);
        }
}
END_TEST

START_TEST(predict_random)
{
    Rng rng = grade_rng();
    double w[MOST_INPUTS + 1], x[MOST_INPUTS];
    for (size_t n = 0; n <= MOST_INPUTS; n++)
        for (int repeat = 0; repeat < 20; repeat++) {
            fill_whole(&rng, w, n + 1, 9);
            fill_whole(&rng, x, n, 9);
            int got = perceptron_predict(w, x, n), want = wanted(w, x, n);
            grade_that(got == want, "n = %zu, z = %g: got %d, want %d", n, weighted_sum(w, x, n), got, want);
        }
}
END_TEST

START_TEST(predict_zero)
{
    Rng rng = grade_rng();
    double w[MOST_INPUTS + 1] = {0}, x[MOST_INPUTS];
    for (size_t n = 0; n <= MOST_INPUTS; n++) {
        fill_whole(&rng, x, n, 9);
        memset(w, 0, sizeof(w));
        grade_that(perceptron_predict(w, x, n) == 1, "n = %zu, w = 0, so z = 0: sgn(0) is +1", n);
        fill_whole(&rng, w, n + 1, 9);
        w[0] = 0;
        w[0] = -weighted_sum(w, x, n);
        grade_that(perceptron_predict(w, x, n) == 1, "n = %zu, the bias cancels the rest, so z = 0: sgn(0) is +1", n);
    }
}
END_TEST

/* ---- 01.2 ---------------------------------------------------------------------------------------------------------- */

/* Calls the student's update on random samples and compares all of w, when the prediction is wrong (or right). */
static void
check_updates(bool wrong)
{
    Rng rng = grade_rng();
    double w[MOST_INPUTS + 1], x[MOST_INPUTS], want[MOST_INPUTS + 1];
    for (size_t n = 1; n <= MOST_INPUTS; n++) {
        fill_whole(&rng, w, n + 1, 9);
        fill_whole(&rng, x, n, 9);
        int yhat = wanted(w, x, n), y = wrong ? -yhat : yhat;
        double r = grade_uniform(&rng, 0.1, 0.9);
        for (size_t j = 0; j <= n; j++)
            want[j] = w[j] + r * (y - yhat) * (j > 0 ? x[j - 1] : 1);
        bool changed = perceptron_update(w, x, y, n, r);
        grade_doubles(w, want, n + 1, 1, 1e-12, "w, n = %zu, y = %+d, yhat = %+d, r = %.3f", n, y, yhat, r);
        grade_that(changed == wrong, "n = %zu, y = %+d, yhat = %+d: got %s, want %s", n, y, yhat,
                   changed ? "true" : "false", wrong ? "true" : "false");
    }
}

START_TEST(update_right)
{
    check_updates(false);
}
END_TEST

START_TEST(update_wrong)
{
    check_updates(true);
}
END_TEST

/* ---- 01.3 ---------------------------------------------------------------------------------------------------------- */

static const double corners[] = {0, 0, 0, 1, 1, 0, 1, 1};

static void
check_result(const char *name, PerceptronResult got, PerceptronResult want)
{
    grade_that(got.converged == want.converged, "%s: converged is %s, want %s", name, got.converged ? "true" : "false",
               want.converged ? "true" : "false");
    grade_that(got.epochs == want.epochs, "%s: got %d epochs, want %d (the clean one counts)", name, got.epochs,
               want.epochs);
    grade_that(got.updates == want.updates, "%s: got %zu updates in all epochs, want %zu", name, got.updates,
               want.updates);
    grade_that(got.mistakes == want.mistakes, "%s: got %zu mistakes in the last epoch, want %zu", name, got.mistakes,
               want.mistakes);
}

START_TEST(train_gates)
{
    double w[3] = {0};
    const int and_y[] = {-1, -1, -1, 1}, or_y[] = {-1, 1, 1, 1};
    PerceptronResult result = perceptron_train(w, corners, and_y, 4, 2, 0.5, 100);
    grade_doubles(w, (double[]){-3, 2, 1}, 3, 1, 1e-12, "w of `and` from zeros, r = 0.5");
    check_result("and", result, (PerceptronResult){.converged = true, .epochs = 6, .updates = 11});
    memset(w, 0, sizeof(w));
    result = perceptron_train(w, corners, or_y, 4, 2, 0.5, 100);
    grade_doubles(w, (double[]){-1, 1, 1}, 3, 1, 1e-12, "w of `or` from zeros, r = 0.5");
    check_result("or", result, (PerceptronResult){.converged = true, .epochs = 4, .updates = 5});
}
END_TEST

/* The rule once more, on whole numbers with r = 1/2: exact, so that the student's numbers must be the same. */
static PerceptronResult
train(double *w, const double *X, const int *y, size_t count, size_t n, int max_epochs)
{
    PerceptronResult result = {.converged = false};
    for (; result.epochs < max_epochs && !result.converged; result.epochs++) {
        size_t before = result.updates;
        for (size_t i = 0; i < count; i++) {
            const double *x = &X[i * n];
            if (wanted(w, x, n) == y[i])
                continue;
            result.updates++;
            for (size_t j = 0; j <= n; j++)
                w[j] += y[i] * (j > 0 ? x[j - 1] : 1);
        }
        result.mistakes = result.updates - before;
        result.converged = result.mistakes == 0;
    }
    return result;
}

/* Samples on whole numbers that a hyperplane divides, none on it: labels from a random w. */
static void
check_separable(Rng *rng, size_t count, size_t n)
{
    double *X = ARRAY(double, count *n), *truth = ARRAY(double, n + 1), *got = ARRAY(double, n + 1),
           *want = ARRAY(double, n + 1);
    int *y = ARRAY(int, count);
    fill_whole(rng, truth, n + 1, 9);
    truth[0] += 0.5;
    fill_whole(rng, X, count * n, 9);
    for (size_t i = 0; i < count; i++)
        y[i] = wanted(truth, &X[i * n], n);
    PerceptronResult should = train(want, X, y, count, n, 100000),
                     result = perceptron_train(got, X, y, count, n, 0.5, 100000);
    check_result("separable random data", result, should);
    grade_doubles(got, want, n + 1, 1, 1e-9, "w after %d epochs on %zu samples of %zu numbers", result.epochs, count,
                  n);
    array_free(X);
    array_free(truth);
    array_free(got);
    array_free(want);
    array_free(y);
}

START_TEST(train_separable)
{
    Rng rng = grade_rng();
    for (size_t n = 1; n <= 5; n++)
        check_separable(&rng, 7 * n, n);
    check_separable(&rng, 1, 13);
}
END_TEST

START_TEST(train_stops)
{
    const int xor_y[] = {-1, 1, 1, -1};
    for (int most = 0; most <= 50; most += 5) {
        double w[3] = {0}, want[3] = {0};
        PerceptronResult should = train(want, corners, xor_y, 4, 2, most);
        PerceptronResult result = perceptron_train(w, corners, xor_y, 4, 2, 0.5, most);
        check_result("xor, which no line divides", result, should);
        grade_doubles(w, want, 3, 1, 1e-12, "w of `xor` after %d epochs", most);
    }
    double w[3] = {0};
    PerceptronResult result = perceptron_train(w, corners, xor_y, 0, 2, 0.5, 10);
    grade_that(result.converged && result.epochs == 1, "no samples: one epoch without an update, got %d epochs",
               result.epochs);
}
END_TEST

GRADE_LAB("01", "the perceptron", {"01.1", "the sign of z, with the bias first", 10, &predict_bias, 2},
          {"01.1", "random weights, 0 to 40 inputs", 10, &predict_random, 2},
          {"01.1", "sgn(0) is +1", 10, &predict_zero, 2},
          {"01.2", "a right prediction changes nothing (uses 01.1)", 10, &update_right, 2},
          {"01.2", "a wrong one moves every weight (uses 01.1)", 20, &update_wrong, 2},
          {"01.3", "and, or (uses 01.1, 01.2)", 15, &train_gates, 2},
          {"01.3", "random separable data (uses 01.1, 01.2)", 15, &train_separable, 5},
          {"01.3", "xor stops at max_epochs (uses 01.1, 01.2)", 10, &train_stops, 2})
