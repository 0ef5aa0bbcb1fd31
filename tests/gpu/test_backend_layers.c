/* Convolution, pooling and normalisation of the device's table against the CPU's naive one: as test_backend.c.
 * SPDX-License-Identifier: MIT */
#include "tests/gpu/backend_arrays.h"

/* ---- images ------------------------------------------------------------------------------------------- */

static void
check_one_conv(const ConvShape *shape)
{
    const int height = conv_out_height(shape), width = conv_out_width(shape);
    const size_t taps = (size_t)shape->window.vertical.kernel * (size_t)shape->window.horizontal.kernel;
    const size_t in = (size_t)shape->batch * (size_t)shape->height * (size_t)shape->width * (size_t)shape->channels;
    const size_t out = (size_t)shape->batch * (size_t)height * (size_t)width * (size_t)shape->out_channels;
    const size_t weights = taps * (size_t)(shape->channels / shape->groups) * (size_t)shape->out_channels;
    Array x = random_array(in, 1), w = random_array(weights, 2), y = poisoned_array(out), dy = random_array(out, 3);
    Array bias = random_array((size_t)shape->out_channels, 4), residual = random_array(out, 5);
    Array dx = poisoned_array(in), dw = poisoned_array(weights), plain = poisoned_array(out);
    for (int s = CPU; s <= GPU; s++) {
        const Epilogue epilogue = {.bias = bias.x[s], .residual = residual.x[s], .relu = true};
        table[s]->conv_forward(shape, x.x[s], w.x[s], &epilogue, y.x[s]);
        table[s]->conv_forward(shape, x.x[s], w.x[s], NULL, plain.x[s]);
        table[s]->conv_input_gradient(shape, dy.x[s], w.x[s], dx.x[s]);
        table[s]->conv_weight_gradient(shape, x.x[s], dy.x[s], dw.x[s]);
    }
    expect_equal(&y, 1e-5, "conv_forward");
    expect_equal(&plain, 1e-5, "conv_forward without epilogue");
    expect_equal(&dx, 1e-5, "conv_input_gradient");
    expect_equal(&dw, 2e-5, "conv_weight_gradient");
    Array *const inputs[] = {&x, &w, &dy, &bias, &residual};
    for (int i = 0; i < 5; i++)
        expect_unchanged(inputs[i]);
}

static void
check_conv(void)
{
    const ConvShape shapes[] = {
        {1, 1, 1, 1, 1, 1, window_square(1, 1, 0, 1)},   {2, 7, 5, 3, 4, 1, window_square(3, 1, 1, 1)},
        {2, 9, 8, 4, 6, 2, window_square(3, 2, 1, 1)},   {1, 11, 7, 5, 33, 1, window_square(5, 3, 2, 1)},
        {3, 8, 8, 6, 6, 6, window_square(3, 1, 1, 2)},   {2, 5, 6, 35, 7, 1, window_square(1, 2, 0, 1)},
        {2, 4, 5, 17, 63, 1, window_square(1, 1, 0, 1)}, {1, 2, 2, 3, 4, 1, window_square(3, 1, 0, 1)},
        {0, 5, 5, 2, 3, 1, window_square(3, 1, 1, 1)},   {2, 6, 7, 2, 3, 1, {{2, 1, 0, 1}, {3, 2, 1, 1}}},
        {2, 4, 4, 0, 3, 1, window_square(3, 1, 1, 1)},
    };
    for (size_t i = 0; i < COUNT(shapes); i++)
        check_one_conv(&shapes[i]);
}

static void
check_one_pool(const PoolShape *shape)
{
    const size_t in = (size_t)shape->batch * (size_t)shape->height * (size_t)shape->width * (size_t)shape->channels;
    const size_t out =
        (size_t)shape->batch * (size_t)shape->out_height * (size_t)shape->out_width * (size_t)shape->channels;
    Array x = random_array(in, 1), dy = random_array(out, 2), y = poisoned_array(out), winner = poisoned_array(out);
    Array dx = poisoned_array(in), mean = poisoned_array(out), dmean = poisoned_array(in);
    if (in > 2) { /* the first of equal ones, the first NaN */
        x.x[CPU][1] = x.x[CPU][0];
        x.x[CPU][in - 1] = NAN;
        table[GPU]->memory->copy_in(x.x[GPU], x.x[CPU], in * sizeof(float));
    }
    for (int s = CPU; s <= GPU; s++) {
        table[s]->max_pool_forward(shape, x.x[s], y.x[s], (int32_t *)winner.x[s]);
        table[s]->max_pool_backward(shape, dy.x[s], (const int32_t *)winner.x[s], dx.x[s]);
    }
    expect_unchanged(&winner);
    expect_unchanged(&y);
    expect_equal(&dx, 1e-6, "max_pool_backward");
    if (in > 2) {
        x.x[CPU][in - 1] = 1;
        table[GPU]->memory->copy_in(x.x[GPU], x.x[CPU], in * sizeof(float));
    }
    ON_BOTH(average_pool_forward(shape, x.x[s], mean.x[s]));
    ON_BOTH(average_pool_backward(shape, dy.x[s], dmean.x[s]));
    expect_equal(&mean, 1e-6, "average_pool_forward");
    expect_equal(&dmean, 1e-6, "average_pool_backward");
    expect_unchanged(&x);
    expect_unchanged(&dy);
}

