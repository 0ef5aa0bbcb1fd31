/* Softmax, losses, biases, and the tables of kernels: both rungs against formulas in double, at their limits and with NaN.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "cpu/bias/bias.h"
#include "cpu/loss/loss.h"
#include "cpu/softmax/softmax.h"
#include "tests/testing.h"

/* ---- softmax ----------------------------------------------------------------------------------------------------------------- */

static SoftmaxLoss *const softmaxes[] = {softmax_loss_stable, softmax_loss_vector};

/* p and the loss in double. */
static double
exact_softmax(size_t rows, size_t classes, const float *z, const int *labels, double *p)
{
    double loss = 0;
    for (size_t r = 0; r < rows; r++) {
        double max = -INFINITY, sum = 0;
        for (size_t c = 0; c < classes; c++)
            max = fmax(max, z[r * classes + c]);
        for (size_t c = 0; c < classes; c++)
            sum += exp(z[r * classes + c] - max);
        for (size_t c = 0; c < classes; c++)
            p[r * classes + c] = exp(z[r * classes + c] - max) / sum;
        loss += log(sum) - (z[r * classes + (size_t)labels[r]] - max);
    }
    return loss;
}

static void
check_softmax(SoftmaxLoss *softmax, size_t rows, size_t classes)
{
    const size_t n = rows * classes;
    float *z = ARRAY(float, n);
    double *want = ARRAY(double, n);
    int *labels = ARRAY(int, rows);
    Guarded p = guarded_create(n);
    rng_fill_normal(5, classes, 0, z, n, 0, 3);
    for (size_t r = 0; r < rows; r++)
        labels[r] = (int)(r * 7 % classes);
    guarded_poison(&p);
    const double exact = exact_softmax(rows, classes, z, labels, want);
    const double loss = softmax((int)rows, (int)classes, z, labels, p.x);
    ck_assert_doubles(&loss, &exact, 1, 1e-6, 1e-6);
    const Verdict verdict = verify_against(p.x, want, n, 1e-9, 4e-6);
    ck_assert_msg(verdict_ok(&verdict), "%zu x %zu: [%zu] is %g, not %g", rows, classes, verdict.first, verdict.got,
                  verdict.want);
    ck_assert(guarded_intact(&p));
    guarded_free(&p);
    array_free(labels);
    array_free(want);
    array_free(z);
}

TEST(softmax_takes_every_shape)
{
    static const size_t rows[] = {0, 1, 2, 31, 257}, classes[] = {1, 2, 3, 10, 15, 16, 17, 31, 33, 100, 1000, 2049};
    for (int s = 0; s < 2; s++)
        for (int r = 0; r < 5; r++)
            for (int c = 0; c < 12; c++)
                check_softmax(softmaxes[s], rows[r], classes[c]);
}

TEST(softmax_stays_finite)
{
    const float z[9] = {1e4F, -1e4F, 0, -1e4F, -1e4F, -1e4F, 1e4F, 1e4F, -1e4F};
    for (int s = 0; s < 2; s++) {
        float p[9];
        const double loss = softmaxes[s](3, 3, z, (int[]){1, 0, 0}, p);
        for (int r = 0; r < 3; r++)
            ck_assert_double_eq_tol(p[3 * r] + p[3 * r + 1] + p[3 * r + 2], 1, 1e-6);
        ck_assert_floats(p, ((float[]){1, 0, 0}), 3, 0, 0);
        ck_assert_double_eq_tol(loss, 2e4 + log(3) + log(2), 1e-2); /* finite, although p[1] is 0 */
    }
}

TEST(softmax_shows_nan)
{
    for (int s = 0; s < 2; s++) {
        for (int classes = 2; classes <= 40; classes += 19) {
            for (int at = 0; at < classes; at++) {
                float z[80] = {0}, p[80];
                z[at] = NAN; /* in row 0 */
                ck_assert(isnan(softmaxes[s](2, classes, z, (int[]){0, 1}, p)));
                for (int c = 0; c < classes; c++)
                    ck_assert(isnan(p[c]) && !isnan(p[classes + c]));
            }
        }
    }
}

