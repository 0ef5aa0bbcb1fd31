/* rungs toeplitz: lecture 3's picture of a convolution as one matrix, for an image and a kernel of 1, 2, 3, ..
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/toeplitz.h"
#include "cli/cli.h"
#include "core/array.h"
#include <stdio.h>

static struct {
    int height, width, kernel, stride, padding;
    double bias;
} o = {3, 3, 2, 1, 0, 0.0};

static const Option options[] = {
    {"height", OPTION_INT, &o.height, "N", "rows of the image", .min = 1, .max = 16},
    {"width", OPTION_INT, &o.width, "N", "its columns", .min = 1, .max = 16},
    {"kernel", OPTION_INT, &o.kernel, "N", "rows and columns of the kernel", .min = 1, .max = 16},
    {"stride", OPTION_INT, &o.stride, "N", "pixels from one window to the next", .min = 1, .max = 16},
    {"padding", OPTION_INT, &o.padding, "N", "zeros around the image", .min = 0, .max = 16},
    {"bias", OPTION_DOUBLE, &o.bias, "B", "added to every output", .min = -1e6, .max = 1e6},
    {0}};

static const Command command = {
    .name = "rungs toeplitz",
    .positional = "",
    .summary = "show a convolution as a matrix: y = T x, for x = 1, 2, 3, .. and a kernel of 1, 2, 3, ..",
    .options = options,
    .notes = "The kernel is not flipped, as in networks (cpu/conv/conv.h). Zeros are points.\n"
             "\n  rungs toeplitz --height 4 --width 4 --kernel 3 --padding 1\n"};

static float *
counted(size_t n)
{
    float *x = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i + 1);
    return x;
}

static void
print(const Toeplitz *t, const float *y)
{
    size_t others = 0;
    for (int m = 0; m < t->rows; m++) {
        for (int n = 0; n < t->columns; n++) {
            const float w = t->T[(size_t)m * (size_t)t->columns + (size_t)n];
            others += w != 0.0f;
            if (w != 0.0f)
                printf(" %3g", (double)w);
            else
                printf("   .");
        }
        printf("   y[%d] = %g\n", m, (double)y[m]);
    }
    printf("%d x %d, %zu of %zu elements are not 0, %d different ones\n", t->rows, t->columns, others,
           (size_t)t->rows * (size_t)t->columns, o.kernel * o.kernel);
}

int
command_toeplitz(int argc, char **argv)
{
    int positional, status;
    Error error = {""};
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    const ConvShape shape = {1, o.height, o.width, 1, 1, 1, window_square(o.kernel, o.stride, o.padding, 1)};
    const size_t outputs = (size_t)conv_out_height(&shape) * (size_t)conv_out_width(&shape);
    if (outputs == 0) {
        error_set(&error, "a kernel of %d x %d does not fit into %d x %d pixels with padding %d: make it smaller",
                  o.kernel, o.kernel, o.height, o.width, o.padding);
        return cli_fail(command.name, STATUS_USAGE, &error);
    }
    float *x = counted((size_t)o.height * (size_t)o.width), *w = counted((size_t)o.kernel * (size_t)o.kernel);
    float *y = ARRAY(float, outputs), bias = (float)o.bias;
    Toeplitz t;
    const bool done = toeplitz_create(&t, &shape, w, &error);
    if (done) {
        toeplitz_multiply(&t, x, &bias, 1, y);
        print(&t, y);
    }
    toeplitz_free(&t);
    array_free(x);
    array_free(w);
    array_free(y);
    return done ? STATUS_DONE : cli_fail(command.name, STATUS_FAILED, &error);
}
