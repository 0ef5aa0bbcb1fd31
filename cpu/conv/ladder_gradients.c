/* The ladders of the two gradients of convolution: inputs and references.
 *
 * The reference of a large problem costs as much as the problem itself, so it is computed once. Both gradients are linear in each
 * of their inputs, so a round multiplies all of each input by a power of two of either sign, which changes no mantissa, and
 * the reference by their product, exactly. Each round has other factors, and so has each input alone: an output of the round
 * before is wrong wherever it is not 0, and so is one made from a copy of one of the inputs that was packed then.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/ladder_gradients.h"
#include "core/array.h"
#include "core/rng.h"
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Inputs {
    ConvShape shape;
    bool of_weights;    /* dw from x and dy; else dx from w and dy */
    float *other, *dy;  /* other: x or w */
    size_t others, dys; /* elements of them */
    double *want;       /* [outputs], with both factors 1 */
    size_t outputs;     /* elements of dx or dw */
    double factor[2];   /* of other and dy in this round */
} Inputs;

ConvShape
conv_gradient_shape(const int *size)
{
    return (ConvShape){.batch = size[CONV_BATCH],
                       .height = size[CONV_HEIGHT],
                       .width = size[CONV_WIDTH],
                       .channels = size[CONV_CHANNELS],
                       .out_channels = size[CONV_OUT_CHANNELS],
                       .groups = 1,
                       .window = window_square(size[CONV_KERNEL], size[CONV_STRIDE], size[CONV_PADDING], 1)};
}

bool
conv_size_accepts_offsets(const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    return conv_offsets_accepts(&s) || error_set(reason, "takes images of less than 2^31 floats");
}

bool
conv_size_accepts_planes(const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    return conv_planes_accepts(&s) ||
           error_set(reason, "takes no stride along rows, and out channels for at most half a vector");
}

ConvGradientOperands
conv_gradient_operands(const void *inputs)
{
    const Inputs *in = inputs;
    return (ConvGradientOperands){&in->shape, in->of_weights, in->other, in->dy};
}

void
conv_gradient_destroy(void *inputs)
{
    Inputs *in = inputs;
    array_free(in->other);
    array_free(in->dy);
    array_free(in->want);
    array_free(in);
}

/* b * h * w * c, or SIZE_MAX, for which there is no memory. */
static size_t
elements(int b, int h, int w, int c)
{
    size_t n = (size_t)b;
    const bool fits =
        size_multiply(n, (size_t)h, &n) && size_multiply(n, (size_t)w, &n) && size_multiply(n, (size_t)c, &n);
    return fits ? n : SIZE_MAX;
}

/* The longest sum: taps and out_channels for dx, pixels of all images for dw. */
static double
terms(const Inputs *in)
{
    const ConvShape *s = &in->shape;
    const double taps = (double)s->window.vertical.kernel * s->window.horizontal.kernel;
    return in->of_weights ? (double)s->batch * conv_out_height(s) * conv_out_width(s) : taps * s->out_channels;
}

static void *
create(const int *size, bool of_weights, uint64_t seed, Error *error)
{
    if (size[CONV_KERNEL] < 1 || size[CONV_STRIDE] < 1) {
        error_set(error, "convolution with kernel %d and stride %d: both must be 1 or more, as in 16x56x56x64x64x3x1x1",
                  size[CONV_KERNEL], size[CONV_STRIDE]);
        return NULL;
    }
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.shape = conv_gradient_shape(size), .of_weights = of_weights, .factor = {1.0, 1.0}};
    const ConvShape *s = &in->shape;
    const size_t image = elements(s->batch, s->height, s->width, s->channels);
    const size_t kernel = elements(size[CONV_KERNEL], size[CONV_KERNEL], s->channels, s->out_channels);
    in->others = of_weights ? image : kernel;
    in->outputs = of_weights ? kernel : image;
    in->dys = elements(s->batch, conv_out_height(s), conv_out_width(s), s->out_channels);
    in->other = array_try_create(in->others, sizeof(float), error);
    in->dy = in->other != NULL ? array_try_create(in->dys, sizeof(float), error) : NULL;
    in->want = in->dy != NULL ? array_try_create(in->outputs, sizeof(double), error) : NULL;
    if (in->want == NULL) {
        conv_gradient_destroy(in);
        return NULL;
    }
    rng_fill_uniform(seed, 0, 0, in->other, in->others, -1.0, 1.0);
    rng_fill_uniform(seed, 1, 0, in->dy, in->dys, -1.0, 1.0);
    if (of_weights)
        conv_weight_gradient_reference(s, in->other, in->dy, in->want);
    else
        conv_input_gradient_reference(s, in->dy, in->other, in->want);
    return in;
}

void *
conv_input_gradient_create(const int *size, uint64_t seed, Error *error)
{
    return create(size, false, seed, error);
}

void *
conv_weight_gradient_create(const int *size, uint64_t seed, Error *error)
{
    return create(size, true, seed, error);
}

/* Rounds 0, 1, 2, 0, ..: what the inputs are multiplied by, as they were drawn. */
void
conv_gradient_refresh(void *inputs, uint64_t round)
{
    static const double factors[2][3] = {{1.0, -0.5, 0.25}, {1.0, 0.125, -0.0625}};
    Inputs *in = inputs;
    for (int i = 0; i < 2; i++) {
        const double now = factors[i][round % 3];
        const float change = (float)(now / in->factor[i]);
        float *x = i == 0 ? in->other : in->dy;
        for (size_t n = 0; n < (i == 0 ? in->others : in->dys); n++)
            x[n] *= change;
        in->factor[i] = now;
    }
}

/* As for gemm (cpu/gemm/ladder_problem.c). */
void
conv_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    const Inputs *in = inputs;
    const double N = terms(in), n = N + 3.0, u = FLT_EPSILON / 2.0, factor = in->factor[0] * in->factor[1];
    for (size_t i = 0; i < in->outputs; i++) {
        want[i] = factor * in->want[i];
        tolerance[i] = fabs(factor) * u * fmin(n * N, 12.0 * sqrt(n * N));
    }
}

void
conv_gradient_call(LadderFunction *function, const void *inputs, void *output)
{
    const Inputs *in = inputs;
    if (in->of_weights)
        ((ConvWeightGradient *)function)(&in->shape, in->other, in->dy, output);
    else
        ((ConvInputGradient *)function)(&in->shape, in->dy, in->other, output);
}

/* Taps of all outputs along an axis that lie inside the image. */
static double
taps_inside(WindowAxis axis, int pixels)
{
    double count = 0.0;
    for (int i = 0; i < window_outputs(axis, pixels); i++)
        for (int a = 0; a < axis.kernel; a++) {
            const int at = window_begin(axis, i) + a * axis.dilation;
            count += at >= 0 && at < pixels;
        }
    return count;
}

double
conv_gradient_flops(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    return 2.0 * s.batch * taps_inside(s.window.vertical, s.height) * taps_inside(s.window.horizontal, s.width) *
           s.channels * s.out_channels;
}

double
conv_gradient_bytes(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    const double kernel = (double)s.window.vertical.kernel * s.window.horizontal.kernel;
    return sizeof(float) * ((double)s.batch * s.height * s.width * s.channels + kernel * s.channels * s.out_channels +
                            (double)s.batch * conv_out_height(&s) * conv_out_width(&s) * s.out_channels);
}
