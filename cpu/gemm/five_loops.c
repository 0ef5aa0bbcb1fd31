/* The five loops: see five_loops.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/five_loops.h"
#include "core/workspace.h"
#include <stdbool.h>
#include <stddef.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { WORD = 4, SLACK = 64 };

/* What one thread computes: these rows and columns of C. Threads with the same columns pack B together. */
typedef struct Share {
    const FiveLoops *loops;
    int first_row, end_row, first_column, end_column;
    int thread, sharers; /* which of those that pack the same B */
    char *a, *b;         /* memory for the packed blocks */
} Share;

/* From one packed panel to the next. */
static size_t
panel_bytes(const FiveLoops *loops, int width)
{
    return (size_t)width * (size_t)smaller(loops->K_block, loops->K) * WORD;
}

static size_t
block_bytes(const FiveLoops *loops, int width, int count)
{
    return ((size_t)ceil_div(count, width) * panel_bytes(loops, width) + 2 * SLACK - 1) / SLACK * SLACK;
}

static void
wait_for_sharers(const Share *share)
{
    if (share->sharers > 1 && share->loops->pack_b != NULL) {
#pragma omp barrier
    }
}

/* BEGIN LISTING five-loops */
/* Packs every sharers-th panel of B. The last may be narrower. */
static void
pack_b_together(const Share *share, const GemmBlock *block)
{
    const FiveLoops *loops = share->loops;
    const int width = loops->tile_columns;
    if (loops->pack_b == NULL)
        return;
    for (int j = share->thread; j * width < block->columns; j += share->sharers)
        loops->pack_b(loops->product, block->n + j * width, smaller(width, block->columns - j * width), block->k,
                      block->K, share->b + (size_t)j * panel_bytes(loops, width));
}

/* A block's panels of rows. Rows are divided equally, so that there is no panel with one or two rows only: the first `more` panels
 * have one more than `fewest`. Counted once for each block: a division takes as long as a dozen FMAs. */
typedef struct RowPanels {
    int count, fewest, more;
} RowPanels;

static RowPanels
row_panels(const FiveLoops *loops, const GemmBlock *block)
{
    const int count = ceil_div(block->rows, loops->tile_rows);
    return (RowPanels){count, block->rows / count, block->rows % count};
}

static GemmBlock
row_panel(const RowPanels *panels, const GemmBlock *block, int i)
{
    const int begin = i * panels->fewest + smaller(i, panels->more);
    return (GemmBlock){
        .m = block->m + begin, .rows = panels->fewest + (i < panels->more), .k = block->k, .K = block->K};
}

static void
pack_a(const Share *share, const GemmBlock *block)
{
    const FiveLoops *loops = share->loops;
    if (loops->pack_a == NULL)
        return;
    const RowPanels panels = row_panels(loops, block);
    for (int i = 0; i < panels.count; i++) {
        const GemmBlock panel = row_panel(&panels, block, i);
        loops->pack_a(loops->product, panel.m, panel.rows, panel.k, panel.K,
                      share->a + (size_t)i * panel_bytes(loops, loops->tile_rows));
    }
}

/* Loops 2 and 1: packed block of A times packed block of B. */
static void
multiply_blocks(const Share *share, const GemmBlock *block)
{
    const FiveLoops *loops = share->loops;
    const int width = loops->tile_columns;
    const RowPanels panels = row_panels(loops, block);
    const size_t a_bytes = panel_bytes(loops, loops->tile_rows), b_bytes = panel_bytes(loops, width);
    for (int j = 0; j * width < block->columns; j++)
        for (int i = 0; i < panels.count; i++) {
            GemmBlock tile = row_panel(&panels, block, i);
            tile.n = block->n + j * width;
            tile.columns = smaller(width, block->columns - j * width);
            loops->compute(loops->product, &tile, loops->pack_a ? share->a + (size_t)i * a_bytes : NULL,
                           loops->pack_b ? share->b + (size_t)j * b_bytes : NULL);
        }
}

/* Loops 5, 4 and 3. */
static void
multiply_share(const Share *share)
{
    const FiveLoops *loops = share->loops;
    const int rows = share->end_row - share->first_row, row_blocks = ceil_div(rows, loops->M_block);
    const int k_blocks = loops->K > 0 ? ceil_div(loops->K, loops->K_block) : 1;
    for (int n = share->first_column; n < share->end_column; n += loops->N_block)
        for (int p = 0; p < k_blocks; p++) {
            GemmBlock block = {.n = n, .columns = smaller(loops->N_block, share->end_column - n)};
            block.k = partition_begin(p, k_blocks, loops->K);
            block.K = partition_begin(p + 1, k_blocks, loops->K) - block.k;
            pack_b_together(share, &block);
            wait_for_sharers(share); /* before any thread reads B */
            for (int i = 0; i < row_blocks; i++) {
                block.m = share->first_row + partition_begin(i, row_blocks, rows);
                block.rows = share->first_row + partition_begin(i + 1, row_blocks, rows) - block.m;
                pack_a(share, &block);
                multiply_blocks(share, &block);
            }
            wait_for_sharers(share); /* before any thread overwrites it */
        }
}
/* END LISTING five-loops */

/* Whether threads partition C by columns, and not by rows: along its longer side, so that they share the smaller operand. By
 * columns each packs its own block of B, needs no barrier, and never reads what another core has just written, which may take
 * as long as a read from memory. But each packs all of A, and panels of columns are wide: a few of them are rarely balanced. */
static bool
is_partitioned_by_columns(const FiveLoops *loops, int threads)
{
    const int panels = ceil_div(loops->N, loops->tile_columns);
    return loops->M < threads * loops->tile_rows || (loops->N > loops->M && partition_is_balanced(panels, threads));
}

/* Thread t of `threads`: a block of the columns; or a block of the rows, with a shared B. */
static void
run_thread(const FiveLoops *loops, int t, int threads, char *space, size_t a_bytes, size_t b_bytes)
{
    Share share = {.loops = loops, .end_row = loops->M, .end_column = loops->N, .sharers = 1};
    const int panels = ceil_div(loops->N, loops->tile_columns);
    const bool by_rows = !is_partitioned_by_columns(loops, threads);
    if (by_rows) {
        share.first_row = partition_begin(t, threads, loops->M);
        share.end_row = partition_begin(t + 1, threads, loops->M);
        share.thread = t;
        share.sharers = threads;
    } else {
        share.first_column = smaller(partition_begin(t, threads, panels) * loops->tile_columns, loops->N);
        share.end_column = smaller(partition_begin(t + 1, threads, panels) * loops->tile_columns, loops->N);
    }
    share.a = space + (size_t)t * a_bytes;
    share.b = space + (size_t)threads * a_bytes + (by_rows ? 0 : (size_t)t * b_bytes);
    multiply_share(&share);
}

void
five_loops(const FiveLoops *loops)
{
    if (loops->M == 0 || loops->N == 0)
        return;
    const int threads = loops->threads;
    const size_t a_bytes =
        loops->pack_a == NULL ? 0 : block_bytes(loops, loops->tile_rows, smaller(loops->M, loops->M_block));
    const size_t b_bytes =
        loops->pack_b == NULL ? 0 : block_bytes(loops, loops->tile_columns, smaller(loops->N, loops->N_block));
    char *space = workspace((size_t)threads * (a_bytes + b_bytes));
    if (threads == 1) {
        run_thread(loops, 0, 1, space, a_bytes, b_bytes);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    run_thread(loops, omp_get_thread_num(), omp_get_num_threads(), space, a_bytes, b_bytes); /* perhaps fewer */
#endif
}
