/* See lab_03_check.h. SPDX-License-Identifier: MIT */
#include "lab_03_check.h"
#include "core/array.h"
#include "cpu/conv/matrices.h"
#include "grade.h"
#include "ladder/verify.h"

/* An output with guards, all poison. */
static Guarded
output(size_t n)
{
    Guarded out = guarded_create(n);
    guarded_poison(&out);
    grade_poison_floats(out.x, n);
    return out;
}

/* Compares it with [rows][columns] and frees it. */
static void
check(Guarded *got, const double *want, size_t rows, size_t columns, const char *name, const char *text)
{
    grade_floats(got->x, want, rows, columns, 0, "%s: %s", text, name);
    grade_that(guarded_intact(got), "%s: something before or behind %s was changed", text, name);
    guarded_free(got);
}

void
lab_03_check_im2col(const Lab03Case *c)
{
    Guarded P = output(c->M * c->K);
    double *want = ARRAY(double, c->M * c->K);
    lab_03_patches(c, want);
    matrices_im2col(&c->shape, c->x, P.x);
    check(&P, want, c->M, c->K, "P", c->text);
    array_free(want);
}

void
lab_03_check_forward(const Lab03Case *c)
{
    Guarded y = output(c->M * c->N);
    double *want = ARRAY(double, c->M * c->N);
    for (size_t m = 0; m < c->M; m++)
        for (size_t o = 0; o < c->N; o++) {
            double *sum = &want[m * c->N + o];
            *sum = (double)c->bias[o];
            for (size_t k = 0; k < c->K; k++)
                *sum += (double)c->P[m * c->K + k] * (double)c->w[k * c->N + o];
        }
    matrices_forward(&c->shape, c->P, c->w, c->bias, y.x);
    check(&y, want, c->M, c->N, "y", c->text);
    array_free(want);
}

void
lab_03_check_conv(const Lab03Case *c)
{
    const size_t rows = (size_t)c->shape.batch * c->M;
    Guarded y = output(rows * c->N);
    double *want = ARRAY(double, rows * c->N);
    lab_03_forward(c, want);
    matrices_conv(&c->shape, c->x, c->w, c->bias, y.x);
    check(&y, want, rows, c->N, "y of a batch", c->text);
    array_free(want);
}

/* want = first + what this image adds; both gradients begin with `first`. */
void
lab_03_check_weight_gradient(const Lab03Case *c, float first, bool weights, bool biases)
{
    Guarded dw = output(c->K * c->N), db = output(c->N);
    double *want_w = ARRAY(double, c->K * c->N), *want_b = ARRAY(double, c->N);
    for (size_t i = 0; i < c->K * c->N; i++)
        want_w[i] = (double)(dw.x[i] = first);
    for (size_t o = 0; o < c->N; o++)
        want_b[o] = (double)(db.x[o] = first);
    for (size_t m = 0; m < c->M; m++)
        for (size_t o = 0; o < c->N; o++) {
            const double error = (double)c->dy[m * c->N + o];
            want_b[o] += error;
            for (size_t k = 0; k < c->K; k++)
                want_w[k * c->N + o] += (double)c->P[m * c->K + k] * error;
        }
    matrices_weight_gradient(&c->shape, c->P, c->dy, dw.x, db.x);
    if (weights)
        grade_floats(dw.x, want_w, c->K, c->N, 0, "%s: dw, which was %g before", c->text, (double)first);
    if (biases)
        grade_floats(db.x, want_b, c->N, 1, 0, "%s: db, which was %g before", c->text, (double)first);
    grade_that(guarded_intact(&dw), "%s: something before or behind dw was changed", c->text);
    grade_that(guarded_intact(&db), "%s: something before or behind db was changed", c->text);
    guarded_free(&dw);
    guarded_free(&db);
    array_free(want_w);
    array_free(want_b);
}

