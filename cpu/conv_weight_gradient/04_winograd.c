/* conv_weight_gradient, rung 4: Winograd, F(4x4, 3x3) transposed.
 * Idea      forward computes a tile of outputs as  y = A^T [ (G w G^T) . (B^T x B) ] A  (cpu/conv/winograd.h). The brackets are
 *           linear in w, so its gradient runs through the same three matrices from the other side, and the sum over all tiles
 *           is made before the last of them:
 *
 *               x  [6][6] of a tile -> V = B^T x B                       dw [3][3] = G^T [ sum over tiles of  V . D ] G
 *               dy [4][4] of a tile -> D = A dy A^T
 *
 *           Place by place that sum is a product of matrices:  S[place][channel][out channel] = V[place]^T D[place].
 *
 * Before    rung 3: 9 multiplications for each pixel of dy and pair of channels.
 * Now       2.25. V and D are written as the micro-kernel wants them, so nothing is packed.
 * But       S is 4 times as large as dw: with few tiles to sum over it costs more than is saved. Edge tiles, as with 7 x 7
 *           pixels, waste some of the work. Errors: cpu/conv_weight_gradient/ladder.c.
 * Wants     3 x 3, stride 1, dilation 1, one group.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/winograd.h"
#include "cpu/float_tile.h"
#include "cpu/partition.h"
#include <string.h>

enum {
    TILE = 6,
    OUTPUTS = 4,
    PLACES = TILE * TILE,
    PANEL = 2 * VECTOR_LANES, /* channels: rows of S that are computed together */
    CHUNK_PLACE = PANEL * TILE_COLUMNS + VECTOR_LANES,
    CHUNK = PLACES * CHUNK_PLACE,
    APART = VECTOR_LANES, /* padding between two places, floats: as in winograd.c */
    BLOCK = 3 << 19,      /* floats of V and D */
    BLOCK_MIN = 64        /* tiles */
};
#define PARALLEL_MIN 1e6

/* One call. */
typedef struct WinogradPlan {
    const ConvShape *shape;
    const float *x, *dy;
    float *dw;
    int tile_rows, tile_columns, tiles; /* of an image, of an image, of the batch */
    int blocks, most;                   /* of tiles; the most tiles of one */
    int v_panels, d_panels;             /* of PANEL channels, of TILE_COLUMNS out channels */
    float *zeros;                       /* a pixel outside the image */
    float *V, *D;                       /* [PLACES][panels][most][width of a panel], APART */
    size_t v_place, d_place;            /* floats from place to place */
    float *S;                           /* chunks [PLACES][PANEL][TILE_COLUMNS], APART */
} WinogradPlan;

/* A line of a tile: D = A dy, the transpose of what 05_winograd_4x4.c does to the outputs. */
static inline void
output_line(const Vector *y, int y_step, Vector *d, int d_step)
{
    const Vector y0 = y[0], y1 = y[y_step], y2 = y[2 * y_step], y3 = y[3 * y_step];
    const Vector even = y0 + y2, odd = y1 + y3, even2 = y0 + 4.0f * y2, odd2 = 2.0f * y1 + 8.0f * y3;
    d[0] = y0;
    d[d_step] = even + odd;
    d[2 * d_step] = even - odd;
    d[3 * d_step] = even2 + odd2;
    d[4 * d_step] = even2 - odd2;
    d[5 * d_step] = y3;
}

/* dw = G^T S. */
static inline void
kernel_line(const Vector *s, int s_step, Vector *w, int w_step)
{
    const Vector sum = 1.0f / 6 * (s[s_step] + s[2 * s_step]), difference = 1.0f / 6 * (s[s_step] - s[2 * s_step]);
    const Vector sum2 = s[3 * s_step] + s[4 * s_step], difference2 = s[3 * s_step] - s[4 * s_step];
    w[0] = 0.25f * s[0] - sum + 1.0f / 24 * sum2;
    w[w_step] = 1.0f / 12 * difference2 - difference;
    w[2 * w_step] = 1.0f / 6 * sum2 - sum + s[5 * s_step];
}

/* Tile t of the batch, by its first output. */
static Pixel
tile_pixel(const WinogradPlan *p, int t)
{
    const int row = t / p->tile_columns;
    return (Pixel){row / p->tile_rows, row % p->tile_rows * OUTPUTS, t % p->tile_columns * OUTPUTS};
}

