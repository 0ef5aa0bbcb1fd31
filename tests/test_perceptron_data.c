/* Lecture 1: the perceptron on random points with a known margin, and on real flowers.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "data/dataset.h"
#include "perceptron.h"
#include "tests/testing.h"

/* Novikoff: if some unit vector u has y u^T x >= g for all samples, and no sample is longer than R, then from w = 0 there are at
 * most (R/g)^2 updates, in any order and however many epochs. Random points around a known plane, gap g. */
TEST(updates_stay_below_novikoffs_bound)
{
    enum { COUNT = 60, N = 5 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Rng rng = rng_create(seed, 0);
        double u[N + 1], X[COUNT * N], w[N + 1] = {0}, norm = 0, R2 = 0, g = INFINITY;
        int y[COUNT];
        for (int j = 0; j <= N; j++)
            u[j] = rng_normal(&rng);
        for (int j = 0; j <= N; j++)
            norm += u[j] * u[j];
        for (size_t i = 0; i < COUNT;) {
            double z = u[0], length = 1;
            for (int j = 0; j < N; j++) {
                double x = X[i * N + (size_t)j] = rng_normal(&rng);
                z += u[j + 1] * x;
                length += x * x;
            }
            if (fabs(z) / sqrt(norm) < 0.1)
                continue; /* too near: draw this sample again */
            y[i++] = perceptron_sign(z);
            g = fmin(g, fabs(z) / sqrt(norm));
            R2 = fmax(R2, length);
        }
        PerceptronResult result = perceptron_train(w, X, y, COUNT, N, 0.5, 100000);
        ck_assert(result.converged);
        ck_assert_uint_ge(result.updates, 1);
        ck_assert_double_le((double)result.updates, R2 / (g * g));
    }
}

/* The flowers of classes a (+1) and b (-1; -1 means all others), in their order. */
static size_t
iris_samples(int a, int b, double X[150 * 4], int y[150])
{
    Dataset iris;
    size_t count = 0;
    ck_assert_ok(dataset_open("iris", &iris, &error));
    ck_assert_uint_eq(iris.count, 150);
    ck_assert_uint_eq(iris.features, 4);
    for (size_t i = 0; i < iris.count; i++) {
        if (b >= 0 && iris.labels[i] != a && iris.labels[i] != b)
            continue;
        for (size_t j = 0; j < 4; j++)
            X[count * 4 + j] = iris.x[i * 4 + j];
        y[count++] = iris.labels[i] == a ? +1 : -1;
    }
    dataset_free(&iris);
    return count;
}

TEST(setosa_separates_from_the_rest)
{
    double X[150 * 4], w[5] = {0};
    int y[150];
    size_t count = iris_samples(0, -1, X, y);
    ck_assert_uint_eq(count, 150);
    PerceptronResult result = perceptron_train(w, X, y, count, 4, 0.5, 1000);
    ck_assert(result.converged);
    ck_assert_uint_ge(result.updates, 1);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(perceptron_predict(w, &X[i * 4], 4), y[i]);
}

TEST(versicolor_does_not_separate_from_virginica)
{
    double X[150 * 4], w[5] = {0};
    int y[150];
    size_t count = iris_samples(1, 2, X, y);
    ck_assert_uint_eq(count, 100);
    PerceptronResult result = perceptron_train(w, X, y, count, 4, 0.5, 1000);
    ck_assert(!result.converged);
    ck_assert_int_eq(result.epochs, 1000);
    ck_assert_uint_ge(result.mistakes, 1);
}

TEST_MAIN("perceptron data")