void
lab_03_check_patch_gradient(const Lab03Case *c)
{
    Guarded dP = output(c->M * c->K);
    double *want = ARRAY(double, c->M * c->K);
    for (size_t m = 0; m < c->M; m++)
        for (size_t k = 0; k < c->K; k++)
            for (size_t o = 0; o < c->N; o++)
                want[m * c->K + k] += (double)c->dy[m * c->N + o] * (double)c->w[k * c->N + o];
    matrices_patch_gradient(&c->shape, c->dy, c->w, dP.x);
    check(&dP, want, c->M, c->K, "dP", c->text);
    array_free(want);
}

void
lab_03_check_col2im(const Lab03Case *c)
{
    const size_t channels = (size_t)c->shape.channels;
    Guarded dx = output(c->pixels * channels);
    double *want = ARRAY(double, c->pixels *channels);
    lab_03_image(c, want);
    matrices_col2im(&c->shape, c->P, dx.x);
    check(&dx, want, c->pixels, channels, "dx", c->text);
    array_free(want);
}

void
lab_03_check_gradients(const Lab03Case *c)
{
    const size_t channels = (size_t)c->shape.channels, pixels = (size_t)c->shape.batch * c->pixels;
    Guarded dx = output(pixels * channels), dw = output(c->K * c->N), db = output(c->N);
    double *want_x = ARRAY(double, pixels *channels), *want_w = ARRAY(double, c->K * c->N),
           *want_b = ARRAY(double, c->N);
    lab_03_gradients(c, want_x, want_w, want_b);
    matrices_conv_gradients(&c->shape, c->x, c->w, c->dy, dx.x, dw.x, db.x);
    check(&dx, want_x, pixels, channels, "dx of a batch", c->text);
    check(&dw, want_w, c->K, c->N, "dw of a batch", c->text);
    check(&db, want_b, c->N, 1, "db of a batch", c->text);
    array_free(want_x);
    array_free(want_w);
    array_free(want_b);
}

/* The winner of window `window` of an image, for one channel. */
static int32_t
draw_winner(Rng *rng, Winners winners, size_t window, size_t windows, size_t pixels)
{
    const size_t apart = pixels / windows; /* at least 1: windows are not more than pixels here */
    if (winners == WINNERS_APART)
        return (int32_t)(window * apart + rng_below(rng, apart));
    if (winners == WINNERS_EQUAL)
        return (int32_t)(pixels / 2);
    return rng_below(rng, 3) == 0 ? -1 : (int32_t)rng_below(rng, pixels);
}

/* From the other side: each number of dx asks who gave to it. */
void
lab_03_check_pooling(Rng *rng, PoolShape s, Winners winners)
{
    const size_t pixels = (size_t)s.height * (size_t)s.width, windows = (size_t)s.out_height * (size_t)s.out_width;
    const size_t channels = (size_t)s.channels, batch = (size_t)s.batch;
    const size_t inputs = batch * pixels * channels, outputs = batch * windows * channels;
    float *dy = ARRAY(float, outputs);
    int32_t *winner = ARRAY(int32_t, outputs);
    double *want = ARRAY(double, inputs);
    for (size_t i = 0; i < outputs; i++) {
        dy[i] = (float)rng_below(rng, 9) - 4;
        winner[i] = draw_winner(rng, winners, i / channels % windows, windows, pixels);
    }
    for (size_t i = 0; i < inputs; i++)
        for (size_t j = 0; j < outputs; j++) {
            const bool same_image = i / (pixels * channels) == j / (windows * channels);
            if (same_image && i % channels == j % channels && winner[j] == (int32_t)(i / channels % pixels))
                want[i] += (double)dy[j];
        }
    Guarded dx = output(inputs);
    max_pool_backward_naive(&s, dy, winner, dx.x);
    grade_floats(dx.x, want, batch * pixels, channels, 0, "%d images %dx%dx%d, %dx%d windows: dx", s.batch, s.height,
                 s.width, s.channels, s.out_height, s.out_width);
    grade_that(guarded_intact(&dx), "something before or behind dx was changed");
    guarded_free(&dx);
    array_free(dy);
    array_free(winner);
    array_free(want);
}