/* Where the outputs of a tile are stored. */
static void
output_pixels(const WinogradPlan *p, Pixel first, const float **pixel)
{
    const int height = conv_out_height(p->shape), width = conv_out_width(p->shape);
    for (int i = 0; i < OUTPUTS * OUTPUTS; i++) {
        const int h = first.i + i / OUTPUTS, w = first.j + i % OUTPUTS;
        const size_t line = (size_t)first.b * (size_t)height + (size_t)h;
        pixel[i] = h < height && w < width ? p->dy + (line * (size_t)width + (size_t)w) * (size_t)p->shape->out_channels
                                           : p->zeros;
    }
}

/* A vector to each place; the place of two tiles later is prefetched. */
static inline void
store_places(float *to, size_t place, int width, const Vector *from)
{
    for (int i = 0; i < PLACES; i++, to += place) {
        vector_store(to, from[i]);
        __builtin_prefetch(to + 2 * width, 1);
    }
}

/* V of tile t, which is number `at` of its block. The lines of x of the next tile are prefetched: a tile reads one stream per
 * row, more than the hardware prefetcher follows. */
static void
transform_x(const WinogradPlan *p, int t, int at)
{
    const ConvShape *s = p->shape;
    const float *pixel[PLACES], *next[PLACES];
    winograd_input_pixels(s, p->x, tile_pixel(p, t), TILE, p->zeros, pixel);
    winograd_input_pixels(s, p->x, tile_pixel(p, smaller(t + 1, p->tiles - 1)), TILE, p->zeros, next);
    for (int k = 0; k < s->channels; k += VECTOR_LANES) {
        Vector d[PLACES], v[PLACES];
        for (int i = 0; i < PLACES; i++) {
            __builtin_prefetch(next[i] + k);
            d[i] = vector_load_first(pixel[i] + k, s->channels - k);
        }
        conv_winograd_4x4_input(d, v);
        store_places(p->V + ((size_t)(k / PANEL) * (size_t)p->most + (size_t)at) * PANEL + k % PANEL, p->v_place, PANEL,
                     v);
    }
}

/* D of it. */
static void
transform_dy(const WinogradPlan *p, int t, int at)
{
    const int out = p->shape->out_channels;
    const float *pixel[OUTPUTS * OUTPUTS], *next[OUTPUTS * OUTPUTS];
    output_pixels(p, tile_pixel(p, t), pixel);
    output_pixels(p, tile_pixel(p, smaller(t + 1, p->tiles - 1)), next);
    for (int o = 0; o < out; o += VECTOR_LANES) {
        Vector y[OUTPUTS * OUTPUTS], d[PLACES];
        for (int i = 0; i < OUTPUTS * OUTPUTS; i++) {
            __builtin_prefetch(next[i] + o);
            y[i] = vector_load_first(pixel[i] + o, out - o);
        }
        winograd_transform(output_line, OUTPUTS, TILE, y, d);
        store_places(p->D + ((size_t)(o / TILE_COLUMNS) * (size_t)p->most + (size_t)at) * TILE_COLUMNS +
                         o % TILE_COLUMNS,
                     p->d_place, TILE_COLUMNS, d);
    }
}

/* chunk[PLACES][rows][columns] = the sum over `count` tiles, or that much more. */
static void
multiply(const WinogradPlan *p, int i, int j, int count, float beta, float *chunk)
{
    const int rows = smaller(PANEL, p->shape->channels - i * PANEL);
    const int columns = smaller(TILE_COLUMNS, p->shape->out_channels - j * TILE_COLUMNS);
    const int tiles = ceil_div(rows, smaller(TILE_ROWS_MAX, TILE_SUMS / ceil_div(columns, VECTOR_LANES)));
    const float *v = p->V + (size_t)i * (size_t)p->most * PANEL, *d = p->D + (size_t)j * (size_t)p->most * TILE_COLUMNS;
    for (int place = 0; place < PLACES; place++, v += p->v_place, d += p->d_place, chunk += CHUNK_PLACE)
        for (int t = 0; t < tiles; t++) {
            const int m = partition_begin(t, tiles, rows);
            tile_compute(&(Tile){.rows = partition_begin(t + 1, tiles, rows) - m,
                                 .columns = columns,
                                 .K = count,
                                 .a = v + m,
                                 .b = d,
                                 .a_row = 1,
                                 .a_k = PANEL,
                                 .b_k = TILE_COLUMNS,
                                 .alpha = 1.0f,
                                 .beta = beta,
                                 .c = chunk + m * TILE_COLUMNS,
                                 .ldc = TILE_COLUMNS});
        }
}

