/* Copies of matrices, with row strides above their width, around the length from which threads share the work; and the kernel
 * of dropout on slices of an array.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/chunks.h"
#include "cpu/copy/copy.h"
#include "cpu/dropout/dropout.h"
#include "tests/testing.h"

/* The gaps between the rows of y must stay. */
static void
check(size_t rows, size_t columns, size_t ldx, size_t ldy)
{
    float *x = ARRAY(float, rows *ldx), *y = ARRAY(float, rows *ldy);
    for (size_t i = 0; i < rows * ldx; i++)
        x[i] = (float)(i % 9973 + 1);
    for (size_t i = 0; i < rows * ldy; i++)
        y[i] = -1;
    copy_rows(rows, columns, x, ldx, y, ldy);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < ldy; c++)
            ck_assert_float_eq(y[r * ldy + c], c < columns ? x[r * ldx + c] : -1);
    array_free(x);
    array_free(y);
}

TEST(rows_are_copied)
{
    const size_t counts[] = {0, 1, 2, 7, 31}, widths[] = {0, 1, 3, 16, 17};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (size_t gap = 0; gap < 3; gap++)
                check(counts[i], widths[j], widths[j] + gap, widths[j] + 2 * gap);
}

TEST(long_ones_are_copied)
{
    check(1, CHUNKS_MIN - 1, CHUNKS_MIN - 1, CHUNKS_MIN - 1);
    check(1, CHUNKS_MIN + CHUNK + 1, CHUNKS_MIN + CHUNK + 1, CHUNKS_MIN + CHUNK + 1);
    check(1031, 257, 257, 257);
    check(1031, 257, 259, 300);
}

/* Any cut gives the same numbers: number i depends on i alone. */
TEST(dropout_of_parts)
{
    enum { N = CHUNKS_MIN + 2 * CHUNK + 77 };
    const size_t cuts[] = {0, 1, 63, 64, 1023, 1025, CHUNK, CHUNKS_MIN + 1};
    float *x = ARRAY(float, N), *whole = ARRAY(float, N), *parts = ARRAY(float, N);
    rng_fill_normal(1, 2, 0, x, N, 0, 1);
    dropout(N, x, whole, 0.25F, 8, 9, 5);
    for (size_t i = 0; i < N; i++)
        ck_assert(whole[i] == 0 || whole[i] == x[i] * (1 / (1 - 0.25F)));
    for (int k = 0; k < 8; k++) {
        memset(parts, 0xff, N * sizeof(float));
        dropout(cuts[k], x, parts, 0.25F, 8, 9, 5);
        dropout(N - cuts[k], x + cuts[k], parts + cuts[k], 0.25F, 8, 9, 5 + cuts[k]);
        ck_assert_mem_eq(parts, whole, N * sizeof(float));
    }
    array_free(x);
    array_free(whole);
    array_free(parts);
}

TEST_MAIN("copy")
