/* Lab 01: the perceptron, exercises/01-perceptron. The tests know their results without computing them as the student does:
 * inputs are made for a z that was chosen first, an update is looked at from behind, and the training is done once more without
 * any weights. So they tell nobody what to write.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "grade.h"
#include "perceptron.h"
#include <math.h>
#include <string.h>

enum { MOST_INPUTS = 40 };

/* 1, 2, 4 or 8, or minus that: dividing by it is exact. */
static double
power_of_two(Rng *rng)
{
    return ldexp(rng_below(rng, 2) ? 1 : -1, (int)rng_below(rng, 4));
}

static double
whole(Rng *rng, int most)
{
    return (double)rng_below(rng, 2 * (uint64_t)most + 1) - most;
}

/* Weights and n inputs whose z is this number, a multiple of 1/2: z is split at random into n + 1 terms. One is the bias, each
 * of the others is cut once more, into a weight and its input. All is exact, so that z = 0 is really met. */
static void
make_sample(Rng *rng, double z, double *w, double *x, size_t n)
{
    w[0] = z;
    for (size_t i = 0; i < n; i++) {
        double piece = whole(rng, 99);
        x[i] = power_of_two(rng);
        w[i + 1] = piece / x[i];
        w[0] -= piece;
    }
}

/* ---- 01.1 ---------------------------------------------------------------------------------------------------------- */

TEST(predict_bias)
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

static void
check_prediction(Rng *rng, double z, size_t n, const char *why)
{
    double w[MOST_INPUTS + 1], x[MOST_INPUTS];
    make_sample(rng, z, w, x, n);
    int got = perceptron_predict(w, x, n), want = z < 0 ? -1 : 1;
    grade_that(got == want, "n = %zu, z = %g: got %d, want %d%s", n, z, got, want, why);
}

TEST(predict_random)
{
    Rng rng = grade_rng();
    for (size_t n = 0; n <= MOST_INPUTS; n++)
        for (int repeat = 0; repeat < 10; repeat++) {
            double z = 0.5 + fabs(whole(&rng, 3));
            check_prediction(&rng, z, n, "");
            check_prediction(&rng, -z, n, "");
        }
}

TEST(predict_zero)
{
    Rng rng = grade_rng();
    double none[MOST_INPUTS + 1] = {0};
    for (size_t n = 0; n <= MOST_INPUTS; n++) {
        check_prediction(&rng, 0, n, ": sgn(0) is +1");
        grade_that(perceptron_predict(none, none, n) == 1, "n = %zu, w = 0, so z = 0: sgn(0) is +1", n);
    }
}

/* ---- 01.2 ---------------------------------------------------------------------------------------------------------- */

static const char *
truth(bool value)
{
    return value ? "true" : "false";
}

TEST(update_right)
{
    Rng rng = grade_rng();
    double w[MOST_INPUTS + 1], x[MOST_INPUTS], want[MOST_INPUTS + 1];
    for (size_t n = 1; n <= MOST_INPUTS; n++) {
        int y = n % 2 ? 1 : -1;
        make_sample(&rng, y, w, x, n);
        memcpy(want, w, sizeof(w));
        bool changed = perceptron_update(w, x, y, n, grade_uniform(&rng, 0.1, 0.9));
        grade_doubles(w, want, n + 1, 1, 0, "n = %zu, y = yhat = %+d: w must stay as it is", n, y);
        grade_that(!changed, "n = %zu, y = yhat = %+d: got true, want false", n, y);
    }
}

/* How far each weight moved, for each unit of its input. */
static void
find_steps(const double *before, const double *after, const double *x, size_t n, double *step)
{
    for (size_t j = n + 1; j-- > 0;)
        step[j] = (after[j] - before[j]) / (j ? x[j - 1] : 1);
}

/* The first weights moved, the others did not: the mistake was half fixed. */
static bool
stopped_half_way(const double *step, size_t n)
{
    return step[0] != 0 && step[n] == 0;
}

TEST(update_wrong)
{
    Rng rng = grade_rng();
    double w[MOST_INPUTS + 1], x[MOST_INPUTS], before[MOST_INPUTS + 1], step[MOST_INPUTS + 1], want[MOST_INPUTS + 1];
    for (size_t n = 1; n <= MOST_INPUTS; n++) {
        int y = n % 2 ? 1 : -1;
        double r = grade_uniform(&rng, 0.1, 0.9), z = y == 1 ? -1 : n % 4 ? 0 : 1;
        make_sample(&rng, z, w, x, n);
        memcpy(before, w, sizeof(w));
        bool changed = perceptron_update(w, x, y, n, r);
        find_steps(before, w, x, n, step);
        for (size_t j = 0; j <= n; j++)
            want[j] = y == 1 ? 2 * r : -2 * r;
        grade_that(
            !stopped_half_way(step, n),
            "n = %zu, y = %+d, yhat = %+d: w_0 moved, but w_%zu did not. Is yhat computed once, before any weight "
            "moves?",
            n, y, -y, n);
        grade_doubles(step, want, n + 1, 1, 1e-9, "steps of w_j divided by x_j (x_0 = 1), n = %zu, y = %+d, r = %.3f",
                      n, y, r);
        grade_that(changed, "n = %zu, y = %+d, yhat = %+d: got %s, want true", n, y, -y, truth(changed));
    }
}

/* ---- 01.3 ---------------------------------------------------------------------------------------------------------- */

static const double corners[] = {0, 0, 0, 1, 1, 0, 1, 1};

