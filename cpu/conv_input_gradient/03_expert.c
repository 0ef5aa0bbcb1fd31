/* conv_input_gradient, rung 3: expert.
 * Idea      gather instead of scatter: a pixel of dx is an inner product of the pixels of dy that saw it, so dx is a convolution of
 *           dy with the kernel flipped. With a stride s only every s-th tap sees a given pixel: which ones depends on the
 *           pixel's coordinates modulo s, its phase. So dx is partitioned into s x s phases, and each is a convolution of
 *           stride 1 with some of the taps (kernel 3, stride 2, padding 1, along one direction):
 *
 *               pixel   0   1   2   3   4        phase 0: pixels 0 2 4 ..   tap 1      of output u
 *               tap     1  0,2  1  0,2  1        phase 1: pixels 1 3 ..     taps 0, 2  of outputs u+1, u
 *
 *           Each is a matrix product: [pixels][taps x OC] dy, gathered as it is packed, times w^T [taps x OC][channels].
 * Before    rung 2 writes KH KW products for each pixel to memory and adds them up there; one product for each image.
 * Now       the sums stay in registers, and a patch of dy stays in the L2 cache. No multiplication by a zero that the stride
 *           inserts. A 1x1 kernel of stride 1 is gemm on the arrays in place. Few channels use rung 2's algorithm in cache
 *           (03_expert_narrow.c); 3x3 of stride 1 and many channels, Winograd's (03_expert_flipped.c), whose errors are larger:
 *           cpu/conv/ladder.c.
 * Wants     nothing. With groups of fewer channels than a vector has lanes, most of them stay empty.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/conv_input_gradient/03_expert_flipped.h"
#include "cpu/conv_input_gradient/03_expert_narrow.h"
#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm/micro_kernel.h"
#include "cpu/gemm/pack.h"
#include <string.h>

enum { PANEL = 2 * TILE_ROWS, M_BLOCK = 7 * PANEL, N_BLOCK = 2048, K_BLOCK = 1024 };
#define PARALLEL_MIN 1e6

/* One direction of a phase. Its pixel u is the image's u * stride + phase, and its tap t, tap first + t * step of the kernel,
 * sees it from output u + shift - t * hop. */
typedef struct Steps {
    int stride, phase, pixels, outputs;
    int taps, first, step, shift, hop;
} Steps;

/* What packing and computing need to know: the phase of one group. */
typedef struct GradientGemm {
    const ConvShape *shape;
    Steps vertical, horizontal;
    int in, out; /* channels of the group */
    const float *dy, *w;
    float *dx; /* each: the first channel of the group */
} GradientGemm;

/* Taps a with (phase + padding - a dilation) divisible by stride: one in every `step`, if there is any. */
static Steps
steps_of(WindowAxis axis, int pixels, int phase)
{
    Steps s = {.stride = axis.stride, .phase = phase, .outputs = window_outputs(axis, pixels), .step = 1};
    s.pixels = phase < pixels ? (pixels - phase - 1) / axis.stride + 1 : 0;
    while (s.step * axis.dilation % axis.stride != 0)
        s.step++;
    while (s.first < s.step && (phase + axis.padding - s.first * axis.dilation) % axis.stride != 0)
        s.first++;
    if (s.first < s.step && s.first < axis.kernel) {
        s.taps = (axis.kernel - s.first - 1) / s.step + 1;
        s.shift = (phase + axis.padding - s.first * axis.dilation) / axis.stride;
        s.hop = s.step * axis.dilation / axis.stride;
    }
    return s;
}

/* The pixel of dx in row m of the product. */
static float *
pixel_of(const GradientGemm *p, int m)
{
    const ConvShape *s = p->shape;
    const Steps *v = &p->vertical, *h = &p->horizontal;
    const size_t line = (size_t)(m / h->pixels), image = line / (size_t)v->pixels;
    const size_t row = line % (size_t)v->pixels * (size_t)v->stride + (size_t)v->phase;
    const size_t column = (size_t)(m % h->pixels) * (size_t)h->stride + (size_t)h->phase;
    return p->dx + ((image * (size_t)s->height + row) * (size_t)s->width + column) * (size_t)s->channels;
}

/* Words k .. k+K-1 of row m of the matrix of patches of dy: a run of channels for each tap, zeros for taps outside. */
static void
gather_row(const GradientGemm *p, int m, int k, int K, float *row)
{
    const Steps *v = &p->vertical, *h = &p->horizontal;
    const int u = m % h->pixels + h->shift, line = m / h->pixels, i0 = line % v->pixels + v->shift;
    const size_t OC = (size_t)p->shape->out_channels, first = (size_t)(line / v->pixels) * (size_t)v->outputs;
    for (int end = k + K, count; k < end; k += count, row += count) {
        const int tap = k / p->out, o = k % p->out;
        const int i = i0 - tap / h->taps * v->hop, j = u - tap % h->taps * h->hop;
        count = smaller(p->out - o, end - k);
        if (i < 0 || i >= v->outputs || j < 0 || j >= h->outputs)
            memset(row, 0, (size_t)count * sizeof(float));
        else
            memcpy(row, p->dy + ((first + (size_t)i) * (size_t)h->outputs + (size_t)j) * OC + o,
                   (size_t)count * sizeof(float));
    }
}

/* A panel of patches: [rows][K], as the tile reads an A in place. */
static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    for (int i = 0; i < rows; i++)
        gather_row(product, m + i, k, K, (float *)panel + (size_t)i * (size_t)K);
}

