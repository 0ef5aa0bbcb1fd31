/* NaN, infinity and denormal numbers through every kernel: what goes in must show, at its place and nowhere else, in the vector
 * body of a loop as well as in its end. SPDX-License-Identifier: MIT */
#include "cpu/activation/activation.h"
#include "cpu/bias/bias.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemv/gemv.h"
#include "cpu/ladders.h"
#include "cpu/loss/loss.h"
#include "cpu/openblas.h"
#include "cpu/optimizer/optimizer.h"
#include "cpu/softmax/softmax.h"
#include "tests/testing.h"

enum { LONGEST = 70 };

/* True if x[at] and no other of the n elements is NaN. */
static bool
only_nan(const float *x, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]) != (i == at))
            return false;
    return true;
}

static void
fill(float *x, size_t n, float value)
{
    for (size_t i = 0; i < n; i++)
        x[i] = value;
}

typedef void Map(size_t n, const float *x, float *y);
static const struct {
    const char *name;
    Map *map;
    float low, high; /* at -infinity and infinity */
} maps[] = {
    {"sigmoid_libm", sigmoid_libm, 0, 1},
    {"sigmoid_polynomial", sigmoid_polynomial, 0, 1},
    {"tanh_libm", tanh_libm, -1, 1},
    {"tanh_polynomial", tanh_polynomial, -1, 1},
    {"relu_forward", relu_forward, 0, INFINITY},
};

TEST(nan_comes_through_activations_at_its_place)
{
    for (int i = 0; i < COUNT(maps); i++)
        for (size_t n = 1; n <= LONGEST; n++)
            for (size_t at = 0; at < n; at++) {
                float x[LONGEST], y[LONGEST];
                fill(x, n, -1.5f);
                x[at] = at % 2 ? NAN : -NAN;
                maps[i].map(n, x, y);
                if (!only_nan(y, n, at))
                    ck_abort_msg("%s, n %zu, NaN at %zu", maps[i].name, n, at);
            }
}

TEST(infinity_gives_the_limits)
{
    for (int i = 0; i < COUNT(maps); i++)
        for (size_t n = 1; n <= LONGEST; n++) {
            float x[LONGEST], y[LONGEST];
            for (size_t k = 0; k < n; k++)
                x[k] = k % 2 ? INFINITY : -INFINITY;
            maps[i].map(n, x, y);
            for (size_t k = 0; k < n; k++)
                if (y[k] != (k % 2 ? maps[i].high : maps[i].low))
                    ck_abort_msg("%s of %g is %g", maps[i].name, (double)x[k], (double)y[k]);
        }
}

TEST(activations_in_place_give_the_same_bits)
{
    for (int i = 0; i < COUNT(maps); i++)
        for (size_t n = 0; n <= LONGEST; n++) {
            float x[LONGEST], y[LONGEST];
            for (size_t k = 0; k < n; k++)
                x[k] = (float)k / 7.0f - 4.0f;
            maps[i].map(n, x, y);
            maps[i].map(n, x, x);
            ck_assert_msg(memcmp(x, y, n * sizeof(float)) == 0, "%s, n %zu", maps[i].name, n);
        }
}

typedef void Gradient(size_t n, const float *y, const float *dy, float *dx);

TEST(nan_comes_through_gradients_at_its_place)
{
    static Gradient *const gradients[] = {sigmoid_gradient, tanh_gradient, relu_gradient};
    for (int i = 0; i < 3; i++)
        for (size_t n = 1; n <= LONGEST; n++)
            for (size_t at = 0; at < 2 * n; at++) {
                float y[LONGEST], dy[LONGEST], dx[LONGEST];
                fill(y, n, 0.5f);
                fill(dy, n, 2.0f);
                (at < n ? y : dy)[at % n] = NAN;
                gradients[i](n, y, dy, dx);
                const bool apart = only_nan(dx, n, at % n);
                gradients[i](n, y, dy, dy); /* dx may be dy */
                if (!apart || memcmp(dx, dy, n * sizeof(float)) != 0)
                    ck_abort_msg("gradient %d, n %zu, NaN at %zu", i, n, at);
            }
}

