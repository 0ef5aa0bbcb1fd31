/* Every rung of sparse times dense: right on every shape, without findings, and with the counts that its file names; and where it
 * crosses the dense product by counted work.
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include "gpu/spmm/spmm.h"
#include "tests/cpu/spmm_case.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"thread_a_row", "warp_a_row", "balanced"};

static void *
copy_in(const GpuLibrary *gpu, const void *host, size_t bytes)
{
    void *memory = gpu->allocate(bytes);
    ck_assert(memory != NULL || bytes == 0);
    rungs_no_error(gpu->copy_in(memory, host, bytes));
    return memory;
}

/* C has what stood there before, also between the rows. */
static void
run_rung(const GpuLibrary *gpu, const char *name, const Case *c, float *C)
{
    char launch[64];
    snprintf(launch, sizeof(launch), "launch_spmm_%s", name);
    const Csr *A = c->A;
    const Shape *s = &c->shape;
    size_t *offset = copy_in(gpu, A->offset, ((size_t)A->rows + 1) * sizeof(size_t));
    int *column = copy_in(gpu, A->column, A->nonzeros * sizeof(int));
    float *value = copy_in(gpu, A->value, A->nonzeros * sizeof(float));
    const size_t b_size = s->K > 0 ? (size_t)(s->K - 1) * c->ld + (size_t)s->N : 0;
    float *B = rungs_input(gpu, c->B, b_size), *output = rungs_output(gpu, c->c_size);
    if (c->c_size > 0)
        rungs_no_error(gpu->copy_in(output, C, c->c_size * sizeof(float)));
    ((GpuSpmm *)function_of(gpu, launch))(s->M, s->N, A->nonzeros, offset, column, value, s->alpha, B, (int)c->ld,
                                          s->beta, output, (int)c->ld);
    rungs_fetch(gpu, output, C, c->c_size, launch);
    gpu->free(offset);
    gpu->free(column);
    gpu->free(value);
    gpu->free(B);
}

/* beta = 0 meets NaN everywhere in C, and must let none of it through. What is between the rows keeps its bits. */
static void
check_rung(const GpuLibrary *gpu, const char *name, const Case *c)
{
    const Shape *s = &c->shape;
    float *C = ARRAY(float, c->c_size);
    for (size_t at = 0; at < c->c_size; at++)
        C[at] = s->beta != 0.0f || at % c->ld >= (size_t)s->N ? c->C[at] : NAN;
    run_rung(gpu, name, c, C);
    for (int i = 0; i < s->M; i++) {
        const size_t at = (size_t)i * c->ld, next = i + 1 < s->M ? at + c->ld : c->c_size, end = at + (size_t)s->N;
        const Verdict verdict = verify_within(C + at, c->want + at, c->tolerance + at, (size_t)s->N);
        ck_assert_verdict(verdict, "%s, M %d N %d K %d density %g alpha %g beta %g, row %d", name, s->M, s->N, s->K,
                          s->density, (double)s->alpha, (double)s->beta, i);
        ck_assert_msg(memcmp(C + end, c->C + end, (next - end) * sizeof(float)) == 0, "%s wrote between the rows",
                      name);
    }
    array_free(C);
}

/* M, N, K, density, gap, alpha, beta. Row 1 is full, row 2 and the last one are empty. A warp has 128 entries. */
static const Shape shapes[] = {
    {0, 5, 3, 0.5, 0, 1, 0},         {5, 0, 3, 0.5, 0, 1, 0},       {5, 3, 0, 0.5, 0, 1, 0.5f},
    {1, 1, 1, 1.0, 0, 1, 0},         {7, 31, 13, 0.0, 2, 1, -0.5f}, {3, 32, 127, 0.0, 0, 1, 0},
    {7, 33, 31, 0.3, 3, 1.5f, 0},    {2, 5, 128, 0.1, 1, 2, 1},     {6, 65, 129, 0.5, 0, -1.5f, 3},
    {4, 3, 600, 0.01, 5, 1, 0.5f},   {131, 2, 7, 0.2, 0, 1, 0},     {67, 37, 41, 1.0, 0, 1, 1},
    {40, 64, 33, 0.06, 4, 0.5f, -1}, {5, 70, 257, 1.0, 0, 1, 0},
};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    Case c = make_case(&shapes[shape]);
    for (int rung = 0; rung < COUNT(rungs); rung++)
        check_rung(gpu, rungs[rung], &c);
    free_case(&c);
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), COUNT(shapes), test_thorough())

/* NaN in a row of B reaches the rows of C with an entry there; a place without an entry is not multiplied. */
TEST(nan_reaches_no_other_row)
{
    const Shape shape = {9, 34, 20, 0.3, 0, 1, 0};
    Case c = make_case(&shape);
    float *C = ARRAY(float, c.c_size);
    for (int n = 0; n < shape.N; n++)
        c.B[4 * c.ld + (size_t)n] = NAN;
    for (int rung = 0; rung < COUNT(rungs); rung++) {
        run_rung(rungs_library(GPU_EMULATOR), rungs[rung], &c, C);
        for (int m = 0; m < shape.M; m++) {
            bool has = false;
            for (size_t p = c.A->offset[m]; p < c.A->offset[m + 1]; p++)
                has = has || c.A->column[p] == 4;
            for (int n = 0; n < shape.N; n++)
                ck_assert_int_eq(isnan(C[(size_t)m * c.ld + (size_t)n]) != 0, has);
        }
    }
    array_free(C);
    free_case(&c);
}

/* ---- counts -------------------------------------------------------------------------------------------------- */

