/* Lab 05: the matrix product on a GPU, exercises/05-gemm-gpu. All kernels run on the emulator that watches every access:
 * results are compared with the definition, mistakes that it finds cost points also where the result is right, and so does work
 * that need not be. Nothing is timed, so that every machine gives the same points.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "gpu/gemm/gemm.h"
#include "grade.h"
#include "grade_product.h"
#include "lab_05_kernels.h"
#include "lab_05_practice.h"
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Nothing, one element, row, column, primes; around the tiles: 32 and 8, and 64 of the register tile. */
static const ProductShape shapes[] = {{0, 3, 2},   {3, 0, 2},  {3, 2, 0},    {1, 1, 1},    {1, 5, 7},
                                      {5, 1, 7},   {7, 5, 1},  {31, 33, 9},  {32, 32, 32}, {33, 31, 34},
                                      {3, 67, 33}, {65, 2, 8}, {64, 64, 16}, {63, 66, 17}, {70, 40, 5}};

/* What every product of this size must do. */
static const ProductShape counted = {128, 96, 64};

static void
check_shapes(const char *launch)
{
    lab_05_open(launch);
    for (int order = 0; order < LAB_05_ORDERS; order++) {
        lab_05_order(order);
        grade_product_shapes(lab_05_gemm, shapes, COUNT(shapes));
    }
}

static void
check_factors(const char *launch)
{
    lab_05_open(launch);
    grade_product_factors(lab_05_gemm, (ProductShape){33, 35, 34});
}

/* Calls the product with C as it comes from gpu_allocate: to read it would be a mistake. */
static void
run_product(const char *launch, ProductShape s)
{
    GpuGemm *gemm = (GpuGemm *)lab_05_open(launch);
    const size_t a = (size_t)s.M * (size_t)s.K, b = (size_t)s.K * (size_t)s.N, c = (size_t)s.M * (size_t)s.N;
    float *ones = ARRAY(float, a + b);
    for (size_t i = 0; i < a + b; i++)
        ones[i] = 1;
    float *A = lab_05_to_device(ones, a), *B = lab_05_to_device(ones, b), *C = lab_05_to_device(NULL, c);
    char what[64];
    snprintf(what, sizeof(what), "M = %d, N = %d, K = %d", s.M, s.N, s.K);
    lab_05_watch();
    gemm(s.M, s.N, s.K, 1, A, s.K, B, s.N, 0, C, s.N);
    lab_05_no_findings(what);
    lab_05_wait(what);
    lab_05_free(A);
    lab_05_free(B);
    lab_05_free(C);
    array_free(ones);
}

static double
flops_of(ProductShape s)
{
    return 2.0 * s.M * s.N * s.K;
}

/* Does the work, and nothing wrong, on shapes that are awkward. */
static void
check_findings(const char *launch)
{
    static const ProductShape awkward[] = {{1, 1, 1}, {37, 41, 43}, {65, 33, 70}, {3, 130, 2}, {130, 3, 35}};
    for (size_t i = 0; i < COUNT(awkward); i++) {
        run_product(launch, awkward[i]);
        lab_05_counted(flops_of(awkward[i]));
    }
}

static const EmulatorCounts *
count_product(const char *launch)
{
    run_product(launch, counted);
    return &lab_05_counted(flops_of(counted))->total;
}

static void
grade_load_sectors(const char *launch, GradeCost cost)
{
    const EmulatorCounts *c = count_product(launch);
    grade_counted(lab_05_for_each(c->load_sectors, (double)c->loads), cost,
                  "sectors of memory for each load of a warp");
}

/* ---- 05.1 ---------------------------------------------------------------------------------------------------------- */

#define COALESCED "launch_gemm_coalesced"

TEST_CALL(coalesced_shapes, check_shapes(COALESCED))
TEST_CALL(coalesced_factors, check_factors(COALESCED))
TEST_CALL(coalesced_findings, check_findings(COALESCED))

/* One sector of A and four of B; the other way round it is 32 and 1. */
TEST_CALL(coalesced_loads, grade_load_sectors(COALESCED, (GradeCost){2.6, 16}))

TEST(coalesced_stores)
{
    const EmulatorCounts *c = count_product(COALESCED);
    grade_counted(lab_05_for_each(c->store_sectors, (double)c->stores), (GradeCost){4.1, 32},
                  "sectors of memory for each store of a warp");
}

/* ---- 05.2 ---------------------------------------------------------------------------------------------------------- */

#define SHARED_TILE "launch_gemm_shared_tile"

TEST_CALL(tile_shapes, check_shapes(SHARED_TILE))
TEST_CALL(tile_factors, check_factors(SHARED_TILE))
TEST_CALL(tile_findings, check_findings(SHARED_TILE))

/* Rung 2 takes 8 bytes for the two flops of a multiply-add, or 4 for each; a tile of 32 needs a 32nd of it. */
TEST(tile_traffic)
{
    const EmulatorCounts *c = count_product(SHARED_TILE);
    grade_counted(lab_05_for_each(c->load_bytes, (double)c->flops), (GradeCost){0.13, 4},
                  "bytes loaded from memory for each flop");
}

