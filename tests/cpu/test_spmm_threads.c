/* Sparse times dense by threads: who gets which rows, and that nobody sees it in the result.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/spmm/strip.h"
#include "tests/cpu/spmm_case.h"
#include "tests/testing.h"

/* Near blocks, far blocks, not packed; and most entries in one row. */
TEST(the_same_bits_with_any_number_of_threads)
{
    const Shape shapes[] = {{61, 2 * STRIP + 7, 301, 0.6, 1, 1.25f, 0.5f},
                            {151, STRIP, 1500, 0.07, 0, 1.0f, 0.0f},
                            {2003, 10, 509, 0.05, 2, -1.0f, 1.0f},
                            {40, 311, 2003, 0.0001, 0, 1.0f, 0.0f}};
    const int before = host_threads();
    for (int s = 0; s < 4; s++) {
        Case c = make_case(&shapes[s]);
        float *first = ARRAY(float, c.c_size), *got = ARRAY(float, c.c_size);
        ck_assert_int_eq(spmm_openmp_threads(c.A, shapes[s].N, 3), 3);
        for (int threads = 1; threads <= 7; threads++) {
            float *C = threads == 1 ? first : got;
            host_set_threads(threads);
            memcpy(C, c.C, c.c_size * sizeof(float));
            run(spmm_openmp, &c, C);
            ck_assert_msg(memcmp(C, first, c.c_size * sizeof(float)) == 0, "shape %d: %d threads gave other bits", s,
                          threads);
        }
        memcpy(got, c.C, c.c_size * sizeof(float));
        run(spmm_packed, &c, got);
        ck_assert_msg(memcmp(got, first, c.c_size * sizeof(float)) == 0, "shape %d: rung 4 gave other bits", s);
        array_free(first);
        array_free(got);
        free_case(&c);
    }
    host_set_threads(before);
}

/* Every row belongs to one thread, and no thread has more than its chunk and one row. */
TEST(rows_are_shared_by_their_entries)
{
    enum { ROWS = 50, COLUMNS = 400 };
    Csr *A = csr_create(ROWS, COLUMNS, 3 * COLUMNS + 40, NULL);
    for (int i = 0; i < ROWS; i++) { /* rows 3, 4 and 20 are full, rows 10 to 49 have one entry each or none */
        const size_t count = i == 3 || i == 4 || i == 20 ? COLUMNS : i >= 10 && i < 50 ? 1 : 0;
        A->offset[i + 1] = A->offset[i] + count;
    }
    for (int threads = 1; threads <= 60; threads++) {
        const double share = (double)A->offset[ROWS] / threads;
        ck_assert_int_eq(spmm_openmp_first_row(A, 0, threads), 0);
        ck_assert_int_eq(spmm_openmp_first_row(A, threads, threads), ROWS);
        for (int t = 0; t < threads; t++) {
            const int first = spmm_openmp_first_row(A, t, threads), end = spmm_openmp_first_row(A, t + 1, threads);
            ck_assert_int_le(first, end);
            ck_assert((double)(A->offset[end] - A->offset[first]) <= share + COLUMNS + 4.0 * ROWS / threads);
        }
    }
    ck_assert_int_eq(spmm_openmp_first_row(A, 1, 2), 5); /* rows 0 to 4 have most of the entries, not 25 rows */
    csr_free(A);
}

TEST(small_products_use_one_thread)
{
    const Csr small = {.rows = 10, .columns = 10, .nonzeros = 50}, large = {.nonzeros = 1 << 20};
    ck_assert_int_eq(spmm_openmp_threads(&small, 64, 4), 1);
    ck_assert_int_eq(spmm_openmp_threads(&large, 64, 4), 4);
    ck_assert_int_eq(spmm_openmp_threads(&large, 0, 4), 1);
}

TEST_MAIN("spmm threads")
