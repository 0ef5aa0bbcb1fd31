/* Every rung of sparse times dense on every shape that a strip, a block or an empty row could get wrong.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/spmm/packed.h"
#include "tests/cpu/spmm_case.h"
#include "tests/testing.h"
#include <sys/mman.h>
#include <unistd.h>

/* beta = 0 meets NaN everywhere in C, and must let none of it through. The gaps between the rows keep their bits. */
static void
check_rung(int r, const Case *c)
{
    const Shape *s = &c->shape;
    Guarded got = guarded_create(c->c_size);
    for (size_t at = 0; at < c->c_size; at++)
        got.x[at] = s->beta != 0.0f || at % c->ld >= (size_t)s->N ? c->C[at] : NAN;
    run(rung(r), c, got.x);
    for (int i = 0; i < s->M; i++) {
        const size_t at = (size_t)i * c->ld, next = i + 1 < s->M ? at + c->ld : c->c_size, end = at + (size_t)s->N;
        Verdict verdict = verify_within(got.x + at, c->want + at, c->tolerance + at, (size_t)s->N);
        ck_assert_verdict(verdict, "%s, M %d N %d K %d density %g alpha %g beta %g, row %d", spmm_ladder.rungs[r].name,
                          s->M, s->N, s->K, s->density, (double)s->alpha, (double)s->beta, i);
        ck_assert_msg(memcmp(got.x + end, c->C + end, (next - end) * sizeof(float)) == 0, "%s wrote between the rows",
                      spmm_ladder.rungs[r].name);
    }
    ck_assert_msg(guarded_intact(&got), "%s, M %d N %d K %d: wrote outside C", spmm_ladder.rungs[r].name, s->M, s->N,
                  s->K);
    guarded_free(&got);
}

static void
check_shape(Shape shape)
{
    Case c = make_case(&shape);
    for (int r = 0; r < rung_count(); r++)
        check_rung(r, &c);
    free_case(&c);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------------- */

static const double densities[] = {0.0, 0.1, 0.6, 1.0};

TEST(every_small_shape)
{
    for (int M = 0; M <= 7; M++)
        for (int N = 0; N <= 35; N++)
            for (int K = 0; K <= 20; K++)
                check_shape((Shape){M, N, K, densities[(M + N + K) % 4], 0, 1.0f, 0.0f});
}

/* Columns around vectors and strips, entries around the chains of a narrow strip. */
TEST(edges_of_strips)
{
    for (int vectors = 1; vectors <= 2 * STRIP_VECTORS + 1; vectors++)
        for (int more = -1; more <= 1; more++)
            for (int K = 1; K <= 19; K += 3)
                check_shape((Shape){4, vectors * VECTOR_LANES + more, K, densities[K % 4], more + 1, 1.0f, 0.0f});
}

TEST(alpha_and_beta)
{
    static const float factors[] = {0.0f, 1.0f, -1.0f, 0.5f, -2.75f};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) {
            check_shape((Shape){7, 3, 11, 0.3, 2, factors[a], factors[b]});
            check_shape((Shape){17, STRIP + 5, 200, 0.5, 3, factors[a], factors[b]});
            check_shape((Shape){5, 37, 13, 0.0, 0, factors[a], factors[b]});
        }
}

/* Rows of B in rung 4's blocks for the L1 cache and for L2; it takes the latter for matrices with fewer than 10 entries
 * of a row of A in the former. */
enum { ROW = STRIP * sizeof(float), NEAR_ROWS = (1 << 15) / ROW, FAR_ROWS = (1 << 19) / ROW };

static void
check_packed(Shape shape, int block_rows)
{
    Csr *A = make_matrix(&shape);
    ck_assert(packed_pays(A, shape.N));
    ck_assert_int_eq(packed_block_rows(A), block_rows < shape.K ? block_rows : shape.K);
    csr_free(A);
    check_shape(shape);
}

TEST(edges_of_near_blocks)
{
    for (int blocks = 2; blocks <= 4; blocks++)
        for (int more = -1; more <= 1; more++)
            check_packed((Shape){29, 4 * STRIP + more, NEAR_ROWS * blocks + more, 0.7, more + 1, 1.0f, 0.5f},
                         NEAR_ROWS);
    check_packed((Shape){31, STRIP / 2 + 1, 1009, 0.5, 0, 1.0f, 0.0f}, NEAR_ROWS);
}

TEST(edges_of_far_blocks)
{
    const int M = 2 * NEAR_ROWS + 11;
    const double density = 5.0 / NEAR_ROWS;
    for (int more = -1; more <= 1; more++)
        check_packed((Shape){M, STRIP - 1, FAR_ROWS + more, density, 1, 1.0f, -1.0f}, FAR_ROWS);
    check_packed((Shape){M, STRIP + 3, 2 * FAR_ROWS + 3, density, 0, -1.0f, 0.0f}, FAR_ROWS);
}

TEST(more_columns_than_a_panel_holds)
{
    for (int more = -1; more <= 1; more++)
        check_shape((Shape){23, 8 * STRIP + more, 131, 0.5, 0, 1.0f, 2.0f});
    check_shape((Shape){23, 17 * STRIP + 5, 67, 0.5, 3, 1.0f, 0.0f});
}