static void
check_result(const char *name, PerceptronResult got, PerceptronResult want)
{
    grade_that(got.converged == want.converged, "%s: converged is %s, want %s", name, truth(got.converged),
               truth(want.converged));
    grade_that(got.epochs == want.epochs, "%s: got %d epochs, want %d (the clean one counts)", name, got.epochs,
               want.epochs);
    grade_that(got.updates == want.updates, "%s: got %zu updates in all epochs, want %zu", name, got.updates,
               want.updates);
    grade_that(got.mistakes == want.mistakes, "%s: got %zu mistakes in the last epoch, want %zu", name, got.mistakes,
               want.mistakes);
}

TEST(train_gates)
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

/* Samples on whole numbers that a hyperplane separates: their numbers add up to more than c where y = +1, to less where it is
 * -1; the first number sees to that. */
static void
make_separable(Rng *rng, double *X, int *y, size_t count, size_t n)
{
    double c = whole(rng, 9) + 0.5;
    for (size_t i = 0; i < count; i++) {
        double left = c;
        y[i] = rng_below(rng, 2) ? 1 : -1;
        left += y[i] * (0.5 + (double)rng_below(rng, 9));
        for (size_t j = 1; j < n; j++)
            left -= X[i * n + j] = whole(rng, 9);
        X[i * n] = left;
    }
}

/* 1 + x_i^T x_k */
static double
product(const double *X, size_t n, size_t i, size_t k)
{
    double sum = 1;
    for (size_t j = 0; j < n; j++)
        sum += X[i * n + j] * X[k * n + j];
    return sum;
}

/* What training from w = 0 with r = 1/2 comes to, found without weights. z[i] is that of sample i; a mistake on sample k moves each
 * z[i] by y_k (1 + x_i^T x_k). Visits are counted through, over all epochs; `until` is the end of the first epoch that may be
 * clean. score[k] is y_k for each mistake on sample k. Whole numbers: exact, so that the student's must be the same. */
static PerceptronResult
train_without_weights(const double *X, const int *y, size_t count, size_t n, size_t most, double *score)
{
    double *z = ARRAY(double, count);
    size_t visit = 0, until = count, updates = 0, *mistakes = ARRAY(size_t, most + 1);
    for (; visit < until && visit < most * count; visit++) {
        size_t k = visit % count, epoch = visit / count;
        if ((z[k] < 0) == (y[k] < 0))
            continue;
        until = (epoch + 2) * count;
        mistakes[epoch]++;
        updates++;
        score[k] += y[k];
        for (size_t i = 0; i < count; i++)
            z[i] += y[k] * product(X, n, i, k);
    }
    PerceptronResult result = {.converged = visit == until, .epochs = (int)(visit / count), .updates = updates};
    result.mistakes = result.epochs > 0 ? mistakes[result.epochs - 1] : 0;
    array_free(z);
    array_free(mistakes);
    return result;
}

/* The weights are the samples, added up by their scores. */
static void
add_samples(const double *X, const double *score, size_t count, size_t n, double *w)
{
    memset(w, 0, (n + 1) * sizeof(double));
    for (size_t j = 0; j <= n; j++)
        for (size_t k = 0; k < count; k++)
            w[j] += score[k] * (j ? X[k * n + j - 1] : 1);
}

static void
check_training(const char *name, const double *X, const int *y, size_t count, size_t n, int most)
{
    double *score = ARRAY(double, count), *got = ARRAY(double, n + 1), *want = ARRAY(double, n + 1);
    PerceptronResult should = train_without_weights(X, y, count, n, (size_t)most, score);
    add_samples(X, score, count, n, want);
    check_result(name, perceptron_train(got, X, y, count, n, 0.5, most), should);
    grade_doubles(got, want, n + 1, 1, 1e-9, "%s: w after %d epochs on %zu samples of %zu numbers", name, should.epochs,
                  count, n);
    array_free(score);
    array_free(got);
    array_free(want);
}

TEST(train_separable)
{
    enum { MOST_SAMPLES = 35, MOST_NUMBERS = 13 };
    Rng rng = grade_rng();
    double X[MOST_SAMPLES * MOST_NUMBERS];
    int y[MOST_SAMPLES];
    for (size_t n = 1; n <= 5; n++) {
        make_separable(&rng, X, y, 7 * n, n);
        check_training("separable random data", X, y, 7 * n, n, 100000);
    }
    make_separable(&rng, X, y, 1, MOST_NUMBERS);
    check_training("a single sample", X, y, 1, MOST_NUMBERS, 100000);
}

TEST(train_stops)
{
    const int xor_y[] = {-1, 1, 1, -1};
    for (int most = 0; most <= 50; most += 5)
        check_training("xor, which no line divides", corners, xor_y, 4, 2, most);
    double w[3] = {0};
    PerceptronResult result = perceptron_train(w, corners, xor_y, 0, 2, 0.5, 10);
    grade_that(result.converged && result.epochs == 1, "no samples: one epoch without an update, got %d epochs",
               result.epochs);
}

GRADE_LAB("01", "the perceptron", {"01.1", "the sign of z, with the bias first", 10, &predict_bias, 2},
          {"01.1", "random weights, 0 to 40 inputs", 10, &predict_random, 2},
          {"01.1", "sgn(0) is +1", 10, &predict_zero, 2},
          {"01.2", "a right prediction changes nothing (uses 01.1)", 10, &update_right, 2},
          {"01.2", "a wrong one moves every weight (uses 01.1)", 20, &update_wrong, 2},
          {"01.3", "and, or (uses 01.1, 01.2)", 15, &train_gates, 2},
          {"01.3", "random separable data (uses 01.1, 01.2)", 15, &train_separable, 5},
          {"01.3", "xor stops at max_epochs (uses 01.1, 01.2)", 10, &train_stops, 2})
