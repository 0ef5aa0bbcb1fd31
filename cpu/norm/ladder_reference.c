/* normalisation: what is right, in double, and how far off floats may be. SPDX-License-Identifier: MIT */
#include "cpu/norm/ladder_internal.h"
#include <float.h>
#include <math.h>

static size_t
rows_of(const LadderArrays *in)
{
    return (size_t)in->size[0];
}

static size_t
channels_of(const LadderArrays *in)
{
    return (size_t)in->size[1];
}

/* ---- moments in double ------------------------------------------------------------------------------------------------------ */

typedef struct Moments {
    double mean, inverse;
} Moments;

/* Of n numbers with a stride in floats. */
static Moments
moments(size_t n, size_t stride, const float *x)
{
    double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)x[k * stride];
    const double mean = sum / (double)n;
    for (size_t k = 0; k < n; k++)
        squares += ((double)x[k * stride] - mean) * ((double)x[k * stride] - mean);
    return (Moments){mean, 1 / sqrt(squares / (double)n + NORM_EPSILON)};
}

static Moments
moments_of_channel(const LadderArrays *in, size_t c)
{
    return moments(rows_of(in), channels_of(in), in->array[0].x + c);
}

static Moments
moments_of_row(const LadderArrays *in, size_t r)
{
    return moments(channels_of(in), 1, in->array[0].x + r * channels_of(in));
}

/* ---- forward ---------------------------------------------------------------------------------------------------------------- */

/* Element (r, c) of y. |x| is at most 1, and so is what its rounding and that of the mean are relative to. */
static void
want_y(const LadderArrays *in, size_t r, size_t c, Moments m, double *want, double *tolerance)
{
    const size_t i = r * channels_of(in) + c;
    const double scale = m.inverse * (double)in->array[1].x[c];
    want[i] = ((double)in->array[0].x[i] - m.mean) * scale + (double)in->array[2].x[c];
    tolerance[i] = 16 * (double)FLT_EPSILON * (1 + scale) * (1 + m.inverse);
}

/* Of group g, of `groups`. */
static void
want_moments(size_t n, size_t groups, size_t g, Moments m, double *want, double *tolerance)
{
    want[n + g] = m.mean;
    want[n + groups + g] = m.inverse;
    tolerance[n + g] = 4 * (double)FLT_EPSILON;
    tolerance[n + groups + g] = 16 * (double)FLT_EPSILON * m.inverse * (1 + m.inverse);
}

void
batch_norm_reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    for (size_t c = 0; c < channels_of(in); c++) {
        const Moments m = moments_of_channel(in, c);
        want_moments(in->array[0].n, channels_of(in), c, m, want, tolerance);
        for (size_t r = 0; r < rows_of(in); r++)
            want_y(in, r, c, m, want, tolerance);
    }
}

void
layer_norm_reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    for (size_t r = 0; r < rows_of(in); r++) {
        const Moments m = moments_of_row(in, r);
        want_moments(in->array[0].n, rows_of(in), r, m, want, tolerance);
        for (size_t c = 0; c < channels_of(in); c++)
            want_y(in, r, c, m, want, tolerance);
    }
}

void
batch_norm_infer_reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    for (size_t r = 0; r < rows_of(in); r++)
        for (size_t c = 0; c < channels_of(in); c++) {
            const double variance = (double)in->array[4].x[c];
            const Moments m = {(double)in->array[3].x[c], 1 / sqrt(variance + NORM_EPSILON)};
            want_y(in, r, c, m, want, tolerance);
        }
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

void
batch_norm_gradient_refresh(void *inputs, uint64_t round)
{
    LadderArrays *in = inputs;
    ladder_arrays_refresh(in, round);
    for (size_t c = 0; c < channels_of(in); c++) {
        const Moments m = moments_of_channel(in, c);
        in->array[3].x[c] = (float)m.mean;
        in->array[4].x[c] = (float)m.inverse;
    }
}

void
layer_norm_gradient_refresh(void *inputs, uint64_t round)
{
    LadderArrays *in = inputs;
    ladder_arrays_refresh(in, round);
    for (size_t r = 0; r < rows_of(in); r++) {
        const Moments m = moments_of_row(in, r);
        in->array[3].x[r] = (float)m.mean;
        in->array[4].x[r] = (float)m.inverse;
    }
}

/* xhat of element i of row or channel g, and its gradient gamma dy. */
typedef struct Element {
    double dy, xhat;
} Element;

static Element
element(const LadderArrays *in, size_t r, size_t c, size_t g)
{
    const LadderArray *s = in->array;
    const size_t i = r * channels_of(in) + c;
    return (Element){(double)s[1].x[i], ((double)s[0].x[i] - (double)s[3].x[g]) * (double)s[4].x[g]};
}

/* dgamma and dbeta of channel c. Float products, summed in any order. */
static void
want_parameters(const LadderArrays *in, bool layer, size_t c, double *want, double *tolerance)
{
    const size_t n = in->array[0].n, C = channels_of(in);
    double sum = 0, with_xhat = 0, sizes = 0;
    for (size_t r = 0; r < rows_of(in); r++) {
        const Element e = element(in, r, c, layer ? r : c);
        sum += e.dy;
        with_xhat += e.dy * e.xhat;
        sizes += fabs(e.dy) * (1 + fabs(e.xhat) + (double)in->array[4].x[layer ? r : c]);
    }
    want[n + c] = with_xhat;
    want[n + C + c] = sum;
    tolerance[n + c] = tolerance[n + C + c] = 4 * (double)FLT_EPSILON * sizes;
}

/* dx of one row or channel, whose `count` elements are read through `at`. */
static void
want_dx(const LadderArrays *in, bool layer, size_t g, double *want, double *tolerance)
{
    const size_t C = channels_of(in), count = layer ? C : rows_of(in);
    const double inverse = (double)in->array[4].x[g];
    double sum = 0, with_xhat = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t r = layer ? g : k, c = layer ? k : g;
        const Element e = element(in, r, c, g);
        sum += e.dy * (double)in->array[2].x[c];
        with_xhat += e.dy * (double)in->array[2].x[c] * e.xhat;
    }
    for (size_t k = 0; k < count; k++) {
        const size_t r = layer ? g : k, c = layer ? k : g;
        const Element e = element(in, r, c, g);
        want[r * C + c] =
            inverse * (e.dy * (double)in->array[2].x[c] - sum / (double)count - e.xhat * with_xhat / (double)count);
        tolerance[r * C + c] = 32 * (double)FLT_EPSILON * inverse * (1 + inverse);
    }
}

static void
reference_gradient(const LadderArrays *in, bool layer, double *want, double *tolerance)
{
    for (size_t g = 0; g < (layer ? rows_of(in) : channels_of(in)); g++)
        want_dx(in, layer, g, want, tolerance);
    for (size_t c = 0; c < channels_of(in); c++)
        want_parameters(in, layer, c, want, tolerance);
}

void
batch_norm_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, false, want, tolerance);
}

void
layer_norm_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, true, want, tolerance);
}