TEST(nan_comes_through_steps_at_its_place)
{
    for (size_t n = 1; n <= LONGEST; n++)
        for (size_t at = 0; at < n; at++) {
            float dw[LONGEST], w[4][LONGEST], m[3][LONGEST] = {{0}}, v[LONGEST] = {0};
            fill(dw, n, 1.0f);
            dw[at] = NAN;
            for (int i = 0; i < 4; i++)
                fill(w[i], n, 1.0f);
            sgd_step(n, w[0], dw, 0.1f, 0.0f);
            momentum_step(n, w[1], dw, m[0], 0.1f, 0.9f, 0.0f, false);
            momentum_step(n, w[2], dw, m[1], 0.1f, 0.9f, 0.0f, true);
            adam_step(n, w[3], dw, m[2], v, 0.1f, 0.9, 0.999, 1e-8f, 0.0f, 0.1, 0.001);
            for (int i = 0; i < 4; i++)
                if (!only_nan(w[i], n, at))
                    ck_abort_msg("step %d, n %zu, NaN at %zu", i, n, at);
        }
}

TEST(nan_comes_through_sums)
{
    for (size_t n = 1; n <= LONGEST; n++)
        for (size_t at = 0; at < n; at++) {
            float x[LONGEST], target[LONGEST], sum[LONGEST];
            fill(x, n, 1.0f);
            fill(target, n, 2.0f);
            fill(sum, n, 3.0f);
            x[at] = NAN;
            add_into(n, x, sum);
            const bool added = only_nan(sum, n, at);
            fill(sum, n, 3.0f);
            bias_gradient(1, (int)n, x, sum);
            if (!added || !only_nan(sum, n, at) || !isnan(mse_loss_naive(n, x, target)) ||
                !isnan(mse_loss_lanes(n, x, target)) || !isnan(mse_loss_lanes(n, target, x)))
                ck_abort_msg("n %zu, NaN at %zu", n, at);
        }
}

static SoftmaxLoss *const softmaxes[] = {softmax_loss_stable, softmax_loss_vector};

/* Row 0 has the special value at `at`, rows 1 and 2 have none; row 1 has another label than row 0. */
static double
softmax_of(int which, int classes, int at, float value, int label, float *p)
{
    float z[3 * LONGEST];
    fill(z, 3 * (size_t)classes, 0.5f);
    z[at] = value;
    return softmaxes[which](3, classes, z, (int[]){label, 1, 0}, p);
}

TEST(softmax_of_minus_infinity_is_zero)
{
    for (int s = 0; s < 2; s++)
        for (int classes = 2; classes <= LONGEST; classes++)
            for (int at = 0; at < classes; at++) {
                float p[3 * LONGEST];
                const double rest = log(classes - 1.0), whole = 2.0 * log(classes);
                const double finite = softmax_of(s, classes, at, -INFINITY, (at + 1) % classes, p);
                if (p[at] != 0.0f || !(fabs(finite - rest - whole) < 1e-4))
                    ck_abort_msg("softmax %d, %d classes, at %d: loss %g", s, classes, at, finite);
                const double infinite = softmax_of(s, classes, at, -INFINITY, at, p);
                if (!isinf(infinite) || infinite < 0.0) /* what is impossible has happened */
                    ck_abort_msg("softmax %d, %d classes, at %d: loss %g", s, classes, at, infinite);
            }
}

TEST(softmax_of_infinity_and_of_nan_is_nan_in_its_row)
{
    for (int s = 0; s < 2; s++)
        for (int classes = 1; classes <= LONGEST; classes++)
            for (int at = 0; at < classes; at++)
                for (int kind = 0; kind < 2; kind++) {
                    float p[3 * LONGEST];
                    const double loss = softmax_of(s, classes, at, kind ? INFINITY : NAN, classes - 1, p);
                    bool right = isnan(loss);
                    for (int c = 0; c < 3 * classes; c++)
                        right = right && isnan(p[c]) == (c < classes);
                    if (!right && classes > 1)
                        ck_abort_msg("softmax %d, %d classes, at %d", s, classes, at);
                }
}

TEST(softmax_of_nothing_but_minus_infinity_is_nan)
{
    for (int s = 0; s < 2; s++)
        for (int classes = 1; classes <= LONGEST; classes++) {
            float z[LONGEST], p[LONGEST];
            fill(z, (size_t)classes, -INFINITY);
            ck_assert(isnan(softmaxes[s](1, classes, z, (int[]){0}, p)));
            for (int c = 0; c < classes; c++)
                ck_assert(isnan(p[c]));
        }
}