/* A panel of w^T: [K][TILE_COLUMNS], transposed tap by tap. */
static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const GradientGemm *p = product;
    const size_t OC = (size_t)p->shape->out_channels, KW = (size_t)p->shape->window.horizontal.kernel;
    const int taps = p->horizontal.taps;
    float *to = panel;
    for (int end = k + K, count; k < end; k += count, to += (size_t)count * TILE_COLUMNS) {
        const size_t a = (size_t)(p->vertical.first + k / p->out / taps * p->vertical.step);
        const size_t c = (size_t)(p->horizontal.first + k / p->out % taps * p->horizontal.step);
        const int o = k % p->out;
        count = smaller(p->out - o, end - k);
        pack_panel(to, TILE_COLUMNS, p->w + ((a * KW + c) * (size_t)p->in + (size_t)n) * OC + o, OC, 1, columns, count);
    }
}

/* Rows of dx with gaps between them: the tile is computed in a buffer and added, or copied, row by row. */
static void
compute_apart(const GradientGemm *p, Tile *tile, int m, int n)
{
    float sums[TILE_ROWS_MAX * TILE_COLUMNS];
    const float beta = tile->beta;
    tile->beta = 0.0f;
    tile->c = sums;
    tile->ldc = TILE_COLUMNS;
    tile_compute(tile);
    for (int i = 0; i < tile->rows; i++) {
        float *pixel = pixel_of(p, m + i) + n;
        for (int k = 0; k < tile->columns; k++)
            /* cppcheck-suppress uninitvar ; tile_compute() wrote them */
            pixel[k] = sums[i * TILE_COLUMNS + k] + (beta != 0.0f ? pixel[k] : 0.0f);
    }
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const GradientGemm *p = product;
    const size_t step = (size_t)p->horizontal.stride * (size_t)p->shape->channels;
    const int vectors = ceil_div(part->columns, VECTOR_LANES);
    const int tiles = ceil_div(part->rows, smaller(TILE_ROWS_MAX, TILE_SUMS / vectors));
    Tile tile = {.columns = part->columns, .K = part->K, .b = b, .a_row = (size_t)part->K, .a_k = 1};
    tile.b_k = TILE_COLUMNS;
    tile.alpha = 1.0f;
    for (int t = 0; t < tiles; t++) {
        const int m = partition_begin(t, tiles, part->rows);
        tile.rows = partition_begin(t + 1, tiles, part->rows) - m;
        tile.a = (const float *)a + (size_t)m * (size_t)part->K;
        tile.beta = part->k == 0 ? 0.0f : 1.0f;
        tile.c = pixel_of(p, part->m + m) + part->n;
        tile.ldc = step;
        if (pixel_of(p, part->m + m + tile.rows - 1) + part->n != tile.c + (size_t)(tile.rows - 1) * step)
            compute_apart(p, &tile, part->m + m, part->n);
        else
            tile_compute(&tile);
    }
}

/* A phase that no tap sees. */
static void
clear_phase(const GradientGemm *p, int M)
{
#pragma omp parallel for if ((double)M * p->in >= PARALLEL_MIN)
    for (int m = 0; m < M; m++)
        memset(pixel_of(p, m), 0, (size_t)p->in * sizeof(float));
}

static void
compute_phase(GradientGemm *p, int row_phase, int column_phase)
{
    const ConvShape *s = p->shape;
    p->vertical = steps_of(s->window.vertical, s->height, row_phase);
    p->horizontal = steps_of(s->window.horizontal, s->width, column_phase);
    const int M = s->batch * p->vertical.pixels * p->horizontal.pixels;
    const int K = p->vertical.taps * p->horizontal.taps * p->out;
    if (K == 0) {
        clear_phase(p, M);
        return;
    }
    five_loops(&(FiveLoops){.M = M,
                            .N = p->in,
                            .K = K,
                            .tile_rows = PANEL,
                            .tile_columns = TILE_COLUMNS,
                            .M_block = M_BLOCK,
                            .N_block = N_BLOCK,
                            .K_block = K_BLOCK,
                            .pack_a = pack_a,
                            .pack_b = pack_b,
                            .compute = compute,
                            .product = p,
                            .threads = (double)M * p->in * K < PARALLEL_MIN ? 1 : host_threads()});
}

void
conv_input_gradient_expert(const ConvShape *s, const float *dy, const float *w, float *dx)
{
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    ConvForward *const winograd = input_gradient_flipped_algorithm(s);
    if (winograd != NULL) {
        input_gradient_flipped(winograd, s, dy, w, dx);
        return;
    }
    if (input_gradient_is_narrow(s)) {
        input_gradient_narrow(s, dy, w, dx);
        return;
    }
    for (int g = 0; g < s->groups; g++) {
        GradientGemm p = {.shape = s, .in = in, .out = out, .dy = dy + g * out, .w = w + g * out, .dx = dx + g * in};
        if (conv_is_pointwise(s)) {
            gemm_expert(false, true, s->batch * s->height * s->width, in, out, 1.0f, p.dy, s->out_channels, p.w,
                        s->out_channels, 0.0f, p.dx, s->channels);
            continue;
        }
        for (int i = 0; i < s->window.vertical.stride; i++)
            for (int j = 0; j < s->window.horizontal.stride; j++)
                compute_phase(&p, i, j);
    }
}
