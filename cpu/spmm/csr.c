/* Making and checking sparse matrices: see csr.h. SPDX-License-Identifier: MIT */
#include "cpu/spmm/csr.h"
#include "core/array.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

/* Random streams of the seed. */
enum { STREAM_PLACES = 0, STREAM_VALUES = 1 };

Csr *
csr_create(int rows, int columns, size_t nonzeros, Error *error)
{
    size_t places = 0;
    if (rows < 0 || columns < 0) {
        error_set(error, "a sparse matrix of %d x %d: neither number may be below 0", rows, columns);
        return NULL;
    }
    if (!size_multiply((size_t)rows, (size_t)columns, &places) || nonzeros > places) {
        error_set(error, "%zu entries do not fit into a sparse matrix of %d x %d: each place has one at most", nonzeros,
                  rows, columns);
        return NULL;
    }
    Csr *csr = ARRAY(Csr, 1);
    *csr = (Csr){.rows = rows, .columns = columns, .nonzeros = nonzeros};
    csr->column = array_try_create(nonzeros, sizeof(int), error);
    csr->value = csr->column != NULL ? array_try_create(nonzeros, sizeof(float), error) : NULL;
    csr->offset = csr->value != NULL ? array_try_create((size_t)rows + 1, sizeof(size_t), error) : NULL;
    if (csr->offset == NULL) {
        csr_free(csr);
        return NULL;
    }
    return csr;
}

void
csr_free(Csr *csr)
{
    if (csr == NULL)
        return;
    array_free(csr->offset);
    array_free(csr->column);
    array_free(csr->value);
    array_free(csr);
}

/* ---- checking --------------------------------------------------------------------------------------------------------- */

static bool
offsets_are_right(const Csr *csr, Error *error)
{
    if (csr->offset[0] != 0)
        return error_set(error, "row 0 of a sparse matrix begins at entry %zu: it must begin at 0", csr->offset[0]);
    for (int i = 0; i < csr->rows; i++)
        if (csr->offset[i + 1] < csr->offset[i])
            return error_set(error,
                             "row %d of a sparse matrix begins at entry %zu and ends before %zu: offsets must "
                             "not decrease",
                             i, csr->offset[i], csr->offset[i + 1]);
    return csr->offset[csr->rows] == csr->nonzeros ||
           error_set(error, "the last row of a sparse matrix ends before entry %zu, but there are %zu entries",
                     csr->offset[csr->rows], csr->nonzeros);
}

static bool
row_is_right(const Csr *csr, int i, Error *error)
{
    for (size_t p = csr->offset[i]; p < csr->offset[i + 1]; p++) {
        const int column = csr->column[p];
        if (column < 0 || column >= csr->columns)
            return error_set(error, "row %d of a sparse matrix has an entry in column %d: its columns are 0 to %d", i,
                             column, csr->columns - 1);
        if (p > csr->offset[i] && column == csr->column[p - 1])
            return error_set(error, "row %d of a sparse matrix has two entries in column %d: add them up", i, column);
        if (p > csr->offset[i] && column < csr->column[p - 1])
            return error_set(error, "row %d of a sparse matrix has column %d behind column %d: sort them", i, column,
                             csr->column[p - 1]);
    }
    return true;
}

bool
csr_check(const Csr *csr, Error *error)
{
    if (!offsets_are_right(csr, error)) /* first: they say which columns may be read */
        return false;
    for (int i = 0; i < csr->rows; i++)
        if (!row_is_right(csr, i, error))
            return false;
    return true;
}

/* ---- from and to other forms ------------------------------------------------------------------------------------------ */

Csr *
csr_from_dense(int rows, int columns, const float *A, int lda, Error *error)
{
    size_t count = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            count += A[(size_t)i * (size_t)lda + (size_t)j] != 0.0f;
    Csr *csr = csr_create(rows, columns, count, error);
    if (csr == NULL)
        return NULL;
    size_t p = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            const float value = A[(size_t)i * (size_t)lda + (size_t)j];
            if (value != 0.0f) {
                csr->column[p] = j;
                csr->value[p++] = value;
            }
        }
        csr->offset[i + 1] = p;
    }
    return csr;
}

void
csr_to_dense(const Csr *csr, float *A, int lda)
{
    for (int i = 0; i < csr->rows; i++) {
        float *row = A + (size_t)i * (size_t)lda;
        memset(row, 0, (size_t)csr->columns * sizeof *row);
        for (size_t p = csr->offset[i]; p < csr->offset[i + 1]; p++)
            row[csr->column[p]] = csr->value[p];
    }
}

static int
by_place(const void *left, const void *right)
{
    const Triplet *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Sorted triplets into arrays that have room for them. */
static void
fill(Csr *csr, const Triplet *sorted)
{
    for (size_t p = 0; p < csr->nonzeros; p++) {
        csr->offset[sorted[p].row + 1]++;
        csr->column[p] = sorted[p].column;
        csr->value[p] = sorted[p].value;
    }
    for (int i = 0; i < csr->rows; i++)
        csr->offset[i + 1] += csr->offset[i];
}

Csr *
csr_from_triplets(int rows, int columns, const Triplet *triplets, size_t count, Error *error)
{
    for (size_t t = 0; t < count; t++)
        if (triplets[t].row < 0 || triplets[t].row >= rows || triplets[t].column < 0 || triplets[t].column >= columns) {
            error_set(error, "entry %zu of a sparse matrix is at (%d, %d), outside its %d rows and %d columns", t,
                      triplets[t].row, triplets[t].column, rows, columns);
            return NULL;
        }
    Csr *csr = csr_create(rows, columns, count, error);
    Triplet *sorted = csr != NULL ? array_try_create(count, sizeof *sorted, error) : NULL;
    if (sorted != NULL) {
        if (count > 0)
            memcpy(sorted, triplets, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_place);
        fill(csr, sorted);
    }
    array_free(sorted);
    if (sorted != NULL && csr_check(csr, error)) /* two entries at one place are left to find */
        return csr;
    csr_free(csr);
    return NULL;
}

/* Place after place is taken with probability (entries still to be placed) / (places left): Knuth, The art of computer
 * programming, volume 2, 3.4.2, algorithm S. The last ones are taken for certain if they are needed, and never beyond that. */
Csr *
csr_random(int rows, int columns, size_t nonzeros, uint64_t seed, Error *error)
{
    Csr *csr = csr_create(rows, columns, nonzeros, error);
    if (csr == NULL)
        return NULL;
    Rng rng = rng_create(seed, STREAM_PLACES);
    size_t left = (size_t)rows * (size_t)columns, p = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++, left--)
            if (rng_below(&rng, left) < nonzeros - p)
                csr->column[p++] = j;
        csr->offset[i + 1] = p;
    }
    rng_fill_uniform(seed, STREAM_VALUES, 0, csr->value, nonzeros, -1.0, 1.0);
    return csr;
}
