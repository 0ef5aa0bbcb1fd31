/* The parts of rung 4, which rung 5 gives to several threads: see 04_packed.c for the idea.
 *
 *     B            columns n .. n + columns - 1                  panel
 *     row k        [ strip 0 | strip 1 | strip 2 | .. ]          [ strip 0 of row k | of row k + 1 | .. | strip 1 of row k | .. ]
 *     ..           [         |         |         | .. ]
 *     k + rows - 1 [         |         |         | .. ]          each strip in one piece, which fits a cache
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SPMM_PACKED_H
#define CPU_SPMM_PACKED_H

#include "cpu/spmm/spmm.h"
#include "cpu/spmm/strip.h"
#include <stdbool.h>

/* Beginning a row of A in a block costs about as much as this many entries (measured, Zen 5). */
enum { PACKED_ROW_START = 10 };

/* A product, and the memory of the calling thread (core/workspace.h) that it needs. */
typedef struct Packed {
    const Csr *A;
    int N;
    float alpha, beta;
    const float *B;
    float *C;
    size_t ldb, ldc;
    int block_rows;      /* of B that are packed at a time */
    float *panel;        /* the packed block */
    size_t *begin, *end; /* [A->rows]: the entries of each row of A that the block meets */
} Packed;

/* A block of B. */
typedef struct Block {
    int k, rows, n, columns;
} Block;

/* True if B is large and wide enough, and its rows are used often enough, that copying them pays. */
bool packed_pays(const Csr *A, int N);

/* Rows of B in a block. */
int packed_block_rows(const Csr *A);

Packed packed_create(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc);

/* The first block, and the one behind a block: all k for some columns, and then the next columns. False: there is none. */
Block packed_first(const Packed *p);
bool packed_next(const Packed *p, Block *block);

/* Copies row `row` of the block. */
void packed_copy_row(const Packed *p, const Block *block, int row);

/* Adds to C's rows first .. end - 1 what the block gives. */
void packed_multiply(const Packed *p, const Block *block, int first, int end);

#endif
