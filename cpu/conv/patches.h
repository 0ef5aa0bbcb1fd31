/* The matrix of patches: row m = (b, i, j) holds the pixels that output pixel (i, j) of image b sees, in the order of w's rows.
 *
 *     m ->  [ tap (0,0): channels of the group | tap (0,1) | ... | tap (KH-1, KW-1) ]      KH KW channels / groups floats
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_PATCHES_H
#define CPU_CONV_PATCHES_H

#include "core/conv_shape.h"
#include <stddef.h>

typedef struct Pixel {
    int b, i, j; /* image, row and column of an output pixel */
} Pixel;

static inline size_t
conv_out_pixels(const ConvShape *s)
{
    return (size_t)s->batch * (size_t)conv_out_height(s) * (size_t)conv_out_width(s);
}

/* Pixel m of all output pixels. */
static inline Pixel
conv_pixel(const ConvShape *s, size_t m)
{
    const size_t width = (size_t)conv_out_width(s), height = (size_t)conv_out_height(s);
    return (Pixel){(int)(m / width / height), (int)(m / width % height), (int)(m % width)};
}

/* The one after it. */
static inline Pixel
conv_next_pixel(const ConvShape *s, Pixel p)
{
    if (++p.j == conv_out_width(s)) {
        p.j = 0;
        if (++p.i == conv_out_height(s)) {
            p.i = 0;
            p.b++;
        }
    }
    return p;
}

/* Floats of a row. */
static inline size_t
conv_patch_size(const ConvShape *s)
{
    return (size_t)s->window.vertical.kernel * (size_t)s->window.horizontal.kernel * (size_t)(s->channels / s->groups);
}

/* Where pixel (h, w) of image b begins in x, or NULL outside the image. */
static inline const float *
conv_input_pixel(const ConvShape *s, const float *x, int b, int h, int w)
{
    if (h < 0 || h >= s->height || w < 0 || w >= s->width)
        return NULL;
    return x + (((size_t)b * (size_t)s->height + (size_t)h) * (size_t)s->width + (size_t)w) * (size_t)s->channels;
}

/* A patch is made of runs: floats that are contiguous in x, too. Without dilation and groups a row of the kernel is one,
 * since the channels of neighbouring pixels are neighbours; else a tap is one. */
typedef struct Runs {
    int count, length;  /* of floats; count * length = conv_patch_size */
    int taps;           /* in a run */
    ptrdiff_t row_size; /* floats in a row of x */
} Runs;

static inline Runs
conv_runs(const ConvShape *s)
{
    const int height = s->window.vertical.kernel, width = s->window.horizontal.kernel,
              channels = s->channels / s->groups;
    const bool rows = width == 1 || (s->window.horizontal.dilation == 1 && s->groups == 1);
    const int taps = rows ? width : 1;
    return (Runs){height * width / taps, taps * channels, taps, (ptrdiff_t)s->width * s->channels};
}

/* Where a run is in x: its row of the image, NULL outside, and the float in that row where it begins. Floats before 0 or from
 * row_size on are padding. */
typedef struct Run {
    const float *row;
    ptrdiff_t begin;
} Run;

static inline Run
conv_run(const ConvShape *s, const Runs *runs, const float *x, Pixel p, int group, int which)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int tap = which * runs->taps, h = window_begin(v, p.i) + tap / u.kernel * v.dilation;
    const ptrdiff_t w = window_begin(u, p.j) + tap % u.kernel * u.dilation;
    const float *image = x + (size_t)p.b * (size_t)s->height * (size_t)runs->row_size;
    return (Run){h < 0 || h >= s->height ? NULL : image + h * runs->row_size,
                 w * s->channels + group * (s->channels / s->groups)};
}

/* Floats k .. k+count-1 of the row of pixel p, for one group, to patch. */
void conv_write_patch(const ConvShape *s, const float *x, Pixel p, int group, int k, int count, float *patch);

/* All of the rows of pixels first .. first+count-1. */
void conv_write_patches(const ConvShape *s, const float *x, size_t first, size_t count, int group, float *patches);

/* 1x1, stride 1, no padding: x is the matrix of patches as it stands. */
static inline bool
conv_is_pointwise(const ConvShape *s)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    return v.kernel == 1 && u.kernel == 1 && v.stride == 1 && u.stride == 1 && v.padding == 0 && u.padding == 0;
}

#endif
