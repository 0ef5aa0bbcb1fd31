/* Sparse matrices: made from dense ones, from triplets and by chance, and refused when they are not what the kernels rely on.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/spmm/csr.h"
#include "tests/testing.h"
#include <limits.h>

/* row 0   . 5 . 2      row 1   . . . .      row 2   7 1 . 4 */
static const float example[3][4] = {{0, 5, 0, 2}, {0, 0, 0, 0}, {7, 1, 0, 4}};
static const size_t example_offset[] = {0, 2, 2, 5};
static const int example_column[] = {1, 3, 0, 1, 3};
static const float example_value[] = {5, 2, 7, 1, 4};

static void
check_example(const Csr *csr)
{
    ck_assert_ptr_nonnull(csr);
    ck_assert(csr->rows == 3 && csr->columns == 4 && csr->nonzeros == 5);
    ck_assert_mem_eq(csr->offset, example_offset, sizeof example_offset);
    ck_assert_mem_eq(csr->column, example_column, sizeof example_column);
    ck_assert_mem_eq(csr->value, example_value, sizeof example_value);
    ck_assert_ok(csr_check(csr, &error));
}

TEST(from_dense_and_back)
{
    float wide[3][6], back[3][5];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            wide[i][j] = j < 4 ? example[i][j] : NAN; /* not part of the matrix */
    for (int i = 0; i < 15; i++)
        back[i / 5][i % 5] = -1.0f;
    Csr *csr = csr_from_dense(3, 4, wide[0], 6, NULL);
    check_example(csr);
    csr_to_dense(csr, back[0], 5);
    for (int i = 0; i < 3; i++) {
        ck_assert_mem_eq(back[i], example[i], sizeof example[i]);
        ck_assert(back[i][4] == -1.0f);
    }
    csr_free(csr);
}

TEST(from_dense_keeps_nan_and_drops_both_zeros)
{
    const float A[] = {0.0f, NAN, -0.0f, -INFINITY};
    Csr *csr = csr_from_dense(1, 4, A, 4, NULL);
    ck_assert(csr->nonzeros == 2 && csr->column[0] == 1 && csr->column[1] == 3);
    ck_assert(isnan(csr->value[0]) && csr->value[1] == -INFINITY);
    csr_free(csr);
}

TEST(from_triplets_in_any_order)
{
    const Triplet in_order[] = {{0, 1, 5}, {0, 3, 2}, {2, 0, 7}, {2, 1, 1}, {2, 3, 4}};
    const Triplet mixed[] = {{2, 3, 4}, {0, 1, 5}, {2, 0, 7}, {0, 3, 2}, {2, 1, 1}};
    Csr *a = csr_from_triplets(3, 4, in_order, 5, NULL), *b = csr_from_triplets(3, 4, mixed, 5, NULL);
    check_example(a);
    check_example(b);
    csr_free(a);
    csr_free(b);
}

TEST(a_stored_zero_is_an_entry)
{
    const Triplet zero = {1, 1, 0.0f};
    Csr *csr = csr_from_triplets(2, 2, &zero, 1, NULL);
    ck_assert(csr->nonzeros == 1 && csr->offset[1] == 0 && csr->offset[2] == 1 && csr->column[0] == 1);
    csr_free(csr);
}

TEST(matrices_of_no_size)
{
    static const int sizes[][2] = {{0, 0}, {0, 7}, {7, 0}, {1, 1}};
    for (int s = 0; s < 4; s++) {
        const float one = 0.0f;
        Csr *all[] = {csr_from_dense(sizes[s][0], sizes[s][1], &one, 1, NULL),
                      csr_from_triplets(sizes[s][0], sizes[s][1], NULL, 0, NULL),
                      csr_random(sizes[s][0], sizes[s][1], 0, 1, NULL)};
        for (int i = 0; i < 3; i++) {
            ck_assert_ptr_nonnull(all[i]);
            ck_assert(all[i]->nonzeros == 0 && all[i]->offset[sizes[s][0]] == 0 && csr_check(all[i], NULL));
            csr_free(all[i]);
        }
    }
    csr_free(NULL);
}

/* ---- by chance ---------------------------------------------------------------------------------------------------------- */

TEST(random_has_exactly_as_many_entries)
{
    static const int sizes[][2] = {{1, 1}, {1, 97}, {97, 1}, {31, 37}};
    for (int s = 0; s < 4; s++) {
        const size_t places = (size_t)sizes[s][0] * (size_t)sizes[s][1];
        for (size_t n = 0; n <= places; n += n + 7 < places || n == places ? 7 : places - n) {
            Csr *csr = csr_random(sizes[s][0], sizes[s][1], n, 3, &error);
            ck_assert_ok(csr != NULL && csr_check(csr, &error));
            ck_assert_uint_eq(csr->nonzeros, n);
            for (size_t p = 0; p < n; p++)
                ck_assert(csr->value[p] >= -1.0f && csr->value[p] < 1.0f);
            csr_free(csr);
        }
    }
}

