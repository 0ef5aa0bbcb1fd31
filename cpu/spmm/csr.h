/* A sparse matrix by rows: only the entries that are stored take room and time ("compressed sparse row").
 *
 *     row 0   . 5 . 2        offset  0     2  2        5      row i has the entries offset[i] .. offset[i + 1] - 1
 *     row 1   . . . .        column  1  3     0  1  3         ascending within a row
 *     row 2   7 1 . 4        value   5  2     7  1  4
 *
 * Each entry costs 8 bytes, 4 of them for its column index; a dense matrix stores no indices. A stored zero is allowed, and
 * is a number like any other: 0 * NaN is NaN. An entry that is not stored is skipped: nothing is multiplied with it.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SPMM_CSR_H
#define CPU_SPMM_CSR_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

typedef struct Csr {
    int rows, columns;
    size_t nonzeros; /* stored entries */
    size_t *offset;  /* [rows + 1] */
    int *column;     /* [nonzeros] */
    float *value;    /* [nonzeros] */
} Csr;

typedef struct Triplet {
    int row, column;
    float value;
} Triplet;

/* Room for this many entries, all of it zero: fill in offset, column and value, and then csr_check. NULL with a sentence if there
 * can be no such matrix: numbers below 0, more entries than places, more than memory holds. Free with csr_free. */
Csr *csr_create(int rows, int columns, size_t nonzeros, Error *error);
void csr_free(Csr *csr); /* NULL is allowed */

/* False with a sentence unless all that the kernels rely on holds: offsets begin at 0, never decrease and end at nonzeros;
 * columns are within the matrix and increase along each row, so that none comes twice. */
bool csr_check(const Csr *csr, Error *error);

/* The entries of A [rows][columns] that are not zero, NaN among them; lda floats from one row to the next, lda >= columns. */
Csr *csr_from_dense(int rows, int columns, const float *A, int lda, Error *error);

/* Entries in any order. Refused: one outside the matrix, and two at the same place. */
Csr *csr_from_triplets(int rows, int columns, const Triplet *triplets, size_t count, Error *error);

/* Exactly this many entries, every choice of places equally likely (so a row may be empty), values uniform in -1 .. 1. The
 * same for the same seed. Draws a number for each place of the matrix, stored or not. */
Csr *csr_random(int rows, int columns, size_t nonzeros, uint64_t seed, Error *error);

/* A [rows][columns], 0 where nothing is stored. */
void csr_to_dense(const Csr *csr, float *A, int lda);

/* Rows first .. end - 1 as a matrix of their own that shares the arrays: its offsets begin where those rows do. Not to be
 * freed. */
static inline Csr
csr_rows(const Csr *csr, int first, int end)
{
    Csr part = *csr;
    part.rows = end - first;
    part.offset = csr->offset + first;
    part.nonzeros = csr->offset[end] - csr->offset[first];
    return part;
}

#endif
