/* conv_weight_gradient, rung 3: implicit.
 * Idea      dw = patches^T dy over the pixels of all images, a sum as long as the batch has pixels. The five loops of the matrix
 *           product take it in blocks: a block of patches is gathered from x straight into the panels of the micro-kernel, and
 *           stays in the L2 cache; a block of dy, in the last-level cache.
 *
 *               panel of patches^T, 24 rows of dw:   [pixel][ 24 channels of a tap, or the last of one and the first of the next ]
 *
 * Before    rung 2 writes the patches of an image to memory, reads them back to pack them, and passes over dw for each image.
 * Now       each is copied once, within the caches. Threads share the rows or columns of dw, so no sum is split between them.
 *           With few rows or one panel of columns dy is read in place.
 * Wants     nothing. With groups of fewer out channels than a vector has lanes, most of them stay empty.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/conv/conv.h"
#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/micro_kernel.h"
#include "cpu/gemm/pack.h"

enum { PANEL = 4 * TILE_ROWS, M_BLOCK = 7 * PANEL, N_BLOCK = 2048, K_BLOCK = 512, ROWS_AHEAD = 48, FEW_ROWS = 128 };
#define PARALLEL_MIN 1e6

/* PANEL: of A, four tiles of rows, so that more of each line of x is copied at once. FEW_ROWS: each element of dy is used so few
 * times that packing it does not pay. ROWS_AHEAD: pixels. Measured. */

/* What packing and computing need to know of one group. */
typedef struct ImplicitGemm {
    const ConvShape *shape;
    int in, out;  /* channels of the group */
    int run_taps; /* taps beside each other that are one run of floats in x: a row of the kernel, or one tap */
    int OH, OW;
    const float *x, *dy;
    float *dw; /* each: the first channel of the group */
} ImplicitGemm;

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

/* `count` floats, at most PANEL, from x to each of `rows` rows of a panel `width` wide. The jumps from pixel to pixel of x
 * defeat the hardware prefetcher, so x is prefetched. */
static void
copy_column(float *to, int width, const float *x, size_t x_step, int count, int rows)
{
    for (int r = 0; r < rows; r++, to += width, x += x_step) {
        __builtin_prefetch(x + ROWS_AHEAD * x_step);
        __builtin_prefetch(x + ROWS_AHEAD * x_step + count - 1);
        for (int i = 0; i < count; i += VECTOR_LANES)
            vector_store_first(to + i, vector_load_first(x + i, count - i), count - i);
    }
}

/* The same where a run of floats begins `begin` behind the first of a line of x, perhaps before it, and ends perhaps behind the
 * last: those outside are zeros. line NULL: all are. */
static void
copy_edge(float *to, int width, const float *line, long begin, long x_step, long line_size, int count, int rows)
{
    for (int r = 0; r < rows; r++, to += width, begin += x_step)
        for (int i = 0; i < count; i++)
            to[i] = line != NULL && begin + i >= 0 && begin + i < line_size ? line[begin + i] : 0.0f;
}

/* Floats first .. first+count-1 of a run of the patches, for pixels k .. k+K-1, to columns of a panel. Line by line of dy: what a
 * line of dy sees there is a line of x; only at its two ends are runs outside of it, or partly outside.
 *
 *     x    . .|0 1 2 3 4 5 6 7|. .        begin   j = 0: edge,  1 .. lo..hi .. : whole,  the last ones: edge */
