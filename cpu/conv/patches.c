/* Writing patches: see patches.h. SPDX-License-Identifier: MIT */
#include "cpu/conv/patches.h"
#include "core/vector.h"

static ptrdiff_t
within(ptrdiff_t low, ptrdiff_t x, ptrdiff_t high)
{
    return x < low ? low : x < high ? x : high;
}

/* A call of memcpy() takes longer than the 21 floats of a row of a 7 x 7 kernel on 3 channels. The last vector overlaps the one
 * before: masked stores are slow. */
static inline void
copy(float *restrict to, const float *restrict from, ptrdiff_t count)
{
    if (count < VECTOR_LANES) {
        vector_store_first(to, vector_load_first(from, (int)count), (int)count);
        return;
    }
    for (ptrdiff_t i = 0; i + VECTOR_LANES <= count; i += VECTOR_LANES)
        vector_store(to + i, vector_load(from + i));
    vector_store(to + count - VECTOR_LANES, vector_load(from + count - VECTOR_LANES));
}

static inline void
clear(float *to, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i += VECTOR_LANES)
        vector_store_first(to + i, (Vector){0}, count - i < VECTOR_LANES ? (int)(count - i) : VECTOR_LANES);
}

/*                  row of the image
 *            0 [ ................... ] row_size
 *     [ zeros | copied ]                              a run at the left edge
 *                                [ copied | zeros ]   at the right edge
 */
static void
write_run(Run run, ptrdiff_t row_size, ptrdiff_t from, ptrdiff_t count, float *to)
{
    const ptrdiff_t first = run.row == NULL ? count : within(0, -(run.begin + from), count);
    const ptrdiff_t end = run.row == NULL ? count : within(first, row_size - (run.begin + from), count);
    clear(to, first);
    if (end > first)
        copy(to + first, run.row + run.begin + from + first, end - first);
    clear(to + end, count - end);
}

/* A patch that is all inside the image: its runs have a constant stride in a row of the kernel, and from row to row. */
static void
write_inner_patch(const ConvShape *s, const Runs *runs, const float *first, float *patch)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const ptrdiff_t row = v.dilation * runs->row_size, tap = (ptrdiff_t)u.dilation * s->channels, length = runs->length;
    for (int a = 0; a < v.kernel; a++, first += row)
        for (int c = 0; c < u.kernel / runs->taps; c++, patch += length)
            copy(patch, first + c * tap, length);
}

static bool
is_inside(WindowAxis axis, int i, int pixels)
{
    const int begin = window_begin(axis, i);
    return begin >= 0 && begin + (axis.kernel - 1) * axis.dilation < pixels;
}

void
conv_write_patch(const ConvShape *s, const float *x, Pixel p, int group, int k, int count, float *patch)
{
    const Runs runs = conv_runs(s);
    for (int end = k + count; k < end;) {
        const int which = k / runs.length, from = k % runs.length;
        const int part = runs.length - from < end - k ? runs.length - from : end - k;
        write_run(conv_run(s, &runs, x, p, group, which), runs.row_size, from, part, patch);
        patch += part;
        k += part;
    }
}

void
conv_write_patches(const ConvShape *s, const float *x, size_t first, size_t count, int group, float *patches)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const Runs runs = conv_runs(s);
    const int K = (int)conv_patch_size(s);
    Pixel p = conv_pixel(s, first);
    for (; count > 0; count--, patches += K, p = conv_next_pixel(s, p))
        if (is_inside(v, p.i, s->height) && is_inside(u, p.j, s->width))
            write_inner_patch(s, &runs,
                              conv_input_pixel(s, x, p.b, window_begin(v, p.i), window_begin(u, p.j)) +
                                  group * (s->channels / s->groups),
                              patches);
        else
            conv_write_patch(s, x, p, group, 0, K, patches);
}