static void
check_pools(void)
{
    /* The last but two: one output more than there are whole windows (ceil); then the whole image; then windows with gaps. */
    const PoolShape shapes[] = {
        {1, 1, 1, 1, 1, 1, window_square(1, 1, 0, 1)},    {2, 8, 6, 3, 4, 3, window_square(2, 2, 0, 1)},
        {3, 7, 9, 5, 4, 5, window_square(3, 2, 1, 1)},    {2, 5, 5, 33, 3, 3, window_square(3, 1, 0, 1)},
        {0, 4, 4, 3, 2, 2, window_square(2, 2, 0, 1)},    {2, 6, 5, 3, 3, 3, window_square(3, 2, 1, 1)},
        {2, 7, 5, 4, 1, 1, {{7, 7, 0, 1}, {5, 5, 0, 1}}}, {2, 9, 8, 3, 3, 2, window_square(3, 2, 1, 2)}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        check_one_pool(&shapes[i]);
}

/* ---- normalisation ------------------------------------------------------------------------------------ */

static void
check_batch_norm(void)
{
    for (int i = 0; i < MATRICES; i++) {
        const int rows = matrices[i][0], channels = matrices[i][1];
        const size_t R = (size_t)rows, C = (size_t)channels;
        Array x = random_array(R * C, 1), gamma = random_array(C, 2), beta = random_array(C, 3),
              dy = random_array(R * C, 4);
        Array running_mean = random_array(C, 5), running_variance = constant_array(C, 0.7f);
        Array y = poisoned_array(R * C), mean = constant_array(C, 0), inverse = constant_array(C, 1),
              inferred = poisoned_array(R * C);
        Array dgamma = poisoned_array(C), dbeta = poisoned_array(C);
        for (int s = CPU; s <= GPU; s++) {
            table[s]->batch_norm_forward(rows, channels, x.x[s], gamma.x[s], beta.x[s], 1e-5f, 0.1f, running_mean.x[s],
                                         running_variance.x[s], y.x[s], mean.x[s], inverse.x[s]);
            table[s]->batch_norm_infer(rows, channels, x.x[s], gamma.x[s], beta.x[s], running_mean.x[s],
                                       running_variance.x[s], 1e-5f, inferred.x[s]);
            table[s]->batch_norm_backward(rows, channels, x.x[s], dy.x[s], gamma.x[s], mean.x[s], inverse.x[s], dy.x[s],
                                          dgamma.x[s], dbeta.x[s]);
        }
        Array *const results[] = {&y,        &mean, &inverse, &running_mean, &running_variance,
                                  &inferred, &dy,   &dgamma,  &dbeta};
        for (size_t r = 0; r < COUNT(results); r++)
            expect_equal(results[r], rows == 1 ? 1e-3 : 1e-5,
                         "batch norm"); /* one row: 1 / sqrt(epsilon) = 316 times the rounding */
        expect_unchanged(&x);
        expect_unchanged(&gamma);
        expect_unchanged(&beta);
    }
}

static void
check_layer_norm(void)
{
    for (int i = 0; i < MATRICES; i++) {
        const int rows = matrices[i][0], channels = matrices[i][1] > 0 ? matrices[i][1] : 1;
        const size_t R = (size_t)rows, C = (size_t)channels;
        Array x = random_array(R * C, 1), gamma = random_array(C, 2), beta = random_array(C, 3),
              dy = random_array(R * C, 4);
        Array y = poisoned_array(R * C), mean = poisoned_array(R), inverse = poisoned_array(R);
        Array dgamma = poisoned_array(C), dbeta = poisoned_array(C);
        for (int s = CPU; s <= GPU; s++) {
            table[s]->layer_norm_forward(rows, channels, x.x[s], gamma.x[s], beta.x[s], 1e-5f, y.x[s], mean.x[s],
                                         inverse.x[s]);
            table[s]->layer_norm_backward(rows, channels, x.x[s], dy.x[s], gamma.x[s], mean.x[s], inverse.x[s], dy.x[s],
                                          dgamma.x[s], dbeta.x[s]);
        }
        Array *const results[] = {&y, &mean, &inverse, &dy, &dgamma, &dbeta};
        for (size_t r = 0; r < COUNT(results); r++)
            expect_equal(results[r], channels == 1 ? 1e-3 : 1e-5, "layer norm");
        expect_unchanged(&x);
        expect_unchanged(&gamma);
        expect_unchanged(&beta);
    }
}

CHECKED(conv, test_thorough())
CHECKED(pools, test_thorough())
CHECKED(batch_norm, test_thorough())
CHECKED(layer_norm, test_thorough())

TEST_MAIN("gpu backend of layers")
