/* Panels of B: see 08_expert_panels.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_panels.h"
#include "core/workspace.h"
#include "cpu/float_pack.h"
#include "cpu/gemm/08_expert_narrow.h"
#include "cpu/gemm/08_expert_tiles.h"
#include <stdint.h>

enum {
    A_BLOCK = 3 << 20, /* elements of a large A, read where it lies for panel after panel: 12 MiB of the shared cache */
    B_NEAR = 1 << 22,  /* elements of a B, 16 MiB, that the shared cache keeps */
    A_PANEL = 2 * TILE_ROWS, /* rows of a packed panel of A: two tiles, so that more of each line is copied at once */
    M_BLOCK = 7 * A_PANEL,   /* of a packed A */
    N_BLOCK = 2048           /* of a B for a transposed A: 8 MiB of the shared cache */
};

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const Product *p = product;
    pack_panel(panel, rows, product_a(p, m, k), p->a_row, p->a_k, rows, K);
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const Product *p = product;
    pack_panel(panel, TILE_COLUMNS, product_b(p, k, n), p->b_column, p->b_k, columns, K);
}

_Static_assert((int)K_BLOCK <= (int)NARROW_K && (int)K_BLOCK_IN_PLACE <= (int)NARROW_K,
               "last columns of a block of k are copied at once");

/* ---- asking for what is next ---- */

/* Whether tiles ask for the next panel of a B that stays where it lies. Its lines are a row of B apart, and nobody else foresees
 * them. From memory that always pays, unless a panel is so wide that the processor follows its rows. From the shared cache it does,
 * measured on a Zen 5 with a B of 4 MiB, for more than TILE_SUMS rows, and for 7 to 11, which gain a third where
 * others use that cache, too, and lose up to a tenth where it is quiet. */
static bool
is_asked_for(const Product *p, int vectors)
{
    const bool from_memory = (size_t)p->K * p->b_k >= B_NEAR && vectors <= TILE_VECTORS;
    return from_memory || p->M > TILE_SUMS || (p->M >= 7 && p->M <= 11);
}

Ahead
ahead_of(const Product *p, int k, int n, int columns)
{
    if (n >= p->N)
        return (Ahead){0};
    const float *first = product_b(p, k, n);
    const bool aligned = p->b_k % TILE_LINE == 0 && (uintptr_t)first % (TILE_LINE * sizeof(float)) == 0;
    return (Ahead){first, ceil_div(smaller(columns, p->N - n), TILE_LINE) + !aligned};
}

Ahead
ahead_share(Ahead all, int i, int tiles)
{
    const int lines = ceil_div(all.lines, tiles), before = i * lines;
    if (before >= all.lines)
        return (Ahead){0};
    return (Ahead){all.first + (size_t)before * TILE_LINE, smaller(lines, all.lines - before)};
}

/* ---- panels ---- */

/* A panel of B, columns part.n .. of rows part.k .., times the rows part.m .. of A, which are cut equally. a, b: packed, or NULL:
 * where they lie. */
static void
multiply_panel(const Product *p, const Part *part, int tile_rows, const float *a, const float *b, Ahead next)
{
    const int tiles = ceil_div(part->rows, tile_rows);
    for (int i = 0; i < tiles; i++) {
        const int m = partition_begin(i, tiles, part->rows);
        const Ahead ahead = ahead_share(next, i, tiles);
        Tile tile;
        tile_begin(&tile, p, part->m + m, part->n, part->k, part->K);
        tile.rows = partition_begin(i + 1, tiles, part->rows) - m;
        if (a != NULL) {
            tile.a = a + m;
            tile.a_row = 1;
            tile.a_k = (size_t)part->rows;
        }
        if (b != NULL) {
            tile.b = b;
            tile.b_k = TILE_COLUMNS;
        }
        tile.next = ahead.first;
        tile.next_step = p->b_k;
        tile.next_lines = ahead.lines;
        tiles_across(&tile, part->columns);
    }
}

/* A block of rows of A, a block of k, then panel after panel of B, which all rows of the block use. */
static inline void
multiply_panels(const Product *p, bool pack)
{
    const int vectors = pack ? TILE_VECTORS : vectors_in_place(p), width = vectors * VECTOR_LANES;
    const int tile_rows = pack ? TILE_ROWS : rows_in_place(p, vectors);
    const int depth = p->K > 0 ? smaller(p->K, pack ? K_BLOCK : K_BLOCK_IN_PLACE) : 1;
    const int k_blocks = p->K > 0 ? ceil_div(p->K, depth) : 1, m_blocks = ceil_div(p->M, A_BLOCK / depth);
    const bool ask = !pack && is_asked_for(p, vectors);
    const int narrow = p->epilogue == NULL ? narrow_count(p) : 0, N = p->N - narrow;
    float *panel = pack ? workspace(sizeof(float) * (TILE_COLUMNS * (size_t)depth + VECTOR_LANES)) : NULL;
    for (int i = 0; i < m_blocks; i++)
        for (int j = 0; j < k_blocks; j++) {
            Part part = {.m = partition_begin(i, m_blocks, p->M), .k = partition_begin(j, k_blocks, p->K)};
            part.rows = partition_begin(i + 1, m_blocks, p->M) - part.m;
            part.K = partition_begin(j + 1, k_blocks, p->K) - part.k;
            for (; part.n < N; part.n += width) {
                part.columns = smaller(width, N - part.n);
                if (pack)
                    pack_b(p, part.n, part.columns, part.k, part.K, panel);
                multiply_panel(p, &part, tile_rows, NULL, panel,
                               ask ? ahead_of(p, part.k, part.n + width, width) : (Ahead){0});
            }
            part.n = N;
            part.columns = narrow;
            if (narrow > 0)
                narrow_part(p, &part);
        }
}

void
multiply_packed_panels(const Product *p)
{
    multiply_panels(p, true);
}

void
multiply_panels_in_place(const Product *p)
{
    multiply_panels(p, false);
}

static void
compute(const void *product, const Part *part, const void *a, const void *b)
{
    multiply_panel(product, part, TILE_ROWS, a, b, (Ahead){0});
}

void
multiply_transposed(const Product *p, bool pack, int threads)
{
    five_loops(&(FiveLoops){.M = p->M,
                            .N = p->N,
                            .K = p->K,
                            .tile_rows = A_PANEL,
                            .tile_columns = TILE_COLUMNS,
                            .M_block = M_BLOCK,
                            .N_block = N_BLOCK,
                            .K_block = pack ? K_BLOCK : K_BLOCK_IN_PLACE,
                            .pack_a = pack_a,
                            .pack_b = pack ? pack_b : NULL,
                            .compute = compute,
                            .product = p,
                            .threads = threads});
}