TEST(softmax_predicts_without_labels_and_in_place)
{
    for (int s = 0; s < 2; s++) {
        float z[2] = {0, 0};
        ck_assert(isnan(softmaxes[s](1, 2, z, NULL, z)));
        ck_assert(z[0] == 0.5F && z[1] == 0.5F);
        float y[2] = {0, logf(3)};
        ck_assert_double_eq_tol(softmaxes[s](1, 2, y, (int[]){0}, y), log(4), 1e-6);
        ck_assert_floats(y, ((float[]){0.25F, 0.75F}), 2, 1e-6, 0);
    }
}

TEST(softmax_gradient_is_p_minus_onehot)
{
    const float p[6] = {0.2F, 0.3F, 0.5F, 0.6F, 0.4F, 0}, want[6] = {0.1F, 0.15F, -0.25F, -0.2F, 0.2F, 0};
    Guarded dz = guarded_create(6);
    guarded_poison(&dz);
    softmax_loss_backward(2, 3, p, (int[]){2, 0}, 0.5F, dz.x);
    ck_assert_floats(dz.x, want, 6, 1e-7, 0);
    ck_assert(guarded_intact(&dz));
    guarded_free(&dz);
}

/* ---- squared error, biases --------------------------------------------------------------------------------------------------- */

TEST(mse_sums_halves_of_squares)
{
    float x[70], target[70];
    for (size_t n = 0; n <= 70; n++) {
        double want = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)i;
            target[i] = (float)(3 * i % 7);
            want += (double)((x[i] - target[i]) * (x[i] - target[i])) / 2;
        }
        ck_assert(mse_loss_naive(n, x, target) == want); /* small integers: exact in any order */
        ck_assert(mse_loss_lanes(n, x, target) == want);
    }
    x[40] = NAN;
    ck_assert(isnan(mse_loss_naive(70, x, target)) && isnan(mse_loss_lanes(70, x, target)));
}

TEST(mse_gradient_has_no_factor_two)
{
    float dx[2];
    mse_loss_backward(2, (float[]){3, 1}, (float[]){1, 5}, 0.5F, dx);
    ck_assert(dx[0] == 1 && dx[1] == -2);
}

TEST(bias_is_copied_and_its_gradient_summed)
{
    for (int columns = 0; columns <= 70; columns += 7) {
        for (int rows = 0; rows <= 9; rows += 3) {
            const size_t n = (size_t)rows * (size_t)columns;
            float bias[70], sum[70], want[70];
            Guarded y = guarded_create(n);
            guarded_poison(&y);
            for (int c = 0; c < columns; c++) {
                bias[c] = (float)c;
                sum[c] = 1;
                want[c] = (float)(1 + rows * c);
            }
            bias_fill(rows, columns, bias, y.x);
            for (size_t i = 0; i < n; i++)
                ck_assert(y.x[i] == (float)(i % (size_t)columns));
            bias_gradient(rows, columns, y.x, sum);
            ck_assert_floats(sum, want, (size_t)columns, 0, 0);
            ck_assert(guarded_intact(&y));
            guarded_free(&y);
        }
    }
}

TEST(tables_are_complete)
{
    const char *const names[] = {"naive", "best"};
    for (int i = 0; i < 2; i++) {
        const Backend *backend = cpu_backend(names[i], &error);
        ck_assert_ptr_nonnull(backend);
        ck_assert_str_eq(backend->name, names[i]);
        const unsigned char *bytes = (const unsigned char *)backend;
        for (size_t at = 0; at < sizeof(Backend); at += sizeof(void *)) {
            static const unsigned char none[sizeof(void *)];
            ck_assert_msg(memcmp(bytes + at, none, sizeof none) != 0, "kernel %zu of %s is missing",
                          at / sizeof(void *), names[i]);
        }
    }
    ck_assert_refused(cpu_backend("fastest", &error), "\"fastest\"");
    ck_assert_ptr_null(cpu_backend("", NULL));
}

TEST_MAIN("kernels")