TEST(long_and_flat)
{
    check_shape((Shape){1, 20011, 3, 0.5, 0, 1.0f, 0.0f});
    check_shape((Shape){3, 1, 20011, 0.1, 0, 1.0f, 0.0f});
    check_shape((Shape){20011, 1, 3, 0.4, 0, 1.0f, 1.0f});
    check_shape((Shape){4, 5, 70001, 0.01, 2, 1.0f, 0.0f});
    check_shape((Shape){101, 103, 107, 0.05, 0, 1.0f, 0.0f});
}

/* ---- what is not a number ----------------------------------------------------------------------------------------------- */

/* All of row 5 of B is not finite. Rows i % 3 == 0 of A have an entry there; the first of them is a stored zero. */
static void
check_not_finite(int M, int N, int K, float bad)
{
    Triplet *entries = ARRAY(Triplet, (size_t)M * (size_t)K);
    size_t count = 0;
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            if (k == 5 ? i % 3 == 0 : (i + k) % 2 == 0)
                entries[count++] = (Triplet){i, k, k == 5 && i == 0 ? 0.0f : 1.0f};
    Csr *A = csr_from_triplets(M, K, entries, count, NULL);
    float *B = ARRAY(float, (size_t)K *(size_t)N), *C = ARRAY(float, (size_t)M *(size_t)N);
    for (int k = 0; k < K; k++)
        for (int n = 0; n < N; n++)
            B[(size_t)k * (size_t)N + (size_t)n] = k == 5 ? bad : 1.0f;
    for (int r = 0; r < rung_count(); r++) {
        rung(r)(A, N, 1.0f, B, N, 0.0f, C, N);
        for (size_t at = 0; at < (size_t)M * (size_t)N; at++) {
            const int i = (int)(at / (size_t)N);
            const bool right = i % 3 != 0             ? isfinite(C[at])
                               : i == 0 || isnan(bad) ? isnan(C[at]) /* 0 * infinity, too */
                                                      : C[at] == bad;
            ck_assert_msg(right, "%s %dx%dx%d: row %d is %g", spmm_ladder.rungs[r].name, M, N, K, i, (double)C[at]);
        }
    }
    csr_free(A);
    array_free(entries);
    array_free(B);
    array_free(C);
}

TEST(nan_and_infinity_reach_rows_with_an_entry_and_no_others)
{
    static const int sizes[][3] = {{7, 3, 9}, {13, 37, 40}, {37, STRIP + 9, 300}, {5, 2 * STRIP, 6}};
    for (int s = 0; s < 4; s++) {
        check_not_finite(sizes[s][0], sizes[s][1], sizes[s][2], NAN);
        check_not_finite(sizes[s][0], sizes[s][1], sizes[s][2], INFINITY);
    }
}

TEST(alpha_zero_is_not_special)
{
    const Triplet entry = {0, 0, 1.0f};
    Csr *A = csr_from_triplets(2, 1, &entry, 1, NULL);
    for (int r = 0; r < rung_count(); r++) {
        float B = NAN, C[2] = {1.0f, 1.0f};
        rung(r)(A, 1, 0.0f, &B, 1, 1.0f, C, 1);
        ck_assert(isnan(C[0]) && C[1] == 1.0f);
    }
    csr_free(A);
}

/* ---- the end of the arrays ---------------------------------------------------------------------------------------------- */

/* n floats of 1 right before a page that nobody may touch: what AddressSanitizer does not see of vector instructions. They are
 * left to the end of the process. */
static float *
ones_before_a_fence(size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (n * sizeof(float) / page + 1) * page;
    char *start = mmap(NULL, inside + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(start != MAP_FAILED);
    CHECK_ERRNO(mprotect(start + inside, page, PROT_NONE));
    float *x = (float *)(start + inside) - n;
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0f;
    return x;
}

TEST(nothing_behind_b_and_c_is_touched)
{
    static const int sizes[][2] = {{3, 5}, {2, 2 * NEAR_ROWS + 1}, {12, 4 * NEAR_ROWS}}; /* M, K */
    for (int s = 0; s < 3; s++)
        for (int N = 1; N <= 2 * STRIP + 1; N += s == 0 ? 1 : 7) {
            const int M = sizes[s][0], K = sizes[s][1];
            float *B = ones_before_a_fence((size_t)K * (size_t)N), *C = ones_before_a_fence((size_t)M * (size_t)N);
            Csr *A = csr_random(M, K, (size_t)M * (size_t)K, 1, NULL);
            for (size_t p = 0; p < A->nonzeros; p++)
                A->value[p] = 1.0f;
            for (int r = 0; r < rung_count(); r++) {
                rung(r)(A, N, 1.0f, B, N, 1.0f, C, N);
                for (size_t i = 0; i < (size_t)M * (size_t)N; i++)
                    if (C[i] != (float)(1 + K * (r + 1)))
                        ck_abort_msg("%s: C[%zu] is %g", spmm_ladder.rungs[r].name, i, (double)C[i]);
            }
            csr_free(A);
        }
}

TEST_MAIN("spmm")
