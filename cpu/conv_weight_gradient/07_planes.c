/* conv_weight_gradient, rung 7: planes.
 * Idea      as rung 7 of cpu/conv: with few out channels, vectorise over pixels. A weight's gradient is the inner product of
 *           the pixels of dy with those of x that it met, which are contiguous in planes:
 *
 *               dw[a][c][k][o] = sum over the rows of   dy[o][ j0 j1 j2 .. ] x[k][row + a][ c+j0 c+j1 c+j2 .. ]
 *
 *           A tile is some taps beside each other times all out channels: each vector of x serves all out channels, each of dy
 *           all taps, and the sums stay in registers while the rows of a block pass.
 * Before    rung 5 has sums with idle lanes, and one for each tap of a row of the kernel: too few independent chains to hide
 *           the latency of a multiply-add.
 * Now       every lane is used. The lanes of a sum are added at the very end.
 * Wants     out channels for at most half a vector, one group, no stride along the rows. The chunks, and so the bits, depend on
 *           the shape alone.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/vector.h"
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/conv/planes.h"
#include "cpu/partition.h"
#include <string.h>

enum {
    PARTS = 16,
    TAPS = 3,       /* of a tile: with the most out channels, three quarters of the registers are sums */
    BLOCK = 6 << 10 /* floats of dy: it stays in the L1 cache while all tiles pass over it */
};
#define PARALLEL_MIN 1e6

typedef struct PlanesPlan {
    const ConvShape *shape;
    Planes planes;
    const float *dy;
    float *dy_planes; /* [lines][out_channels][pitch] */
    int pitch;        /* out width, full vectors: zeros behind */
} PlanesPlan;

/* Adds lines begin .. end-1 to the sums of taps tap .. tap+taps-1, beside each other, of channel k. Inlined with constants. */
static inline __attribute__((always_inline)) void
add_lines(int taps, int out, const PlanesPlan *p, int tap, int k, int begin, int end, Vector *sums)
{
    const ConvShape *s = p->shape;
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int height = conv_out_height(s), width = conv_out_width(s);
    const size_t at = (size_t)k * p->planes.plane + (size_t)(tap / u.kernel * v.dilation) * p->planes.row +
                      (size_t)(tap % u.kernel * u.dilation);
    const size_t next = (size_t)(s->channels * out);
    Vector *to = sums + ((size_t)tap * (size_t)s->channels + (size_t)k) * (size_t)out, sum[TAPS][PLANES_OUT_MAX];
    for (int t = 0; t < taps; t++)
        for (int o = 0; o < out; o++)
            sum[t][o] = to[(size_t)t * next + (size_t)o];
    for (int line = begin; line < end; line++) {
        const float *dy = p->dy_planes + (size_t)line * (size_t)(out * p->pitch);
        const float *x = p->planes.x + (size_t)(line / height) * p->planes.image +
                         (size_t)(line % height * v.stride) * p->planes.row + at;
        for (int j = 0; j < width; j += VECTOR_LANES)
            for (int t = 0; t < taps; t++) {
                const Vector pixels = vector_load_first(x + t * u.dilation + j, width - j);
                for (int o = 0; o < out; o++)
                    sum[t][o] += pixels * vector_load(dy + o * p->pitch + j);
            }
    }
    for (int t = 0; t < taps; t++)
        for (int o = 0; o < out; o++)
            to[(size_t)t * next + (size_t)o] = sum[t][o];
}

/* All taps and channels, some taps of a row of the kernel at a time. */
static inline __attribute__((always_inline)) void
add_block(int out, const PlanesPlan *p, int begin, int end, Vector *sums)
{
    const ConvShape *s = p->shape;
    const int taps = s->window.vertical.kernel * s->window.horizontal.kernel, row = s->window.horizontal.kernel;
    for (int tap = 0, count; tap < taps; tap += count) {
        count = smaller(TAPS, row - tap % row);
        for (int k = 0; k < s->channels; k++)
            if (count == 1)
                add_lines(1, out, p, tap, k, begin, end, sums);
            else if (count == 2)
                add_lines(2, out, p, tap, k, begin, end, sums);
            else
                add_lines(TAPS, out, p, tap, k, begin, end, sums);
    }
}

static void
add_block_of(const PlanesPlan *p, int begin, int end, Vector *sums)
{
    switch (p->shape->out_channels) {
        PLANES_CASES(add_block, p, begin, end, sums)
    }
}

/* dy_planes of a line. */
static void
write_line(const PlanesPlan *p, int line)
{
    const int width = conv_out_width(p->shape), out = p->shape->out_channels;
    const float *dy = p->dy + (size_t)line * (size_t)width * (size_t)out;
    float *to = p->dy_planes + (size_t)line * (size_t)(out * p->pitch);
    for (int j = 0; j < p->pitch; j += VECTOR_LANES) {
        Vector square[VECTOR_LANES];
        for (int i = 0; i < VECTOR_LANES; i++)
            square[i] = j + i < width ? vector_load_first(dy + (size_t)(j + i) * (size_t)out, out) : (Vector){0};
        vector_transpose(square);
        for (int o = 0; o < out; o++)
            vector_store(to + o * p->pitch + j, square[o]);
    }
}

/* Lines begin .. end-1, to sums [KH KW channels][out_channels] whose lanes are still to be added. */
static void
compute_part(const PlanesPlan *p, int begin, int end, Vector *sums)
{
    const int block = BLOCK / (p->pitch * p->shape->out_channels) + 1;
    memset(sums, 0, conv_patch_size(p->shape) * (size_t)p->shape->out_channels * sizeof *sums);
    for (int first = begin; first < end; first += block) {
        const int last = smaller(first + block, end);
        for (int line = first; line < last; line++)
            write_line(p, line);
        add_block_of(p, first, last, sums);
    }
}

void
conv_weight_gradient_planes(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    const int lines = s->batch * conv_out_height(s), parts = smaller(PARTS, lines);
    const size_t size = conv_patch_size(s) * (size_t)s->out_channels; /* of dw */
    if (parts == 0 || conv_out_width(s) == 0 || size == 0) {
        memset(dw, 0, size * sizeof *dw);
        return;
    }
    PlanesPlan p = {.shape = s, .dy = dy, .pitch = ceil_div(conv_out_width(s), VECTOR_LANES) * VECTOR_LANES};
    const int threads = (double)conv_out_pixels(s) * (double)size < PARALLEL_MIN ? 1 : host_threads();
    const size_t sums_size = (size_t)parts * size * VECTOR_LANES;
    const size_t dy_size = (size_t)lines * (size_t)s->out_channels * (size_t)p.pitch;
    float *space = workspace(sizeof(float) * (sums_size + dy_size + conv_planes_size(s)));
    void *const begin = space;
    Vector *const sums = begin; /* [chunks][size] */
    p.dy_planes = space + sums_size;
    p.planes = conv_write_planes(s, x, p.dy_planes + dy_size, threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < parts; i++)
        compute_part(&p, partition_begin(i, parts, lines), partition_begin(i + 1, parts, lines),
                     sums + (size_t)i * size);
    for (size_t n = 0; n < size; n++) {
        Vector sum = sums[n];
        for (int i = 1; i < parts; i++)
            sum += sums[(size_t)i * size + n];
        dw[n] = vector_sum(sum);
    }
}
