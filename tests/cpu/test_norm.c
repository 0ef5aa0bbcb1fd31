/* Normalisation: both rungs against the formulas in double, and the formulas against finite differences.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/norm/norm.h"
#include "tests/cpu/norm_case.h"
#include "tests/testing.h"

typedef struct Rung {
    const char *name;
    BatchNormForward *batch;
    BatchNormInfer *infer;
    BatchNormBackward *batch_gradient;
    LayerNormForward *layer;
    LayerNormBackward *layer_gradient;
} Rung;

static const Rung rungs[] = {
    {"naive", batch_norm_forward_naive, batch_norm_infer_naive, batch_norm_backward_naive, layer_norm_forward_naive,
     layer_norm_backward_naive},
    {"vector", batch_norm_forward_vector, batch_norm_infer_vector, batch_norm_backward_vector,
     layer_norm_forward_vector, layer_norm_backward_vector},
};
enum { RUNGS = 2 };

TEST(the_formula_is_the_slope)
{
    enum { N = 7 };
    const Group g = {N, 2};
    double x[2 * N], d[2 * N], y[2 * N], dx[2 * N], largest = 0;
    for (int i = 0; i < 2 * N; i++) {
        x[i] = rng_normal_at(1, 0, (uint64_t)i);
        d[i] = rng_normal_at(1, 1, (uint64_t)i);
    }
    exact_backward(g, x, d, dx);
    for (size_t k = 0; k < N; k++) {
        const double h = 1e-5, here = x[2 * k];
        double slope = 0;
        for (int side = -1; side <= 1; side += 2) {
            x[2 * k] = here + side * h;
            exact_forward(g, x, y);
            for (size_t j = 0; j < N; j++)
                slope += side * y[2 * j] * d[2 * j] / (2 * h);
        }
        x[2 * k] = here;
        ck_assert_double_eq_tol(dx[2 * k], slope, 1e-8);
        largest = fmax(largest, fabs(slope));
    }
    ck_assert_double_gt(largest, 0.1);
}

static void
check(const Rung *rung, const Case *k, const char *what, Guarded *got, Verdict verdict)
{
    verdict.overrun = !guarded_intact(got);
    ck_assert_verdict(verdict, "%s, %s, %s of %zu x %zu", rung->name, k->layer ? "layer" : "batch", what, k->R, k->C);
    guarded_poison(got);
}

/* What float can do: x is off by 6e-8 |offset|, and so is xhat, whose factor is 1 / deviation. With few numbers in a group the
 * deviation may be small and the factor large. */
static void
check_rung(const Rung *rung, const Case *k, double offset)
{
    const size_t n = k->R * k->C, groups = groups_of(k);
    const int R = (int)k->R, C = (int)k->C;
    double factor = 1;
    for (size_t i = 0; i < groups; i++)
        factor = fmax(factor, k->inverse[i]);
    const double tight = 2e-6 * factor * (1 + fabs(offset));
    Guarded y = guarded_create(n), mean = guarded_create(groups), inverse = guarded_create(groups);
    Guarded dx = guarded_create(n), dgamma = guarded_create(k->C), dbeta = guarded_create(k->C);
    if (k->layer)
        rung->layer(R, C, k->x, k->gamma, k->beta, EPSILON, y.x, mean.x, inverse.x);
    else
        rung->batch(R, C, k->x, k->gamma, k->beta, EPSILON, 0.1F, NULL, NULL, y.x, mean.x, inverse.x);
    if (k->layer)
        rung->layer_gradient(R, C, k->x, k->dy, k->gamma, mean.x, inverse.x, dx.x, dgamma.x, dbeta.x);
    else
        rung->batch_gradient(R, C, k->x, k->dy, k->gamma, mean.x, inverse.x, dx.x, dgamma.x, dbeta.x);
    const bool empty = n == 0;
    check(rung, k, "y", &y, verify_against(y.x, k->y, n, tight, 2e-6));
    check(rung, k, "mean", &mean, verify_against(mean.x, k->mean, empty ? 0 : groups, 1e-6, 1e-6));
    check(rung, k, "inverse", &inverse, verify_against(inverse.x, k->inverse, empty ? 0 : groups, 0, tight));
    check(rung, k, "dx", &dx, verify_against(dx.x, k->dx, n, 4 * tight * factor, 4e-6));
    for (size_t c = 0; c < k->C; c++)
        k->terms[c] = tight * (k->terms[c] + 1);
    check(rung, k, "dbeta", &dbeta, verify_within(dbeta.x, k->dbeta, k->terms, k->C));
    check(rung, k, "dgamma", &dgamma, verify_within(dgamma.x, k->dgamma, k->terms, k->C));
    for (size_t c = 0; c < k->C; c++)
        k->terms[c] = k->terms[c] / tight - 1;
    Guarded *const all[] = {&y, &mean, &inverse, &dx, &dgamma, &dbeta};
    for (int i = 0; i < 6; i++)
        guarded_free(all[i]);
}