static Gemm *const gemms[] = {gemm_naive, gemm_reordered, gemm_register_tile};

/* A is 0 and B is 1 but for one infinity: its column of C must be NaN, in every row. */
static void
check_gemm(int rung, int transposes, int N, int K, int at)
{
    enum { M = 13 };
    const bool ta = (transposes & 1) != 0, tb = (transposes & 2) != 0;
    float A[M * LONGEST], B[LONGEST * LONGEST], C[M * LONGEST];
    fill(A, (size_t)(M * K), 0.0f);
    fill(B, (size_t)(K * N), 1.0f);
    const int k = at % K, n = at % N;
    B[tb ? n * K + k : k * N + n] = INFINITY;
    gemms[rung](ta, tb, M, N, K, 1.0f, A, ta ? M : K, B, tb ? K : N, 0.0f, C, N);
    for (int m = 0; m < M; m++)
        if (!only_nan(C + m * N, (size_t)N, (size_t)n))
            ck_abort_msg("gemm %d, transposes %d, N %d, K %d, row %d", rung, transposes, N, K, m);
}

TEST(zero_times_infinity_is_nan_in_gemm)
{
    for (int rung = 0; rung < 3; rung++)
        for (int transposes = 0; transposes < 4; transposes++)
            for (int N = 1; N <= LONGEST; N += 3)
                for (int at = 0; at < LONGEST; at += 7)
                    check_gemm(rung, transposes, N, 1 + at % 19, at);
}

TEST(alpha_zero_and_beta_one_leave_nan_in_gemm)
{
    for (int rung = 0; rung < 3; rung++) {
        float A[4] = {1, 1, NAN, 1}, B[4] = {1, 1, 1, 1}, C[4] = {5, NAN, 5, 5};
        gemms[rung](false, false, 2, 2, 2, 0.0f, A, 2, B, 2, 1.0f, C, 2);
        ck_assert(C[0] == 5 && isnan(C[1]) && isnan(C[2]) && isnan(C[3]));
    }
}

TEST(zero_times_infinity_is_nan_in_gemv)
{
    enum { M = 13 };
    for (int r = 0; r < gemv_ladder.count - !openblas_accepts(NULL, NULL); r++)
        for (int N = 1; N <= LONGEST; N++)
            for (int at = 0; at < N; at++) {
                float A[M * LONGEST], x[LONGEST], y[M];
                fill(A, (size_t)(M * N), 1.0f);
                fill(x, (size_t)N, 1.0f);
                x[at] = INFINITY;
                A[(at % M) * N + at] = 0.0f;
                ((Gemv *)gemv_ladder.rungs[r].function)(M, N, 1.0f, A, N, x, 0.0f, y);
                if (!only_nan(y, M, (size_t)(at % M)))
                    ck_abort_msg("%s, N %d, at %d", gemv_ladder.rungs[r].name, N, at);
            }
}

/* Numbers below 2^-126 are multiples of 2^-149: a sum of equal ones is exact. -ffast-math would make them 0. */
TEST(denormal_numbers_are_not_flushed_to_zero)
{
    const float tiny = 0x1p-140f;
    for (int N = 1; N <= LONGEST; N++) {
        float A[9 * LONGEST], x[LONGEST], y[9];
        fill(A, 9 * (size_t)N, tiny);
        fill(x, (size_t)N, 1.0f);
        for (int r = 0; r < gemv_ladder.count - !openblas_accepts(NULL, NULL); r++) {
            ((Gemv *)gemv_ladder.rungs[r].function)(9, N, 1.0f, A, N, x, 0.0f, y);
            for (int i = 0; i < 9; i++)
                ck_assert_msg(y[i] == (float)N * tiny, "%s, N %d", gemv_ladder.rungs[r].name, N);
        }
        for (int r = 0; r < 3; r++) {
            gemms[r](false, false, 9, 1, N, 1.0f, A, N, x, 1, 0.0f, y, 1);
            for (int i = 0; i < 9; i++)
                ck_assert_msg(y[i] == (float)N * tiny, "gemm %d, N %d", r, N);
        }
        relu_forward((size_t)N, A, A);
        ck_assert(A[N - 1] == tiny);
    }
}

TEST_MAIN("special values")
