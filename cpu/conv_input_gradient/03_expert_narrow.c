/* Few channels: rung 2's algorithm, a line of dy at a time. The product dy w^T has KH KW channels columns, which fill vectors
 * even if channels alone do not. Its rows are the patches of one line of dy; they stay in the L2 cache until they are added
 * to dx:
 *
 *     line i of dy [OW][OC]   times   w^T [OC][KH KW channels]   =   patches [OW][ a=0: KW channels | a=1: .. | .. ]
 *                                                                    each segment is a run of pixels of line i s - p + a d of
 *                                                                    dx
 *
 * Threads share the images, or bands of lines of an image: lines of dy that two bands see are multiplied for both. A pixel gets its
 * terms in the order of dy's lines and pixels, whatever the bands are.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv_input_gradient/03_expert_narrow.h"
#include "core/host.h"
#include "core/vector.h"
#include "core/workspace.h"
#include "cpu/conv/patches.h"
#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/gemm.h"
#include <string.h>

#define PARALLEL_MIN 1e6

typedef struct Narrow {
    const ConvShape *shape;
    int patch, row; /* floats of a patch, and of a row of patches and of w^T: full vectors */
    const float *transposed;
} Narrow;

bool
input_gradient_is_narrow(const ConvShape *s)
{
    return s->groups == 1 && s->channels <= VECTOR_LANES / 2;
}

/* transposed[o][row] = w[..][o], zeros behind the last. */
static void
transpose_weights(const Narrow *n, const float *w, float *transposed)
{
    const int OC = n->shape->out_channels;
    for (int o = 0; o < OC; o++)
        for (int i = 0; i < n->row; i++)
            transposed[(size_t)o * (size_t)n->row + (size_t)i] =
                i < n->patch ? w[(size_t)i * (size_t)OC + (size_t)o] : 0.0f;
}

/* line[begin .. begin + count - 1] += run, clipped to the line. */
static void
add_run(float *line, long size, long begin, int count, const float *run)
{
    const long first = begin < 0 ? -begin : 0, end = begin + count > size ? size - begin : count;
    for (long i = first; i < end; i += VECTOR_LANES) {
        float *to = line + begin + i;
        const int lanes = (int)(end - i);
        vector_store_first(to, vector_load_first(to, lanes) + vector_load_first(run + i, lanes), lanes);
    }
}

/* Adds what pixel j of a line of dy gives to the lines of dx that it sees, of those in first .. end-1: runs of all taps of a row of
 * the kernel, or of one where dilation leaves gaps. `begin`: the first of the lines. */
static void
add_patch(const Narrow *n, int j, int begin, int first, int end, const float *patch, float *dx)
{
    const ConvShape *s = n->shape;
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int taps = u.dilation == 1 ? u.kernel : 1, count = taps * s->channels;
    const long size = (long)s->width * s->channels;
    for (int a = 0; a < v.kernel; a++) {
        const int h = begin + a * v.dilation;
        if (h < first || h >= end)
            continue;
        for (int c = 0; c < u.kernel; c += taps)
            add_run(dx + h * size, size, (long)(window_begin(u, j) + c * u.dilation) * s->channels, count,
                    patch + (a * u.kernel + c) * s->channels);
    }
}

/* Lines first .. end-1 of one image. Pixels outside, rows of the kernel inside: the runs of neighbouring pixels overlap, and a
 * load that partly overlaps a recent store cannot be forwarded from the store buffer: it stalls. Other lines are added in
 * between. */
static void
compute_band(const Narrow *n, int first, int end, const float *dy, float *dx, float *patches)
{
    const ConvShape *s = n->shape;
    const WindowAxis v = s->window.vertical;
    const int OC = s->out_channels, OW = conv_out_width(s);
    const size_t line = (size_t)s->width * (size_t)s->channels;
    memset(dx + (size_t)first * line, 0, (size_t)(end - first) * line * sizeof(float));
    for (int i = 0; i < conv_out_height(s); i++, dy += (size_t)OW * (size_t)OC) {
        const int begin = window_begin(v, i);
        if (begin >= end || begin + (v.kernel - 1) * v.dilation < first)
            continue;
        gemm_expert(false, false, OW, n->row, OC, 1.0f, dy, OC, n->transposed, n->row, 0.0f, patches, n->row);
        for (int j = 0; j < OW; j++)
            add_patch(n, j, begin, first, end, patches + (size_t)j * (size_t)n->row, dx);
    }
}

void
input_gradient_narrow(const ConvShape *s, const float *dy, const float *w, float *dx)
{
    const double work = (double)conv_out_pixels(s) * (double)conv_patch_size(s) * s->out_channels;
    const int threads = work < PARALLEL_MIN ? 1 : host_threads(), bands = s->batch % threads == 0 ? 1 : threads,
              OW = conv_out_width(s);
    Narrow n = {.shape = s, .patch = (int)conv_patch_size(s)};
    n.row = ceil_div(n.patch, VECTOR_LANES) * VECTOR_LANES;
    const size_t kernel = (size_t)n.row * (size_t)s->out_channels, patches = (size_t)n.row * (size_t)OW;
    const size_t image = (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    const size_t dy_image = (size_t)conv_out_height(s) * (size_t)OW * (size_t)s->out_channels;
    float *space = workspace_outer((kernel + (size_t)threads * patches) * sizeof(float));
    transpose_weights(&n, w, space);
    n.transposed = space;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) /* chunk t of all bands */
        for (int i = partition_begin(t, threads, s->batch * bands);
             i < partition_begin(t + 1, threads, s->batch * bands); i++) {
            const size_t b = (size_t)(i / bands);
            compute_band(&n, partition_begin(i % bands, bands, s->height),
                         partition_begin(i % bands + 1, bands, s->height), dy + b * dy_image, dx + b * image,
                         space + kernel + (size_t)t * patches);
        }
}
