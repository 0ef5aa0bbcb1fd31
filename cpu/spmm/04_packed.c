/* spmm, rung 4: packed.
 * Idea      for a block of B's rows at a time, and a strip of it after the other, all rows of A pass: the strip stays in a cache.
 *           It is copied there first, so that it lies in one piece (cpu/spmm/packed.h).
 * Before    vector loads each row of B, all of its N floats, from the level that holds all of B. Strips of B in place would
 *           not do: their rows are ldb floats apart, and if that is a power of two they compete for the same few places of
 *           the cache.
 * Now       a multiply-add's 4 bytes come from L2, or from L1. The price: B is copied once, C is loaded and
 *           stored once for each block, and the entries of A are read once for each strip.
 * Which     a block for L1 has fewer rows of B, so a row of A has fewer entries in it; and beginning a row costs as
 *           much as some ten entries (a jump that nobody can foresee, and C). So it is for rows that have as many in it: at a
 *           density of 16 % and more with 512-bit vectors, where 32 KiB are 64 rows of 8 vectors.
 * Model     the entries, and ten more for each row and block, at 10 loads for 8 multiply-adds (column and value are loads
 *           too) from the cache of the strip; and the copying of B.
 * Wants     nothing; leaves it to rung 3 if B is small or narrow, or a row of it is used fewer than PACK_USES times.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "cpu/partition.h"
#include "cpu/spmm/packed.h"
#include <string.h>

/* Bytes of a block's strip: two thirds of a common L1, half of a common L2. */
enum { NEAR = 1 << 15, FAR = 1 << 19, ROW = STRIP * sizeof(float) };

enum { PACK_USES = 8, BLOCK_COLUMNS = 8 * STRIP };

static bool
is_near(const Csr *A)
{
    return (double)A->nonzeros * (NEAR / ROW) >= (double)PACKED_ROW_START * A->rows * A->columns;
}

bool
packed_pays(const Csr *A, int N)
{
    const double bytes = (double)sizeof(float) * A->columns * N;
    return N > STRIP / 2 && bytes > (is_near(A) ? 2 * NEAR : FAR / 2) &&
           (double)A->nonzeros >= (double)PACK_USES * A->columns;
}

int
packed_block_rows(const Csr *A)
{
    return smaller(is_near(A) ? NEAR / ROW : FAR / ROW, A->columns);
}

Packed
packed_create(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    Packed p = {.A = A, .N = N, .alpha = alpha, .beta = beta, .B = B, .C = C, .ldb = (size_t)ldb, .ldc = (size_t)ldc};
    p.block_rows = packed_block_rows(A);
    const size_t strips = ((size_t)smaller(N, BLOCK_COLUMNS) + STRIP - 1) / STRIP;
    const size_t panel = strips * (size_t)p.block_rows * ROW;
    p.panel = workspace(panel + 2 * (size_t)A->rows * sizeof *p.begin);
    p.begin = (size_t *)((char *)p.panel + panel);
    p.end = p.begin + A->rows;
    return p;
}

/* ---- blocks, in the order k, then n ------------------------------------------------------------------------------------- */

static Block
block_at(const Packed *p, int k, int n)
{
    return (Block){k, smaller(p->block_rows, p->A->columns - k), n, smaller(BLOCK_COLUMNS, p->N - n)};
}

Block
packed_first(const Packed *p)
{
    return block_at(p, 0, 0);
}

bool
packed_next(const Packed *p, Block *block)
{
    const int k = block->k + block->rows, n = block->n + block->columns;
    const bool more_k = k < p->A->columns, more = more_k || n < p->N;
    if (more)
        *block = more_k ? block_at(p, k, block->n) : block_at(p, 0, n);
    return more;
}

/* ---- one block ---------------------------------------------------------------------------------------------------------- */

/* The strip that begins with this column of the block. The rows of a narrow last one lie as far apart as those of the others. */
static float *
strip_of_panel(const Packed *p, int column)
{
    return p->panel + (size_t)column * (size_t)p->block_rows;
}

void
packed_copy_row(const Packed *p, const Block *block, int row)
{
    const float *b = p->B + (size_t)(block->k + row) * p->ldb + (size_t)block->n;
    for (int n = 0; n < block->columns; n += STRIP)
        memcpy(strip_of_panel(p, n) + (size_t)row * STRIP, b + n,
               (size_t)smaller(STRIP, block->columns - n) * sizeof(float));
}

/* Columns ascend, so a block's entries of a row begin where those of the block before ended. */
static void
find_entries(const Packed *p, const Block *block, int first, int end)
{
    for (int i = first; i < end; i++) {
        size_t entry = block->k == 0 ? p->A->offset[i] : p->end[i];
        p->begin[i] = entry;
        while (entry < p->A->offset[i + 1] && p->A->column[entry] < block->k + block->rows)
            entry++;
        p->end[i] = entry;
    }
}

void
packed_multiply(const Packed *p, const Block *block, int first, int end)
{
    const bool begins = block->k == 0; /* the sum: C = beta C also where no entry is */
    find_entries(p, block, first, end);
    for (int n = 0; n < block->columns; n += STRIP) {
        const Strip strip = {p->A, strip_of_panel(p, n), STRIP, block->k, p->alpha, begins ? p->beta : 1.0f};
        for (int i = first; i < end; i++)
            if (begins || p->begin[i] < p->end[i])
                strip_multiply(&strip, p->begin[i], p->end[i], smaller(STRIP, block->columns - n),
                               p->C + (size_t)i * p->ldc + (size_t)(block->n + n));
    }
}

void
spmm_packed(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    if (!packed_pays(A, N)) {
        spmm_vector(A, N, alpha, B, ldb, beta, C, ldc);
        return;
    }
    const Packed p = packed_create(A, N, alpha, B, ldb, beta, C, ldc);
    Block block = packed_first(&p);
    do {
        for (int row = 0; row < block.rows; row++)
            packed_copy_row(&p, &block, row);
        packed_multiply(&p, &block, 0, A->rows);
    } while (packed_next(&p, &block));
}
