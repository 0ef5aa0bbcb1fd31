/* conv_weight_gradient, rung 5: offsets.
 * Idea      no patches at all. The micro-kernel reads x itself, as rung 6 of cpu/conv does, but the sum now runs over pixels, and
 *           the rows of a tile are the taps of a row of the kernel, which are contiguous in x:
 *
 *               dw[a][r][o] += x[a-th row of the window, float r][pixel k] dy[k][o]        x at begin + a row + offset[k] + r
 *
 *           Threads share the lines of y. Each of 16 chunks of lines has a partial dw; these are summed in the order of the
 *           chunks.
 * Before    the patches of few channels take longer to write than to multiply; and if dw is small, its rows do not give every
 *           thread something to do.
 * Now       x and dy are read in place, the image in the L1 cache.
 * Wants     nothing; but a dw for each chunk must fit the caches. The chunks, and so the bits, depend on the shape alone.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/padded.h"
#include "cpu/conv/patches.h"
#include "cpu/float_tile.h"
#include "cpu/partition.h"
#include <string.h>

enum { PARTS = 16 };
#define PARALLEL_MIN 1e6

typedef struct OffsetsPlan {
    ConvShape padded;
    const float *x; /* [batch] padded images */
    const float *dy;
    const int *offset; /* [OH OW]: of an output pixel's window */
    Runs runs;
    int in, out; /* channels of a group */
} OffsetsPlan;

/* Pixels first .. first+count-1 of one image, beginning at x, to a run of dw: `rows` of its floats, all channels of the group. */
static void
add_run(const OffsetsPlan *p, const float *x, const float *dy, Tile tile, int length)
{
    for (int n = 0; n < p->out; n += tile.columns) {
        tile.columns = tile_columns(p->out - n);
        const int vectors = ceil_div(tile.columns, VECTOR_LANES);
        const int tiles = ceil_div(length, smaller(TILE_ROWS_MAX, TILE_SUMS / vectors));
        Tile part = tile;
        part.b = dy + n;
        for (int t = 0; t < tiles; t++) {
            const int m = partition_begin(t, tiles, length);
            part.rows = partition_begin(t + 1, tiles, length) - m;
            part.a = x + m;
            part.c = tile.c + (size_t)m * tile.ldc + n;
            tile_compute(&part);
        }
    }
}

/* Lines first .. first+count-1 of image b, to dw. */
static void
add_lines(const OffsetsPlan *p, int b, int first, int count, float beta, float *dw)
{
    const ConvShape *s = &p->padded;
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int OW = conv_out_width(s), height = conv_out_height(s);
    const size_t OC = (size_t)s->out_channels, pixel = ((size_t)b * (size_t)height + (size_t)first) * (size_t)OW;
    Tile tile = {.a_row = 1,
                 .b_k = OC,
                 .ldc = OC,
                 .K = count * OW,
                 .alpha = 1.0f,
                 .beta = beta,
                 .offset = p->offset + first * OW};
    for (int g = 0; g < s->groups; g++)
        for (int run = 0; run < p->runs.count; run++) {
            const int tap = run * p->runs.taps;
            const float *x = p->x + (size_t)b * conv_image_size(s) + g * p->in +
                             (tap / u.kernel * v.dilation * s->width + tap % u.kernel * u.dilation) * s->channels;
            tile.c = dw + (size_t)(run * p->runs.length) * OC + g * p->out;
            add_run(p, x, p->dy + pixel * OC + g * p->out, tile, p->runs.length);
        }
}

/* Lines begin .. end-1 of those of all images, to a dw of their own. */
static void
compute_part(const OffsetsPlan *p, int begin, int end, float *dw)
{
    const int height = conv_out_height(&p->padded);
    float beta = 0.0f;
    for (int line = begin, count; line < end; line += count, beta = 1.0f) {
        count = smaller(height - line % height, end - line);
        add_lines(p, line / height, line % height, count, beta, dw);
    }
}

/* dw = the sum of the chunks' dw. */
static void
add_parts(const float *part, int parts, size_t size, float *dw)
{
    memcpy(dw, part, size * sizeof *dw);
    for (int i = 1; i < parts; i++)
        for (size_t k = 0; k < size; k++)
            dw[k] += part[(size_t)i * size + k];
}

void
conv_weight_gradient_offsets(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    OffsetsPlan p = {.padded = conv_padded_shape(s), .x = x, .dy = dy, .runs = conv_runs(s)};
    const int lines = s->batch * conv_out_height(s), pixels = conv_out_height(s) * conv_out_width(s);
    const size_t size = conv_patch_size(s) * (size_t)s->out_channels;
    const int parts = smaller(PARTS, lines);
    if (parts == 0 || pixels == 0 || size == 0) {
        memset(dw, 0, size * sizeof *dw);
        return;
    }
    p.in = s->channels / s->groups;
    p.out = s->out_channels / s->groups;
    const int threads = (double)lines * conv_out_width(s) * (double)size < PARALLEL_MIN ? 1 : host_threads();
    const bool pads = conv_image_size(&p.padded) != conv_image_size(s);
    const size_t x_size = pads ? (size_t)s->batch * conv_image_size(&p.padded) : 0;
    float *space = workspace(sizeof(float) * ((size_t)parts * size + x_size + (size_t)pixels));
    float *padded = space + (size_t)parts * size;
    void *const behind = padded + x_size;
    conv_pixel_offsets(&p.padded, behind);
    p.offset = behind;
    if (pads) {
        conv_write_padded(s, x, padded, threads);
        p.x = padded;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < parts; i++)
        compute_part(&p, partition_begin(i, parts, lines), partition_begin(i + 1, parts, lines),
                     space + (size_t)i * size);
    add_parts(space, parts, size, dw);
}