TEST_CALL(tile_loads, grade_load_sectors(SHARED_TILE, (GradeCost){4.1, 32}))

/* 1 + conflicts: a share of a logarithm, and no conflict is the best. */
TEST(tile_conflicts)
{
    const EmulatorCounts *c = count_product(SHARED_TILE);
    grade_counted(lab_05_for_each(c->shared_passes, (double)c->shared), (GradeCost){1.01, 8},
                  "passes for each access to shared memory");
}

/* ---- 05.3 ---------------------------------------------------------------------------------------------------------- */

#define REGISTER_TILE "launch_gemm_register_tile_1d"

TEST_CALL(register_shapes, check_shapes(REGISTER_TILE))
TEST_CALL(register_factors, check_factors(REGISTER_TILE))
TEST_CALL(register_findings, check_findings(REGISTER_TILE))

TEST(register_accesses)
{
    const EmulatorCounts *c = count_product(REGISTER_TILE);
    grade_counted(lab_05_for_each(32 * c->shared, (double)c->flops), (GradeCost){0.6, 1},
                  "elements read from shared memory for each flop");
}

TEST_CALL(register_loads, grade_load_sectors(REGISTER_TILE, (GradeCost){4.1, 32}))

/* ---- 05.4 ---------------------------------------------------------------------------------------------------------- */

TEST(row_sums_results)
{
    for (int order = 0; order < LAB_05_ORDERS; order++) {
        lab_05_order(order);
        lab_05_row_sums(3, 300, 301, false);
        lab_05_row_sums(5, 128, 128, false);
        lab_05_row_sums(2, 1, 1, false);
        lab_05_row_sums(0, 3, 3, false);
    }
}

TEST(row_sums_findings)
{
    lab_05_row_sums(3, 300, 301, true);
    lab_05_counted(3 * (300 + 127));
}

TEST(row_sums_barriers)
{
    lab_05_row_sums(4, 300, 301, true);
    const EmulatorKernel *kernel = lab_05_counted(4 * (300 + 127));
    grade_counted(lab_05_for_each(kernel->total.barriers, (double)kernel->blocks), (GradeCost){8, 16},
                  "barriers of a block");
}

/* ---- 05.5 ---------------------------------------------------------------------------------------------------------- */

TEST(axpy_results)
{
    const int sizes[] = {0, 1, 2, 3, 4, 5, 127, 512, 513, 515, 1021};
    for (size_t i = 0; i < COUNT(sizes); i++)
        lab_05_axpy(sizes[i], false);
}

TEST(axpy_findings)
{
    const int sizes[] = {1, 2, 3, 4, 5, 510, 513, 1021};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        lab_05_axpy(sizes[i], true);
        lab_05_counted(2.0 * sizes[i]);
    }
}

/* 128 floats for each load of a warp, of x and of y; a few loads more for the rest. */
TEST(axpy_loads)
{
    const int n = 128 * 32 + 3;
    lab_05_axpy(n, true);
    const EmulatorCounts *c = &lab_05_counted(2.0 * n)->total;
    grade_counted(lab_05_for_each(c->loads, 2 * n / 128.0), (GradeCost){1.2, 4}, "loads of a warp for each 128 floats");
}

GRADE_LAB("05", "the matrix product on a GPU", {"05.1", "every shape", 6, &coalesced_shapes, 20},
          {"05.1", "alpha and beta", 3, &coalesced_factors, 20},
          {"05.1", "no mistake is found", 5, &coalesced_findings, 20},
          {"05.1", "sectors for each load", 4, &coalesced_loads, 20},
          {"05.1", "sectors for each store", 2, &coalesced_stores, 20}, {"05.2", "every shape", 7, &tile_shapes, 20},
          {"05.2", "alpha and beta", 3, &tile_factors, 20}, {"05.2", "no mistake is found", 8, &tile_findings, 20},
          {"05.2", "bytes from memory", 6, &tile_traffic, 20}, {"05.2", "sectors for each load", 3, &tile_loads, 20},
          {"05.2", "conflicts in shared memory", 3, &tile_conflicts, 20},
          {"05.3", "every shape", 7, &register_shapes, 20}, {"05.3", "alpha and beta", 3, &register_factors, 20},
          {"05.3", "no mistake is found", 8, &register_findings, 20},
          {"05.3", "accesses to shared memory", 9, &register_accesses, 20},
          {"05.3", "sectors for each load", 3, &register_loads, 20},
          {"05.4", "the sums, in three orders of threads", 4, &row_sums_results, 5},
          {"05.4", "no mistake is found", 4, &row_sums_findings, 5},
          {"05.4", "no more barriers than needed", 2, &row_sums_barriers, 5},
          {"05.5", "the results", 2, &axpy_results, 5}, {"05.5", "no mistake is found", 6, &axpy_findings, 5},
          {"05.5", "fours are loaded at once", 2, &axpy_loads, 5})