/* dw of a chunk. */
static void
finish(const WinogradPlan *p, int i, int j, const float *chunk)
{
    const size_t C = (size_t)p->shape->channels, O = (size_t)p->shape->out_channels;
    const int rows = smaller(PANEL, p->shape->channels - i * PANEL);
    const int columns = smaller(TILE_COLUMNS, p->shape->out_channels - j * TILE_COLUMNS);
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < columns; n += VECTOR_LANES) {
            Vector sum[PLACES], w[WINOGRAD_KERNEL * WINOGRAD_KERNEL];
            for (int place = 0; place < PLACES; place++)
                sum[place] = vector_load(chunk + place * CHUNK_PLACE + m * TILE_COLUMNS + n);
            winograd_transform(kernel_line, TILE, WINOGRAD_KERNEL, sum, w);
            float *to = p->dw + (size_t)(i * PANEL + m) * O + (size_t)(j * TILE_COLUMNS + n);
            for (int tap = 0; tap < WINOGRAD_KERNEL * WINOGRAD_KERNEL; tap++, to += C * O)
                vector_store_first(to, w[tap], columns - n);
        }
}

/* Block by block: threads share its tiles, then the chunks of S. If there is one block only, the chunk of a thread is
 * transformed to dw at once, and never leaves its L2 cache. */
static void
compute(const WinogradPlan *p, int threads)
{
    const int chunks = p->v_panels * p->d_panels;
#pragma omp parallel num_threads(threads)
    for (int b = 0; b < p->blocks; b++) {
        const int begin = partition_begin(b, p->blocks, p->tiles), end = partition_begin(b + 1, p->blocks, p->tiles);
#pragma omp for schedule(static)
        for (int t = begin; t < end; t++) {
            transform_x(p, t, t - begin);
            transform_dy(p, t, t - begin);
        }
#pragma omp for schedule(static)
        for (int t = 0; t < threads; t++)
            for (int i = partition_begin(t, threads, chunks); i < partition_begin(t + 1, threads, chunks); i++) {
                float *chunk = p->S + (size_t)(p->blocks == 1 ? t : i) * CHUNK;
                multiply(p, i / p->d_panels, i % p->d_panels, end - begin, b > 0 ? 1.0f : 0.0f, chunk);
                if (b == p->blocks - 1)
                    finish(p, i / p->d_panels, i % p->d_panels, chunk);
            }
    }
}

void
conv_weight_gradient_winograd(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    const int C = s->channels, O = s->out_channels;
    WinogradPlan p = {.shape = s, .x = x, .dy = dy, .dw = dw};
    p.tile_rows = ceil_div(conv_out_height(s), OUTPUTS);
    p.tile_columns = ceil_div(conv_out_width(s), OUTPUTS);
    p.tiles = s->batch * p.tile_rows * p.tile_columns;
    if (C == 0 || O == 0)
        return;
    if (p.tiles == 0) {
        memset(dw, 0, sizeof(float) * WINOGRAD_KERNEL * WINOGRAD_KERNEL * (size_t)C * (size_t)O);
        return;
    }
    p.v_panels = ceil_div(C, PANEL);
    p.d_panels = ceil_div(O, TILE_COLUMNS);
    const int most = BLOCK / (PLACES * (C + O));
    p.blocks = ceil_div(p.tiles, most > BLOCK_MIN ? most : BLOCK_MIN);
    p.most = ceil_div(p.tiles, p.blocks);
    p.v_place = (size_t)p.v_panels * PANEL * (size_t)p.most + APART;
    p.d_place = (size_t)p.d_panels * TILE_COLUMNS * (size_t)p.most + APART;
    const int threads = (double)p.tiles * PLACES * C * O < PARALLEL_MIN ? 1 : host_threads();
    const size_t chunks = p.blocks == 1 ? (size_t)threads : (size_t)p.v_panels * (size_t)p.d_panels;
    const size_t zeros = (size_t)(C > O ? C : O);
    p.V = workspace(sizeof(float) * (PLACES * (p.v_place + p.d_place) + chunks * CHUNK + zeros));
    p.D = p.V + PLACES * p.v_place;
    p.S = p.D + PLACES * p.d_place;
    p.zeros = p.S + chunks * CHUNK;
    memset(p.zeros, 0, sizeof(float) * zeros);
    compute(&p, threads);
}
