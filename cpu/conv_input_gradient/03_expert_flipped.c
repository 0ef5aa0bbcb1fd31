/* With stride 1 dx is a convolution of dy, and if the kernel is 3 x 3, Winograd's algorithm saves multiplications here as it
 * does there:
 *
 *     forward          y[i] += x[i - p + a] w[a]                             weights [a][c][in][out]
 *     its gradient     dx[h] += dy[h + p - a] w[a] = dy[h - p' + a'] w'[a']     p' = 2 - p,  a' = 2 - a,  w'[a'][c'][out][in]
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/conv_input_gradient/03_expert_flipped.h"
#include "core/vector.h"
#include "core/workspace.h"
#include "cpu/conv/algorithm.h"
#include "cpu/conv/patches.h"
#include "cpu/gemm/pack.h"

enum { PIXELS_MIN = 512 }; /* of dy: fewer do not pay for transposing the weights and transforming them */

static WindowAxis
flipped_axis(WindowAxis axis)
{
    axis.padding = (axis.kernel - 1) * axis.dilation - axis.padding;
    return axis;
}

ConvShape
input_gradient_flipped_shape(const ConvShape *s)
{
    ConvShape flipped = *s;
    flipped.height = conv_out_height(s);
    flipped.width = conv_out_width(s);
    flipped.channels = s->out_channels;
    flipped.out_channels = s->channels;
    flipped.window.vertical = flipped_axis(s->window.vertical);
    flipped.window.horizontal = flipped_axis(s->window.horizontal);
    return flipped;
}

ConvForward *
input_gradient_flipped_algorithm(const ConvShape *s)
{
    const ConvShape flipped = input_gradient_flipped_shape(s);
    const WindowAxis v = flipped.window.vertical, u = flipped.window.horizontal;
    const bool whole_vectors = s->channels % VECTOR_LANES == 0; /* what flip_weights() writes */
    if (!conv_winograd_accepts(&flipped) || v.padding < 0 || u.padding < 0 || !whole_vectors ||
        conv_out_pixels(s) < PIXELS_MIN)
        return NULL;
    const ConvAlgorithm chosen = conv_expert_algorithm(&flipped);
    return chosen == CONV_WINOGRAD_4x4 ? conv_winograd_4x4 : chosen == CONV_WINOGRAD_2x2 ? conv_winograd_2x2 : NULL;
}

/* flipped[tap][out][in] = w[the tap opposite][in][out]: one transposition for each tap. */
static void
flip_weights(const ConvShape *s, const float *w, float *flipped)
{
    const size_t in = (size_t)s->channels, out = (size_t)s->out_channels;
    const int taps = s->window.vertical.kernel * s->window.horizontal.kernel;
#pragma omp parallel for if (in * out >= 1 << 14)
    for (int tap = 0; tap < taps; tap++)
        pack_panel(flipped + (size_t)tap * in * out, s->channels, w + (size_t)(taps - 1 - tap) * in * out, out, 1,
                   s->channels, s->out_channels);
}

void
input_gradient_flipped(ConvForward *forward, const ConvShape *s, const float *dy, const float *w, float *dx)
{
    const ConvShape flipped = input_gradient_flipped_shape(s);
    const size_t taps = (size_t)s->window.vertical.kernel * (size_t)s->window.horizontal.kernel;
    float *weights = workspace_outer(taps * (size_t)s->channels * (size_t)s->out_channels * sizeof(float));
    flip_weights(s, w, weights);
    forward(&flipped, dy, weights, NULL, dx);
}
