/* Late gradients, slow workers, larger batches, gossip: each formula against the problem played through. Needs no ranks.
 * SPDX-License-Identifier: MIT */
#include "mpi/model/descent.h"
#include "tests/testing.h"

enum { MOST = 64 };

TEST(limits_of_the_delay)
{
    const double want[] = {2, 1, 0.618034, 0.445042, 0.347296};
    for (int k = 0; k < 5; k++)
        ck_assert_double_eq_tol(stale_limit(k), want[k], 5e-7);
    ck_assert_double_eq_tol(stale_limit(2), (sqrt(5) - 1) / 2, 1e-14); /* the golden ratio */
    ck_assert_double_eq_tol(stale_limit(1000) * 2001, acos(-1), 1e-5);
}

/* A thousandth below the limit it converges, a thousandth above it diverges. */
TEST(the_limit_from_both_sides)
{
    for (int k = 0; k <= 12; k++) {
        const double below = stale_descent(k, 0.999 * stale_limit(k), 400000);
        const double above = stale_descent(k, 1.001 * stale_limit(k), 400000);
        ck_assert_msg(below < 1e-6, "delay %d converges to %g", k, below);
        ck_assert_msg(above > 1e6, "delay %d stays at %g", k, above);
    }
}

/* What can be followed by hand: 1, 1 - x, (1 - x)^2; and with a delay of two and x = 1/2: 1, 1/2, 0, -1/2, -3/4, -3/4, -1/2. */
TEST(few_steps_of_late_gradients)
{
    ck_assert_double_eq(stale_descent(0, 0.5, 0), 1);
    ck_assert_double_eq(stale_descent(0, 0.5, 3), 0.125);
    ck_assert_double_eq(stale_descent(0, 2.5, 2), 2.25);
    ck_assert_double_eq(stale_descent(2, 0.5, 3), 0.5);  /* 1/2 0 -1/2 */
    ck_assert_double_eq(stale_descent(2, 0.5, 5), 0.75); /* -1/2 -3/4 -3/4 */
    ck_assert_double_eq(stale_descent(2, 0.5, 8), 0.5);  /* -1/2 -1/8 1/4 */
}

TEST(the_slowest_of_many)
{
    ck_assert_double_eq(slowest_mean(1, 0), 1);
    ck_assert_double_eq_tol(slowest_mean(8, 0), 2.717857, 5e-7);
    ck_assert_double_eq_tol(slowest_mean(8, 2), 1. / 3 + 1. / 4 + 1. / 5 + 1. / 6 + 1. / 7 + 1. / 8 + 1. / 9 + 1. / 10,
                            1e-14);
    const int cases[][2] = {{1, 0}, {2, 0}, {8, 0}, {8, 1}, {8, 4}, {1, 7}, {31, 3}};
    for (int i = 0; i < 7; i++) {
        const double want = slowest_mean(cases[i][0], cases[i][1]);
        const double got = slowest_played(cases[i][0], cases[i][1], 100000, 5);
        ck_assert_msg(fabs(got - want) <= 0.01 * want, "%d of %d: %g, not %g", cases[i][0], cases[i][0] + cases[i][1],
                      got, want);
    }
}

/* 8 times the batch, an eighth of the steps, so that the number of samples is the same: linear goes as far, root keeps the
 * noise, none of the rates does both. */
TEST(rates_for_larger_batches)
{
    const NoisyQuadratic problem = {1, 3};
    const int n = 4, N = 8, steps = 160;
    const double rate = 0.002;
    const NoisyDescent one = noisy_descent_played(problem, n, rate, steps, 20000, 1);
    const NoisyDescent linear = noisy_descent_played(problem, n * N, rate * N, steps / N, 20000, 2);
    const NoisyDescent root = noisy_descent_played(problem, n * N, rate * sqrt(N), steps / N, 20000, 3);
    const NoisyDescent same = noisy_descent_played(problem, n * N, rate, steps / N, 20000, 4);
    ck_assert_double_eq_tol(linear.distance, one.distance, 0.01);
    ck_assert_double_eq_tol(one.distance, exp(-rate * steps), 0.01);
    ck_assert_double_eq_tol(root.variance / one.variance, 1, 0.02);
    ck_assert_double_eq_tol(linear.variance / one.variance, N, 0.02 * N);
    ck_assert_double_eq_tol(same.variance / one.variance, 1. / N, 0.02 / N);
    ck_assert_double_gt(root.distance, one.distance + 0.1);
    ck_assert_double_gt(same.distance, root.distance + 0.05);
}

TEST(noisy_descent_as_its_formulas_say)
{
    const NoisyQuadratic problem = {2, 0.5};
    const double batches[] = {1, 7, 64}, rates[] = {0.01, 0.3, 0.9};
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < 3; i++) {
            const NoisyDescent want = noisy_descent(problem, batches[b], rates[i], 5);
            const NoisyDescent got = noisy_descent_played(problem, batches[b], rates[i], 5, 40000, 9);
            ck_assert_double_eq_tol(got.distance, want.distance, 0.01);
            ck_assert_double_eq_tol(got.variance / want.variance, 1, 0.02);
        }
    const NoisyDescent silent = noisy_descent_played((NoisyQuadratic){2, 0}, 1, 0.25, 3, 2, 1);
    ck_assert_double_eq(silent.distance, 0.125);
    ck_assert_double_eq(silent.variance, 0);
}

/* The largest factor by which what differs from the mean shrinks, by power iteration from a vector that has all frequencies. */
static double
power_iteration(int p)
{
    double x[MOST], y[MOST], factor = 0;
    for (int r = 0; r < p; r++)
        x[r] = sin(1 + r * r);
    for (int round = 0; round < 20000; round++) {
        double mean = 0, length = 0, after = 0;
        for (int r = 0; r < p; r++)
            mean += x[r] / p;
        for (int r = 0; r < p; r++) {
            x[r] -= mean;
            length += x[r] * x[r];
        }
        if (length < 1e-20)
            return 0;
        gossip_round(p, x, y);
        for (int r = 0; r < p; r++)
            after += y[r] * y[r];
        factor = sqrt(after / length);
        for (int r = 0; r < p; r++)
            x[r] = y[r] / sqrt(length);
    }
    return factor;
}

TEST(gossip_on_a_ring)
{
    for (int p = 1; p <= 33; p++)
        ck_assert_msg(fabs(power_iteration(p) - gossip_contraction(p)) < 1e-6, "%d ranks: %g, not %g", p,
                      power_iteration(p), gossip_contraction(p));
    ck_assert_double_eq(gossip_contraction(1), 0);
    ck_assert_double_eq_tol(gossip_contraction(2), 1. / 3, 1e-15);
    ck_assert_double_eq_tol(gossip_contraction(3), 0, 1e-15);
    ck_assert_double_eq_tol(gossip_contraction(4), 1. / 3, 1e-15);
    ck_assert_double_eq_tol(gossip_contraction(6), 2. / 3, 1e-15);
    ck_assert_double_eq_tol(-1 / log(gossip_contraction(32)), 77.3, 0.5);
    const double x[] = {1, 2, 6, 3, 0}, want[] = {1, 3, 11. / 3, 3, 4. / 3};
    double y[5];
    gossip_round(5, x, y);
    ck_assert_doubles(y, want, 5, 1e-15, 1e-15);
}

TEST_MAIN("descent")
