/* See product.h. SPDX-License-Identifier: MIT */
#include "cpu/conv/product.h"
#include "core/host.h"
#include "cpu/gemm/pack.h"

enum { W_IN_PLACE = 1 << 19, FEW_ROWS = TILE_SUMS }; /* of w: floats; of y: rows. Smaller ones are read in place */
#define PARALLEL_MIN 1e6

int
conv_tile_columns(const ConvProduct *p)
{
    const int vectors = ceil_div(p->columns, VECTOR_LANES);
    return (vectors < 1 ? 1 : vectors < TILE_VECTORS ? vectors : TILE_VECTORS) * VECTOR_LANES;
}

int
conv_tile_rows(const ConvProduct *p)
{
    const int rows = TILE_SUMS / (conv_tile_columns(p) / VECTOR_LANES);
    return rows < TILE_ROWS_MAX ? rows : TILE_ROWS_MAX;
}

static const float *
weights(const ConvProduct *p, int k, int n)
{
    return p->w + (size_t)k * (size_t)p->shape->out_channels + (size_t)(p->group * p->columns + n);
}

void
conv_pack_w(const void *product, int n, int columns, int k, int K, void *panel)
{
    const ConvProduct *p = product;
    pack_panel(panel, conv_tile_columns(p), weights(p, k, n), 1, (size_t)p->shape->out_channels, columns, K);
}

void
conv_compute_tile(const ConvProduct *p, const GemmBlock *part, Tile tile, const float *b)
{
    const size_t row = (size_t)p->shape->out_channels;
    const size_t at = (size_t)part->m * row + (size_t)(p->group * p->columns + part->n);
    tile.rows = part->rows;
    tile.columns = part->columns;
    tile.K = part->K;
    tile.b = b != NULL ? b : weights(p, part->k, part->n);
    tile.b_k = b != NULL ? (size_t)conv_tile_columns(p) : row;
    tile.alpha = 1.0f;
    tile.beta = part->k == 0 ? 0.0f : 1.0f;
    tile.c = p->y + at;
    tile.ldc = row;
    if (part->k + part->K == p->K) {
        tile.epilogue = p->epilogue;
        tile.first_column = p->group * p->columns + part->n;
        tile.output_index = at;
    }
    tile_compute(&tile);
}

bool
conv_packs_w(const ConvProduct *p, size_t rows)
{
    return rows > FEW_ROWS && (size_t)p->K * (size_t)p->columns > W_IN_PLACE;
}

int
conv_threads(const ConvProduct *p, size_t rows)
{
    return (double)rows * p->columns * p->K < PARALLEL_MIN ? 1 : host_threads();
}
