/* What tells the rungs of softmax apart: where the naive one fails, and what the online one must keep when a larger number comes.
 * (tests/cpu/test_kernels.c has every shape of the rungs that networks use.) SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/softmax/softmax.h"
#include "tests/testing.h"

TEST(naive_overflows_and_the_others_do_not)
{
    static SoftmaxLoss *const right[] = {softmax_loss_stable, softmax_loss_online, softmax_loss_vector};
    const float large[3] = {89, 0, 0}, small[3] = {-110, -111, -112};
    float p[3];
    ck_assert(isnan(softmax_loss_naive(1, 3, large, (int[]){0}, p)) && isnan(p[0])); /* infinity / infinity */
    ck_assert(isnan(softmax_loss_naive(1, 3, small, (int[]){0}, p)) && isnan(p[0])); /* 0 / 0 */
    for (int r = 0; r < 3; r++) {
        ck_assert(fabs(right[r](1, 3, large, (int[]){0}, p)) < 1e-6);
        ck_assert(p[0] == 1 && p[1] < 1e-38F);
        ck_assert_double_eq_tol(right[r](1, 3, small, (int[]){0}, p), log(1 + exp(-1) + exp(-2)), 1e-6);
    }
}

TEST(naive_is_right_where_nothing_overflows)
{
    float p[2];
    ck_assert_double_eq_tol(softmax_loss_naive(1, 2, (float[]){0, logf(3)}, (int[]){0}, p), log(4), 1e-6);
    ck_assert_floats(p, ((float[]){0.25F, 0.75F}), 2, 1e-6, 0);
    ck_assert(isnan(softmax_loss_naive(1, 2, (float[]){0, 0}, NULL, p)));
    ck_assert(softmax_loss_naive(0, 2, NULL, (int[]){0}, NULL) == 0);
}

static double
exact_row(size_t n, const float *z, int label, double *p)
{
    double max = -INFINITY, sum = 0;
    for (size_t c = 0; c < n; c++)
        max = fmax(max, (double)z[c]);
    for (size_t c = 0; c < n; c++)
        sum += p[c] = exp((double)z[c] - max);
    for (size_t c = 0; c < n; c++)
        p[c] /= sum;
    return log(sum) - ((double)z[label] - max);
}

/* Rising numbers scale the sum down at every step; falling ones never; both lanes and blocks of the vector rung are crossed. */
TEST(rows_that_rise_and_fall)
{
    static SoftmaxLoss *const rungs[] = {softmax_loss_stable, softmax_loss_online, softmax_loss_vector};
    static const int sizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 129, 1000, 2048, 2049, 5003};
    for (int s = 0; s < 14; s++)
        for (int way = -1; way <= 1; way++)
            for (int r = 0; r < 3; r++) {
                const size_t n = (size_t)sizes[s];
                float *z = ARRAY(float, n);
                double *want = ARRAY(double, n);
                Guarded p = guarded_create(n);
                rng_fill_normal(1, 0, 0, z, n, 0, 3);
                for (size_t c = 0; c < n; c++)
                    z[c] += (float)way * 0.05F * (float)c + 500;
                const int label = sizes[s] / 2;
                const double exact = exact_row(n, z, label, want), loss = rungs[r](1, sizes[s], z, &label, p.x);
                ck_assert_doubles(&loss, &exact, 1, 1e-6, 2e-6);
                const Verdict verdict = verify_against(p.x, want, n, 1e-9, 2e-5);
                ck_assert_msg(verdict_ok(&verdict), "rung %d, %zu classes: [%zu] is %g, not %g", r, n, verdict.first,
                              verdict.got, verdict.want);
                ck_assert(guarded_intact(&p));
                const double again = rungs[r](1, sizes[s], z, &label, z); /* in place */
                ck_assert(loss == again && memcmp(z, p.x, n * sizeof *z) == 0);
                guarded_free(&p);
                array_free(want);
                array_free(z);
            }
}

TEST(nan_spoils_its_row_alone)
{
    static SoftmaxLoss *const rungs[] = {softmax_loss_naive, softmax_loss_stable, softmax_loss_online,
                                         softmax_loss_vector};
    for (int r = 0; r < 4; r++)
        for (int classes = 2; classes <= 130; classes += 32)
            for (int at = 0; at < classes; at++) {
                float z[260] = {0}, p[260];
                z[at] = NAN;
                ck_assert(isnan(rungs[r](2, classes, z, (int[]){0, 1}, p)) || r == 0);
                for (int c = 0; c < classes; c++)
                    ck_assert(isnan(p[c]) && !isnan(p[classes + c]));
            }
}

TEST(the_same_bits_with_any_number_of_threads)
{
    enum { ROWS = 311, CLASSES = 1013, N = ROWS * CLASSES };
    const int before = host_threads();
    static int labels[ROWS];
    float *z = ARRAY(float, N), *first = ARRAY(float, N), *now = ARRAY(float, N);
    double loss = 0;
    rng_fill_normal(1, 0, 0, z, N, 0, 3);
    for (int threads = 1; threads <= 4; threads++) {
        host_set_threads(threads);
        const double got = softmax_loss_vector(ROWS, CLASSES, z, labels, threads == 1 ? first : now);
        if (threads == 1)
            loss = got;
        else
            ck_assert(got == loss && memcmp(first, now, N * sizeof *now) == 0);
    }
    host_set_threads(before);
    array_free(z);
    array_free(first);
    array_free(now);
}

/* A class that is ruled out by z = -infinity has the probability 0, wherever in the row it stands. */
TEST(minus_infinity_is_a_class_ruled_out)
{
    static SoftmaxLoss *const rungs[] = {softmax_loss_naive, softmax_loss_stable, softmax_loss_online,
                                         softmax_loss_vector};
    const float first[3] = {-INFINITY, 1, 2}, last[3] = {1, 2, -INFINITY}, both[3] = {-INFINITY, 3, -INFINITY};
    const float low = 1 / (1 + expf(1));
    float p[3];
    for (int r = 0; r < 4; r++) {
        ck_assert_double_eq_tol(rungs[r](1, 3, first, (int[]){2}, p), -log(1 - (double)low), 1e-6);
        ck_assert_floats(p, ((float[]){0, low, 1 - low}), 3, 1e-6, 0);
        rungs[r](1, 3, last, (int[]){1}, p);
        ck_assert_floats(p, ((float[]){low, 1 - low, 0}), 3, 1e-6, 0);
        rungs[r](1, 3, both, (int[]){1}, p);
        ck_assert_floats(p, ((float[]){0, 1, 0}), 3, 1e-6, 0);
    }
}

TEST_MAIN("softmax")