TEST(random_repeats_for_a_seed_and_differs_for_another)
{
    Csr *a = csr_random(20, 30, 60, 5, NULL), *b = csr_random(20, 30, 60, 5, NULL),
        *c = csr_random(20, 30, 60, 6, NULL);
    ck_assert_mem_eq(a->offset, b->offset, 21 * sizeof(size_t));
    ck_assert_mem_eq(a->column, b->column, 60 * sizeof(int));
    ck_assert_mem_eq(a->value, b->value, 60 * sizeof(float));
    ck_assert(memcmp(a->column, c->column, 60 * sizeof(int)) != 0);
    ck_assert(memcmp(a->value, c->value, 60 * sizeof(float)) != 0);
    csr_free(a);
    csr_free(b);
    csr_free(c);
}

/* Each of 6 places has 1 of 2 entries in a third of 3000 draws; 5 standard deviations are 129. Some rows stay empty. */
TEST(random_prefers_no_place)
{
    int hits[6] = {0}, empty = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        Csr *csr = csr_random(2, 3, 2, seed, NULL);
        for (int i = 0; i < 2; i++) {
            empty += csr->offset[i] == csr->offset[i + 1];
            for (size_t p = csr->offset[i]; p < csr->offset[i + 1]; p++)
                hits[3 * i + csr->column[p]]++;
        }
        csr_free(csr);
    }
    for (int place = 0; place < 6; place++)
        ck_assert_msg(abs(hits[place] - 1000) < 130, "place %d: %d times", place, hits[place]);
    ck_assert_int_gt(empty, 0);
}

/* ---- refused ------------------------------------------------------------------------------------------------------------ */

/* The example with one number changed. */
static void
check_refused(const char *hint, int row, size_t offset, int entry, int column)
{
    Csr *csr = csr_from_dense(3, 4, example[0], 4, NULL);
    if (row >= 0)
        csr->offset[row] = offset;
    if (entry >= 0)
        csr->column[entry] = column;
    ck_assert_refused(csr_check(csr, &error), hint);
    csr_free(csr);
}

TEST(check_refuses_what_kernels_could_not_bear)
{
    check_refused("row 0 of a sparse matrix begins at entry 1", 0, 1, -1, 0);
    check_refused("row 1 of a sparse matrix begins at entry 3 and ends before 2", 1, 3, -1, 0);
    check_refused("row 1 of a sparse matrix begins at entry 1000 and ends before 2", 1, 1000, -1, 0);
    check_refused("ends before entry 4, but there are 5", 3, 4, -1, 0);
    check_refused("ends before entry 6, but there are 5", 3, 6, -1, 0);
    check_refused("row 0 of a sparse matrix has an entry in column 4: its columns are 0 to 3", -1, 0, 1, 4);
    check_refused("row 2 of a sparse matrix has an entry in column -1", -1, 0, 2, -1);
    check_refused("row 2 of a sparse matrix has two entries in column 1", -1, 0, 2, 1);
    check_refused("row 2 of a sparse matrix has column 0 behind column 1", -1, 0, 4, 0);
}

static void
check_triplets_refused(int rows, int columns, const Triplet *triplets, size_t count, const char *hint)
{
    ck_assert_refused(csr_from_triplets(rows, columns, triplets, count, &error), hint);
    ck_assert_ptr_null(csr_from_triplets(rows, columns, triplets, count, NULL));
}

TEST(triplets_outside_and_twice_are_refused)
{
    check_triplets_refused(3, 4, (Triplet[]){{0, 0, 1}, {3, 0, 1}}, 2, "entry 1 of a sparse matrix is at (3, 0)");
    check_triplets_refused(3, 4, (Triplet[]){{0, 4, 1}}, 1, "at (0, 4), outside its 3 rows and 4 columns");
    check_triplets_refused(3, 4, (Triplet[]){{-1, 0, 1}}, 1, "at (-1, 0)");
    check_triplets_refused(3, 4, (Triplet[]){{0, INT_MIN, 1}}, 1, "outside");
    check_triplets_refused(0, 0, (Triplet[]){{0, 0, 1}}, 1, "outside its 0 rows");
    check_triplets_refused(3, 4, (Triplet[]){{1, 2, 1}, {0, 0, 1}, {1, 2, 1}}, 3, "row 1 of a sparse matrix has two");
    check_triplets_refused(1, 1, (Triplet[]){{0, 0, 1}, {0, 0, 1}}, 2,
                           "2 entries do not fit into a sparse matrix of 1 x 1");
}

static void
check_size_refused(int rows, int columns, size_t nonzeros, const char *hint)
{
    ck_assert_refused(csr_create(rows, columns, nonzeros, &error), hint);
    ck_assert_ptr_null(csr_random(rows, columns, nonzeros, 1, &error));
}

TEST(impossible_sizes_are_refused)
{
    check_size_refused(-1, 5, 0, "-1 x 5: neither number may be below 0");
    check_size_refused(5, INT_MIN, 0, "neither number may be below 0");
    check_size_refused(5, 7, 36, "36 entries do not fit into a sparse matrix of 5 x 7");
    check_size_refused(0, 7, 1, "1 entries do not fit");
    check_size_refused(5, 7, SIZE_MAX, "do not fit");
    check_size_refused(INT_MAX, INT_MAX, (size_t)INT_MAX * INT_MAX, "bytes");
}

TEST_MAIN("spmm csr")
