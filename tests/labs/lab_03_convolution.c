/* See lab_03_convolution.h. SPDX-License-Identifier: MIT */
#include "lab_03_convolution.h"
#include "core/array.h"
#include <stdio.h>
#include <string.h>

/* Which tap of the kernel sees this pixel from this output, along one direction; -1: none. */
static int
tap_along(WindowAxis axis, int output, int pixel)
{
    const int behind = pixel - (output * axis.stride - axis.padding);
    if (behind < 0 || behind % axis.dilation != 0 || behind / axis.dilation >= axis.kernel)
        return -1;
    return behind / axis.dilation;
}

typedef struct Sight {
    size_t output, pixel, tap; /* output pixel, pixel of x, place in the kernel; all of one image, row by row */
} Sight;

typedef void See(const Lab03Case *c, const void *from, Sight sight, double *to);

/* Calls `see` for each pair of an output pixel and a pixel of x that it sees. */
static void
look(const Lab03Case *c, See *see, const void *from, double *to)
{
    const ConvShape *s = &c->shape;
    const size_t outputs = (size_t)conv_out_width(s), columns = (size_t)s->width;
    for (size_t m = 0; m < c->M; m++)
        for (size_t p = 0; p < c->pixels; p++) {
            const int down = tap_along(s->window.vertical, (int)(m / outputs), (int)(p / columns));
            const int along = tap_along(s->window.horizontal, (int)(m % outputs), (int)(p % columns));
            if (down >= 0 && along >= 0)
                see(c, from, (Sight){m, p, (size_t)(down * s->window.horizontal.kernel + along)}, to);
        }
}

static float *
whole_numbers(Rng *rng, size_t n)
{
    float *x = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)rng_below(rng, 9) - 4;
    return x;
}

Lab03Case
lab_03_create(Rng *rng, const ConvShape *s)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const size_t batch = (size_t)s->batch, channels = (size_t)s->channels;
    Lab03Case c = {.shape = *s, .N = (size_t)s->out_channels, .pixels = (size_t)s->height * (size_t)s->width};
    c.M = (size_t)conv_out_height(s) * (size_t)conv_out_width(s);
    c.K = (size_t)v.kernel * (size_t)u.kernel * channels;
    c.x = whole_numbers(rng, batch * c.pixels * channels);
    c.dy = whole_numbers(rng, batch * c.M * c.N);
    c.w = whole_numbers(rng, c.K * c.N);
    c.bias = whole_numbers(rng, c.N);
    c.P = whole_numbers(rng, c.M * c.K);
    snprintf(c.text, sizeof(c.text),
             "image %dx%dx%d, kernel %dx%d, stride %dx%d, padding %dx%d, dilation %dx%d, %d output channels", s->height,
             s->width, s->channels, v.kernel, u.kernel, v.stride, u.stride, v.padding, u.padding, v.dilation,
             u.dilation, s->out_channels);
    return c;
}

void
lab_03_free(Lab03Case *c)
{
    array_free(c->x);
    array_free(c->dy);
    array_free(c->w);
    array_free(c->bias);
    array_free(c->P);
}

static void
copy_pixel(const Lab03Case *c, const void *from, Sight sight, double *P)
{
    const size_t channels = (size_t)c->shape.channels;
    for (size_t k = 0; k < channels; k++)
        P[sight.output * c->K + sight.tap * channels + k] = (double)((const float *)from)[sight.pixel * channels + k];
}

void
lab_03_patches(const Lab03Case *c, double *P)
{
    memset(P, 0, c->M * c->K * sizeof(double));
    look(c, copy_pixel, c->x, P);
}

static void
add_patch(const Lab03Case *c, const void *from, Sight sight, double *dx)
{
    const size_t channels = (size_t)c->shape.channels;
    for (size_t k = 0; k < channels; k++)
        dx[sight.pixel * channels + k] += (double)((const float *)from)[sight.output * c->K + sight.tap * channels + k];
}

void
lab_03_image(const Lab03Case *c, double *dx)
{
    memset(dx, 0, c->pixels * (size_t)c->shape.channels * sizeof(double));
    look(c, add_patch, c->P, dx);
}

/* One image of a batch. */
typedef struct Image {
    const float *x, *dy;
} Image;

static Image
image_of(const Lab03Case *c, size_t b)
{
    return (Image){c->x + b * c->pixels * (size_t)c->shape.channels, c->dy + b * c->M * c->N};
}

static double
weight(const Lab03Case *c, size_t tap, size_t k, size_t o)
{
    return (double)c->w[(tap * (size_t)c->shape.channels + k) * c->N + o];
}

static void
add_forward(const Lab03Case *c, const void *from, Sight sight, double *y)
{
    const size_t channels = (size_t)c->shape.channels;
    const float *pixel = ((const Image *)from)->x + sight.pixel * channels;
    for (size_t k = 0; k < channels; k++)
        for (size_t o = 0; o < c->N; o++)
            y[sight.output * c->N + o] += (double)pixel[k] * weight(c, sight.tap, k, o);
}

void
lab_03_forward(const Lab03Case *c, double *y)
{
    for (size_t b = 0; b < (size_t)c->shape.batch; b++, y += c->M * c->N) {
        const Image image = image_of(c, b);
        for (size_t i = 0; i < c->M * c->N; i++)
            y[i] = (double)c->bias[i % c->N];
        look(c, add_forward, &image, y);
    }
}

static void
add_input_gradient(const Lab03Case *c, const void *from, Sight sight, double *dx)
{
    const size_t channels = (size_t)c->shape.channels;
    const float *error = ((const Image *)from)->dy + sight.output * c->N;
    for (size_t k = 0; k < channels; k++)
        for (size_t o = 0; o < c->N; o++)
            dx[sight.pixel * channels + k] += (double)error[o] * weight(c, sight.tap, k, o);
}

static void
add_weight_gradient(const Lab03Case *c, const void *from, Sight sight, double *dw)
{
    const size_t channels = (size_t)c->shape.channels;
    const Image *image = from;
    for (size_t k = 0; k < channels; k++)
        for (size_t o = 0; o < c->N; o++)
            dw[(sight.tap * channels + k) * c->N + o] +=
                (double)image->x[sight.pixel * channels + k] * (double)image->dy[sight.output * c->N + o];
}

void
lab_03_gradients(const Lab03Case *c, double *dx, double *dw, double *db)
{
    const size_t batch = (size_t)c->shape.batch, image_size = c->pixels * (size_t)c->shape.channels;
    memset(dx, 0, batch * image_size * sizeof(double));
    memset(dw, 0, c->K * c->N * sizeof(double));
    memset(db, 0, c->N * sizeof(double));
    for (size_t b = 0; b < batch; b++) {
        const Image image = image_of(c, b);
        look(c, add_input_gradient, &image, dx + b * image_size);
        look(c, add_weight_gradient, &image, dw);
    }
    for (size_t i = 0; i < batch * c->M * c->N; i++)
        db[i % c->N] += (double)c->dy[i];
}