static void
check_shape(size_t R, size_t C, double offset)
{
    for (int layer = 0; layer < 2; layer++) {
        Case k = case_create(layer == 1, R, C, offset);
        for (int r = 0; r < RUNGS; r++)
            check_rung(&rungs[r], &k, offset);
        case_free(&k);
    }
}

static const size_t edges[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 63, 64, 65, 101, 129};

TEST(every_shape)
{
    for (int i = 0; i < COUNT(edges); i++)
        for (int j = 0; j < COUNT(edges); j++)
            check_shape(edges[i], edges[j], 0.5);
}

TEST(many_rows_and_many_channels)
{
    check_shape(20011, 7, 0);
    check_shape(1003, 301, 0);
    check_shape(3, 40009, 0);
    check_shape(70001, 1, 0);
}

/* A mean a thousand times the deviation: mean of squares minus square of the mean would lose all digits in float. */
TEST(a_large_mean)
{
    check_shape(501, 33, 1000);
    check_shape(33, 501, -1000);
}

/* A first row far from all others, and a channel that does not vary. */
TEST(an_outlier_and_a_constant)
{
    enum { R = 4001, C = 18 };
    for (int r = 0; r < RUNGS; r++) {
        float *x = ARRAY(float, R *C), *y = ARRAY(float, R *C), gamma[C], beta[C], mean[C], inverse[C];
        rng_fill_normal(1, 0, 0, x, R * C, 0, 1);
        for (int c = 0; c < C; c++) {
            x[c] = 1e6F;
            gamma[c] = 1;
            beta[c] = 3;
        }
        for (int i = 0; i < R; i++)
            x[i * C + 5] = 0.7F;
        rungs[r].batch(R, C, x, gamma, beta, EPSILON, 0.1F, NULL, NULL, y, mean, inverse);
        const double deviation = 1e6 * sqrt((1 - 1.0 / R) / R); /* of the outlier alone */
        ck_assert_double_eq_tol((double)inverse[0] * deviation, 1, 1e-5);
        ck_assert_double_eq_tol((double)mean[5], (double)0.7F, 1e-7);
        ck_assert_double_eq_tol((double)inverse[5], 1 / sqrt((double)EPSILON), 1e-2);
        ck_assert_double_eq_tol((double)y[100 * C + 5], 3, 1e-4);
        array_free(x);
        array_free(y);
    }
}

/* Golden: torch.nn.BatchNorm1d(2) in training on [[1, 10], [2, 30], [4, 20]], then in prediction on [[3, 3]]. */
TEST(running_averages_as_pytorch)
{
    const float x[6] = {1, 10, 2, 30, 4, 20}, gamma[2] = {1, 2}, beta[2] = {0, 0.5F}, at[2] = {3, 3};
    for (int r = 0; r < RUNGS; r++) {
        float running_mean[2] = {0, 0}, running_variance[2] = {1, 1}, y[6], mean[2], inverse[2];
        rungs[r].batch(3, 2, x, gamma, beta, EPSILON, 0.1F, running_mean, running_variance, y, mean, inverse);
        ck_assert_floats(running_mean, ((float[]){0.233333349F, 2.0F}), 2, 0, 3e-7);
        ck_assert_floats(running_variance, ((float[]){1.13333333F, 10.9F}), 2, 0, 3e-7);
        rungs[r].infer(1, 2, at, gamma, beta, running_mean, running_variance, EPSILON, y);
        ck_assert_floats(y, ((float[]){2.59881926F, 1.10578227F}), 2, 0, 3e-7);
        /* one row: a variance of 0, and no division by 0 */
        rungs[r].batch(1, 2, at, gamma, beta, EPSILON, 0.5F, running_mean, running_variance, y, mean, inverse);
        ck_assert(y[0] == 0 && y[1] == 0.5F && mean[1] == 3);
        ck_assert_float_eq_tol(running_variance[0], 1.13333333F / 2, 1e-6F);
    }
}

TEST(no_rows_write_nothing)
{
    for (int r = 0; r < RUNGS; r++) {
        float mean[2] = {7, 7}, running[2] = {7, 7}, y[1] = {7}, dgamma[2] = {7, 7}, dbeta[2] = {7, 7};
        const float one[2] = {1, 1};
        rungs[r].batch(0, 2, y, one, one, EPSILON, 0.1F, running, running, y, mean, mean);
        ck_assert(mean[0] == 7 && running[1] == 7 && y[0] == 7);
        rungs[r].batch_gradient(0, 2, y, y, one, one, one, y, dgamma, dbeta);
        ck_assert(dgamma[0] == 0 && dbeta[1] == 0 && y[0] == 7);
        dgamma[0] = dbeta[1] = 7;
        rungs[r].layer_gradient(0, 2, y, y, one, one, one, y, dgamma, dbeta);
        ck_assert(dgamma[0] == 0 && dbeta[1] == 0 && y[0] == 7);
        rungs[r].infer(0, 2, y, one, one, one, one, EPSILON, y);
        ck_assert(y[0] == 7);
    }
}

