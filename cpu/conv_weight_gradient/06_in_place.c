/* conv_weight_gradient, rung 6: in place.
 * Idea      of a 1x1 kernel dw = x^T dy, a sum of outer products, a pixel of x times a pixel of dy:
 *
 *                       dy  [pixel k][ out channels ..... ]
 *               x                  v
 *               [pixel k][ channels ]  -->  dw[channels][out channels] += x[k] dy[k]
 *
 *           Channels are contiguous, so a row of x is what the micro-kernel reads at step k: there is nothing to pack. A block
 *           of pixels stays in the L2 cache while all of dw passes over it. Meanwhile the next block is prefetched, a line at
 *           each step, so that the memory latency is hidden behind the multiplications.
 * Before    rung 3 copies x to panels, and waits for memory as it does so.
 * Now       x is read in place. So is dy, if it has one panel of channels or is used a few times only; else a block of it is
 *           packed.
 * Wants     1x1, stride 1, no padding. The blocks, and so the bits, depend on the shape alone.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/micro_kernel.h"
#include "cpu/gemm/pack.h"

enum {
    N_BLOCK = 2048,
    BLOCK = 1 << 16, /* floats of x and dy together: two blocks share the L2 cache */
    NEAR = 1 << 20,  /* floats of all of x and dy: they may well be in a cache already, and a prefetch is wasted */
    FEW_ROWS = 128,  /* of dw: fewer reuse a dy in cache too seldom for packing it to pay */
    K_BLOCK_MIN = 192,
    K_BLOCK_MAX = 512 /* pixels */
};
#define PARALLEL_MIN 1e6

/* One group. */
typedef struct InPlaceGemm {
    int in, out, channels, out_channels; /* of the group; of a pixel of x and of dy */
    int tile_rows;                       /* of dw: nothing is packed, so the five loops come for each tile */
    int K;                               /* pixels of all images */
    bool far;                            /* x and dy are not in the L2 cache: prefetch */
    const float *x, *dy;
    float *dw; /* each: the first channel of the group */
} InPlaceGemm;

/* A panel of dy: [K][TILE_COLUMNS]. */
static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const InPlaceGemm *p = product;
    const size_t OC = (size_t)p->out_channels;
    pack_panel(panel, TILE_COLUMNS, p->dy + (size_t)k * OC + n, 1, OC, columns, K);
}

/* What a tile prefetches. All tiles of a block share the lines of the next one: the first of them those of x, the others those
 * of dy.
 *
 *     tiles of dw:  0 1 2 3 4 5 6 7 8            next block:  x  [.0..|.1..|.2..|.3..]   dy  [.4.|.5.|.6.|.7.|.8.] */
static void
ask_for_next(const InPlaceGemm *p, const GemmBlock *part, Tile *tile)
{
    const int next = part->k + part->K, count = smaller(part->K, p->K - next);
    const int rows = ceil_div(p->in, p->tile_rows), columns = ceil_div(p->out, TILE_COLUMNS), tiles = rows * columns;
    const int at = part->n / TILE_COLUMNS * rows + (int)(((long)part->m * rows + p->in - 1) / p->in);
    const int of_x = (int)((long)tiles * p->channels / (p->channels + p->out_channels));
    const bool x = at < of_x;
    const int channels = x ? p->channels : p->out_channels;
    const long sharers = x ? of_x : tiles - of_x, which = x ? at : at - of_x, floats = (long)count * channels;
    if (!p->far || count <= 0 || part->K == 0)
        return;
    tile->next = (x ? p->x : p->dy) + (size_t)next * (size_t)channels + floats * which / sharers;
    tile->next_lines = 1;
    tile->next_step = (size_t)(floats / sharers / part->K + 1);
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const InPlaceGemm *p = product;
    const size_t C = (size_t)p->channels, OC = (size_t)p->out_channels;
    Tile tile = {.rows = part->rows, .columns = part->columns, .K = part->K, .a_row = 1, .a_k = C, .alpha = 1.0f};
    (void)a;
    tile.a = p->x + (size_t)part->k * C + part->m;
    tile.b = b != NULL ? b : p->dy + (size_t)part->k * OC + part->n;
    tile.b_k = b != NULL ? TILE_COLUMNS : OC;
    tile.beta = part->k == 0 ? 0.0f : 1.0f;
    tile.c = p->dw + (size_t)part->m * OC + part->n;
    tile.ldc = OC;
    ask_for_next(p, part, &tile);
    tile_compute(&tile);
}

static void
compute_group(const InPlaceGemm *p)
{
    const int fits = !p->far ? K_BLOCK_MAX : BLOCK / (p->in + p->out + 1);
    five_loops(&(FiveLoops){.M = p->in,
                            .N = p->out,
                            .K = p->K,
                            .tile_rows = p->tile_rows,
                            .tile_columns = TILE_COLUMNS,
                            .M_block = p->in,
                            .N_block = N_BLOCK,
                            .K_block = fits < K_BLOCK_MIN ? K_BLOCK_MIN : smaller(fits, K_BLOCK_MAX),
                            .pack_b = p->out <= TILE_COLUMNS || (!p->far && p->in <= FEW_ROWS) ? NULL : pack_b,
                            .compute = compute,
                            .product = p,
                            .threads = (double)p->in * p->out * p->K < PARALLEL_MIN ? 1 : host_threads()});
}

void
conv_weight_gradient_in_place(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    const int vectors = ceil_div(smaller(out + (out == 0), TILE_COLUMNS), VECTOR_LANES);
    for (int g = 0; g < s->groups; g++)
        compute_group(&(InPlaceGemm){.in = in,
                                     .out = out,
                                     .channels = s->channels,
                                     .out_channels = s->out_channels,
                                     .tile_rows = smaller(TILE_ROWS_MAX, TILE_SUMS / vectors),
                                     .K = (int)conv_out_pixels(s),
                                     .far = (double)conv_out_pixels(s) * (in + out) > NEAR,
                                     .x = x + g * in,
                                     .dy = dy + g * out,
                                     .dw = dw + g * out});
}