static void
gather(const ImplicitGemm *p, int run, int first, int count, int k, int K, float *to, int width)
{
    const ConvShape *s = p->shape;
    const WindowAxis v = s->window.vertical, h = s->window.horizontal;
    const long step = (long)h.stride * s->channels, line_size = (long)s->width * s->channels;
    const int tap = run * p->run_taps;
    for (int end = k + K, n; k < end; k += n, to += (size_t)n * (size_t)width) {
        const int line = k / p->OW, j = k % p->OW, row = window_begin(v, line % p->OH) + tap / h.kernel * v.dilation;
        const bool inside = row >= 0 && row < s->height;
        const size_t at = (size_t)(line / p->OH) * (size_t)s->height + (size_t)(inside ? row : 0);
        const float *x = inside ? p->x + at * (size_t)line_size : NULL;
        const long begin = (long)(window_begin(h, j) + tap % h.kernel * h.dilation) * s->channels + first;
        n = smaller(p->OW - j, end - k);
        const int lo = inside && begin < 0 ? smaller(n, (int)((step - 1 - begin) / step)) : inside ? 0 : n;
        const long last = line_size - count - begin; /* runs that begin so far behind this one still end inside */
        const int hi = last < 0 ? lo : larger(lo, smaller(n, (int)(last / step) + 1));
        copy_edge(to, width, x, begin, step, line_size, count, lo);
        if (lo < hi)
            copy_column(to + (size_t)lo * (size_t)width, width, x + begin + lo * step, (size_t)step, count, hi - lo);
        copy_edge(to + (size_t)hi * (size_t)width, width, x, begin + hi * step, step, line_size, count, n - hi);
    }
}

/* A panel of patches^T: [K][rows]. */
static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const ImplicitGemm *p = product;
    const int run_size = p->run_taps * p->in;
    for (int i = 0, count; i < rows; i += count) {
        const int first = (m + i) % run_size;
        count = smaller(run_size - first, rows - i);
        gather(p, (m + i) / run_size, first, count, k, K, (float *)panel + i, rows);
    }
}

/* A panel of dy: [K][TILE_COLUMNS]. */
static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const ImplicitGemm *p = product;
    const size_t OC = (size_t)p->shape->out_channels;
    pack_panel(panel, TILE_COLUMNS, p->dy + (size_t)k * OC + n, 1, OC, columns, K);
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const ImplicitGemm *p = product;
    const size_t OC = (size_t)p->shape->out_channels;
    const int vectors = ceil_div(part->columns, VECTOR_LANES);
    const int tiles = ceil_div(part->rows, smaller(TILE_ROWS_MAX, TILE_SUMS / vectors));
    Tile tile = {.columns = part->columns, .K = part->K, .a_row = 1, .a_k = (size_t)part->rows};
    tile.b = b != NULL ? b : p->dy + (size_t)part->k * OC + part->n;
    tile.b_k = b != NULL ? TILE_COLUMNS : OC;
    tile.alpha = 1.0f;
    tile.beta = part->k == 0 ? 0.0f : 1.0f;
    tile.ldc = OC;
    for (int t = 0; t < tiles; t++) {
        const int m = partition_begin(t, tiles, part->rows);
        tile.rows = partition_begin(t + 1, tiles, part->rows) - m;
        tile.a = (const float *)a + m;
        tile.c = p->dw + (size_t)(part->m + m) * OC + part->n;
        tile_compute(&tile);
    }
}

static void
compute_group(const ImplicitGemm *p)
{
    const ConvShape *s = p->shape;
    const int M = s->window.vertical.kernel * s->window.horizontal.kernel * p->in, K = s->batch * p->OH * p->OW;
    five_loops(&(FiveLoops){.M = M,
                            .N = p->out,
                            .K = K,
                            .tile_rows = PANEL,
                            .tile_columns = TILE_COLUMNS,
                            .M_block = M_BLOCK,
                            .N_block = N_BLOCK,
                            .K_block = K_BLOCK,
                            .pack_a = pack_a,
                            .pack_b = M <= FEW_ROWS || p->out <= TILE_COLUMNS ? NULL : pack_b,
                            .compute = compute,
                            .product = p,
                            .threads = (double)M * p->out * K < PARALLEL_MIN ? 1 : host_threads()});
}

void
conv_weight_gradient_implicit(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    const bool rows = s->groups == 1 && s->window.horizontal.dilation == 1;
    for (int g = 0; g < s->groups; g++)
        compute_group(&(ImplicitGemm){.shape = s,
                                      .in = in,
                                      .out = out,
                                      .run_taps = rows ? s->window.horizontal.kernel : 1,
                                      .OH = conv_out_height(s),
                                      .OW = conv_out_width(s),
                                      .x = x + g * in,
                                      .dy = dy + g * out,
                                      .dw = dw + g * out});
}