static Case
random_case(int side, size_t nonzeros)
{
    Case c = {.shape = {side, side, side, 0, 0, 1, 0}, .ld = (size_t)side, .c_size = (size_t)side * (size_t)side};
    c.A = csr_random(side, side, nonzeros, 1, &error);
    c.B = make_rows(side, side, c.ld, 2);
    c.C = ARRAY(float, c.c_size);
    c.want = ARRAY(double, 0);
    c.tolerance = ARRAY(double, 0);
    return c;
}

static EmulatorCounts
counts_of(const Checked *checked, const Case *c, const char *name)
{
    char kernel[64];
    float *C = ARRAY(float, c->c_size);
    snprintf(kernel, sizeof(kernel), "spmm_%s", name);
    checked->reset();
    run_rung(checked->library, name, c, C);
    array_free(C);
    return rungs_counted(checked, kernel);
}

/* 64 x 64 full places: every row has 64 entries. */
TEST(sectors_of_each_rung)
{
    enum { SIDE = 64, ENTRIES = SIDE * SIDE, STRIPS = SIDE / 32 };
    const Checked checked = rungs_counters();
    Case c = random_case(SIDE, ENTRIES);

    /* A warp's lanes stand in 32 rows: a value, a column and a word of B for each entry and column of C. All rows being full,
     * the 32 lanes read the same word of B: 1 sector; entries are 64 words apart: 32. */
    const EmulatorCounts thread = counts_of(&checked, &c, "thread_a_row");
    const unsigned steps = SIDE / 32 * SIDE * SIDE; /* warps, columns of C, entries of a row */
    ck_assert_uint_eq(thread.loads, 3 * steps + 2 * (SIDE / 32));
    ck_assert_uint_eq(thread.load_sectors, (32 + 32 + 1) * steps + SIDE / 32 * (8 + 9));
    ck_assert_uint_eq(thread.store_sectors, 32 * thread.stores);

    /* Entries 32 at a time, 4 sectors each; 4 for each row of B; 2 offsets for each warp. */
    const EmulatorCounts warp = counts_of(&checked, &c, "warp_a_row");
    ck_assert_uint_eq(warp.loads, ENTRIES * STRIPS + 2 * ENTRIES / 32 * STRIPS + 2 * SIDE * STRIPS);
    ck_assert_uint_eq(warp.load_sectors, 4 * ENTRIES * STRIPS + 8 * ENTRIES / 32 * STRIPS + 2 * SIDE * STRIPS);
    ck_assert_uint_eq(warp.store_sectors, 4 * warp.stores);
    ck_assert_uint_eq(warp.stores, SIDE * STRIPS);
    ck_assert_uint_eq(warp.flops, 2 * ENTRIES * SIDE + SIDE * SIDE);

    /* 128 entries are exactly two rows: none is split. */
    const EmulatorCounts balanced = counts_of(&checked, &c, "balanced");
    ck_assert_uint_eq(balanced.atomics, 0);
    ck_assert_uint_eq(balanced.stores, SIDE * STRIPS);
    free_case(&c);
}

/* One long row among short ones: split between warps, its sums are added by atomics, 32 lanes at 32 addresses. */
TEST(a_long_row_is_split)
{
    const Shape shape = {8, 32, 512, 0.001, 0, 1, 0};
    const Checked checked = rungs_counters();
    Case c = make_case(&shape);
    const EmulatorCounts balanced = counts_of(&checked, &c, "balanced");
    ck_assert_uint_ge(c.A->nonzeros, 512);
    ck_assert_uint_ge(balanced.atomics, 4);
    ck_assert_uint_le(balanced.atomics, 6);
    ck_assert_uint_eq(balanced.collisions, 0);
    free_case(&c);
}

enum { DENSE = 128 };

static unsigned long long
sectors_of_dense(const Checked *checked, const char *kernel)
{
    char launch[64];
    const GpuLibrary *gpu = checked->library;
    const size_t n = (size_t)DENSE * DENSE;
    float *x = rungs_output(gpu, n), *y = rungs_output(gpu, n);
    snprintf(launch, sizeof(launch), "launch_%s", kernel);
    checked->reset();
    ((GpuGemm *)function_of(gpu, launch))(DENSE, DENSE, DENSE, 1, x, DENSE, x, DENSE, 0, y, DENSE);
    const EmulatorCounts c = rungs_counted(checked, kernel);
    gpu->free(x);
    gpu->free(y);
    return c.load_sectors + c.store_sectors;
}

static unsigned long long
sectors_of_sparse(const Checked *checked, size_t of_1000)
{
    Case c = random_case(DENSE, (size_t)DENSE * DENSE * of_1000 / 1000);
    const EmulatorCounts counts = counts_of(checked, &c, "warp_a_row");
    free_case(&c);
    return counts.load_sectors + counts.store_sectors;
}

/* The density, in 1/1000, above which the dense product has less traffic. */
TEST(crossing_with_the_dense_product)
{
    const Checked checked = rungs_counters();
    const unsigned long long tiles_of_32 = sectors_of_dense(&checked, "gemm_shared_tile"),
                             tiles_of_128 = sectors_of_dense(&checked, "gemm_register_tile_2d");
    ck_assert_uint_lt(sectors_of_sparse(&checked, 40), tiles_of_32);
    ck_assert_uint_gt(sectors_of_sparse(&checked, 60), tiles_of_32);
    ck_assert_uint_lt(sectors_of_sparse(&checked, 5), tiles_of_128);
    ck_assert_uint_gt(sectors_of_sparse(&checked, 10), tiles_of_128);
}

TEST_MAIN("gpu spmm")