TEST(in_place_is_the_same)
{
    enum { R = 37, C = 21, N = R * C };
    for (int layer = 0; layer < 2; layer++)
        for (int r = 0; r < RUNGS; r++) {
            Case k = case_create(layer == 1, R, C, 0);
            float mean[R], inverse[R], dgamma[C], dbeta[C], y[N], dx[N], in_place[N];
            const Rung *f = &rungs[r];
            memcpy(in_place, k.x, sizeof in_place);
            for (int twice = 0; twice < 2; twice++) {
                const float *x = twice ? in_place : k.x;
                float *to = twice ? in_place : y;
                if (layer)
                    f->layer(R, C, x, k.gamma, k.beta, EPSILON, to, mean, inverse);
                else
                    f->batch(R, C, x, k.gamma, k.beta, EPSILON, 0.1F, NULL, NULL, to, mean, inverse);
            }
            ck_assert(memcmp(y, in_place, sizeof y) == 0);
            memcpy(in_place, k.dy, sizeof in_place);
            for (int twice = 0; twice < 2; twice++) {
                const float *dy = twice ? in_place : k.dy;
                float *to = twice ? in_place : dx;
                if (layer)
                    f->layer_gradient(R, C, k.x, dy, k.gamma, mean, inverse, to, dgamma, dbeta);
                else
                    f->batch_gradient(R, C, k.x, dy, k.gamma, mean, inverse, to, dgamma, dbeta);
            }
            ck_assert(memcmp(dx, in_place, sizeof dx) == 0);
            case_free(&k);
        }
}

/* A NaN or an infinity spoils its column or its row, and nothing else. */
TEST(nan_stays_in_its_group)
{
    enum { R = 9, C = 37 };
    for (int layer = 0; layer < 2; layer++)
        for (int r = 0; r < RUNGS; r++)
            for (size_t at = 0; at < R * C; at += 5) {
                Case k = case_create(layer == 1, R, C, 0);
                float mean[C], inverse[C], y[R * C];
                k.x[at] = at % 2 ? NAN : INFINITY;
                if (layer)
                    rungs[r].layer(R, C, k.x, k.gamma, k.beta, EPSILON, y, mean, inverse);
                else
                    rungs[r].batch(R, C, k.x, k.gamma, k.beta, EPSILON, 0.1F, NULL, NULL, y, mean, inverse);
                for (size_t i = 0; i < R * C; i++) {
                    const bool same = layer ? i / C == at / C : i % C == at % C;
                    if (k.x[at] != k.x[at] || i == at) /* of an infinity, the others may be 0 */
                        ck_assert_msg(!!isnan(y[i]) == same, "%s, %d, at %zu: y[%zu] is %g", rungs[r].name, layer, at,
                                      i, (double)y[i]);
                    else if (!same)
                        ck_assert(isfinite(y[i]));
                }
                case_free(&k);
            }
}

TEST(the_same_bits_with_any_number_of_threads)
{
    static const size_t shapes[][2] = {{5003, 64}, {601, 517}, {300007, 3}};
    const int before = host_threads();
    for (int s = 0; s < 3; s++) {
        const size_t n = shapes[s][0] * shapes[s][1], groups = shapes[s][0] + shapes[s][1], all = 5 * n + 8 * groups;
        const int R = (int)shapes[s][0], C = (int)shapes[s][1];
        float *first = ARRAY(float, all), *now = ARRAY(float, all);
        Case k = case_create(false, shapes[s][0], shapes[s][1], 1);
        for (int threads = 1; threads <= 4; threads++) {
            float *to = threads == 1 ? first : now, *y = to + 8 * groups;
            host_set_threads(threads);
            batch_norm_forward_vector(R, C, k.x, k.gamma, k.beta, EPSILON, 0.1F, NULL, NULL, y, to, to + groups);
            batch_norm_infer_vector(R, C, k.x, k.gamma, k.beta, to, k.gamma, EPSILON, y + n);
            batch_norm_backward_vector(R, C, k.x, k.dy, k.gamma, to, to + groups, y + 2 * n, to + 2 * groups,
                                       to + 3 * groups);
            layer_norm_forward_vector(R, C, k.x, k.gamma, k.beta, EPSILON, y + 3 * n, to + 4 * groups, to + 5 * groups);
            layer_norm_backward_vector(R, C, k.x, k.dy, k.gamma, to + 4 * groups, to + 5 * groups, y + 4 * n,
                                       to + 6 * groups, to + 7 * groups);
            if (threads > 1)
                ck_assert_msg(memcmp(first, now, all * sizeof(float)) == 0, "%d x %d, %d threads", R, C, threads);
        }
        array_free(first);
        array_free(now);
        case_free(&k);
    }
    host_set_threads(before);
}

TEST_MAIN("norm")
