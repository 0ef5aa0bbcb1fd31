/* Lab 04: the matrix product, exercises/04-gemm-cpu. What is right is found in double by the definition. How fast it is counts,
 * too: how many times as fast as rung 1, the naive one, or rung 6, in the same run; both are the project's own.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/clock.h"
#include "core/host.h"
#include "core/vector.h"
#include "cpu/ladders.h"
#include "grade.h"
#include "grade_product.h"
#include "lab_04_watch.h"
#include "ladder/machine_kernels.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Nothing, one element, row, column, primes; around the tiles of rung 4 (4 x 32, 256 of k) and rung 3 (512 columns, 128 of k). */
static const ProductShape shapes[] = {{0, 3, 2},      {3, 0, 2},    {3, 2, 0},     {1, 1, 1},     {1, 5, 7},
                                      {5, 1, 7},      {7, 5, 1},    {3, 31, 9},    {4, 32, 8},    {5, 33, 10},
                                      {13, 67, 257},  {8, 64, 256}, {2, 512, 128}, {3, 511, 127}, {9, 513, 129},
                                      {6, 1030, 300}, {130, 40, 11}};

/* What gives which share of the points for speed. On a Zen 5 core the reference reached, built by gcc and clang for SSE 4.2, AVX2
 * and AVX-512: 04.1 9 to 22, 04.2 9 to 50, and 04.3 12 to 14, 20 to 30, 43 to 94. All points are for about half of the least of
 * these, since other processors and compilers differ; 04.3 asks more of wider vectors, which it is there to use. */
static const GradeScale fast_rows = {1.5, 5};
static const GradeScale fast_tile = {2, VECTOR_LANES >= 16 ? 20 : VECTOR_LANES >= 8 ? 10 : 7};

static void
check_speed(const char *rung, int M, int N, int K, GradeScale scale)
{
    grade_ladder(&gemm_ladder, rung, (int[]){M, N, K, 0}, 1, scale);
}

/* ---- 04.1 ---------------------------------------------------------------------------------------------------------- */

TEST_CALL(reordered_shapes, grade_product_shapes(gemm_reordered, shapes, COUNT(shapes)))
TEST_CALL(reordered_transposes, grade_product_transposes(gemm_reordered, (ProductShape){5, 7, 9}))
TEST_CALL(reordered_factors, grade_product_factors(gemm_reordered, (ProductShape){4, 6, 5}))
TEST_CALL(reordered_speed, check_speed("reordered", 256, 256, 256, fast_rows))

/* ---- 04.2 ---------------------------------------------------------------------------------------------------------- */

TEST_CALL(blocked_shapes, grade_product_shapes(gemm_blocked, shapes, COUNT(shapes)))
TEST_CALL(blocked_transposes, grade_product_transposes(gemm_blocked, (ProductShape){5, 515, 131}))
TEST_CALL(blocked_factors, grade_product_factors(gemm_blocked, (ProductShape){4, 515, 131}))

/* B is watched far down and far to the right: when a tile is read there for the first time, all rows of C must have got the sums
 * of an earlier tile. All elements are 1, so that an element of C that was begun is above 0. */
TEST(blocked_order)
{
    const size_t page = lab_04_page_floats(), M = 3, N = 2 * page, K = 512;
    float *A = lab_04_pages(M * K), *B = lab_04_pages(K * N), *C = lab_04_pages(M * N);
    const float *last = &C[(M - 1) * N];
    Lab04Watch down = {.address = &B[(K - 1) * N], .peek = last}, right = {.address = &B[N - 1], .peek = last};
    Lab04Watch watches[] = {down, right};
    grade_poison_floats(C, M * N);
    lab_04_watch(watches, COUNT(watches));
    gemm_blocked(false, false, (int)M, (int)N, (int)K, 1, A, (int)K, B, (int)N, 0, C, (int)N);
    lab_04_unwatch();
    grade_that(C[0] == (float)K && C[M * N - 1] == (float)K, "a product of ones: got %g and %g, want %zu", (double)C[0],
               (double)C[M * N - 1], K);
    grade_that(watches[0].peeked > 0,
               "row %zu of B was read before the sums of row %zu of C were begun: let all rows use "
               "the first K_BLOCK rows of B before the next ones are read",
               K - 1, M - 1);
    grade_that(watches[1].peeked > 0,
               "column %zu of B was read before the sums of row %zu of C were begun: let all rows "
               "use the first N_BLOCK columns of B before the next ones are read",
               N - 1, M - 1);
}

TEST_CALL(blocked_speed, check_speed("blocked", 64, 512, 512, fast_rows))

/* ---- 04.3 ---------------------------------------------------------------------------------------------------------- */

TEST(register_whole)
{
    const ProductShape whole[] = {{4, 32, 1}, {4, 32, 7}, {8, 64, 13}, {12, 96, 256}, {4, 64, 600}};
    grade_product_shapes(gemm_register_tile, whole, COUNT(whole));
    Rng rng = grade_rng();
    grade_product(gemm_register_tile, &rng, (ProductShape){8, 64, 300}, (ProductWay){.transpose_a = true, .alpha = 1});
    grade_product(gemm_register_tile, &rng, (ProductShape){8, 64, 300}, (ProductWay){.alpha = 2, .beta = -1});
}

TEST(register_edges)
{
    const ProductShape edges[] = {{1, 1, 1}, {3, 31, 9}, {2, 7, 300}, {3, 2, 0}, {1, 32, 5}, {4, 1, 5}};
    grade_product_shapes(gemm_register_tile, edges, COUNT(edges));
    grade_product_transposes(gemm_register_tile, (ProductShape){3, 5, 7});
    grade_product_factors(gemm_register_tile, (ProductShape){3, 5, 7});
}

TEST(register_shapes)
{
    grade_product_shapes(gemm_register_tile, shapes, COUNT(shapes));
    grade_product_transposes(gemm_register_tile, (ProductShape){9, 70, 300});
}

TEST_CALL(register_speed, check_speed("register_tile", 256, 256, 256, fast_tile))

/* ---- 04.4 ---------------------------------------------------------------------------------------------------------- */

/* Large enough for threads; with more threads than rows, or columns, too. */
static const ProductShape large[] = {{160, 128, 100}, {100, 160, 128}, {128, 128, 128}, {257, 129, 67},
                                     {1, 2003, 1009}, {2003, 1, 1009}, {3, 2, 400000},  {2, 3, 400000}};

TEST(openmp_shapes)
{
    for (int threads = 2; threads <= 7; threads += 5) {
        host_set_threads(threads);
        grade_product_shapes(gemm_openmp, large, COUNT(large));
    }
    grade_product_shapes(gemm_openmp, shapes, COUNT(shapes));
}

TEST(openmp_ways)
{
    host_set_threads(3);
    for (int i = 0; i < 2; i++) {
        grade_product_transposes(gemm_openmp, large[i]);
        grade_product_factors(gemm_openmp, large[i]);
    }
}

/* Numbers whose sums are rounded, so that another order would give other bits. */
static void
check_bits(ProductShape s)
{
    const size_t a = (size_t)s.M * (size_t)s.K, b = (size_t)s.K * (size_t)s.N, c = (size_t)s.M * (size_t)s.N;
    float *A = ARRAY(float, a), *B = ARRAY(float, b), *C = ARRAY(float, c);
    double *alone = ARRAY(double, c);
    Rng rng = grade_rng();
    rng_fill_uniform(rng.seed, rng.stream, 0, A, a, -1, 1);
    rng_fill_uniform(rng.seed, rng.stream, a, B, b, -1, 1);
    for (int repeat = 0, threads = 1; repeat < 30; repeat++, threads = (int[]){2, 3, 7}[repeat % 3]) {
        host_set_threads(threads);
        grade_poison_floats(C, c);
        gemm_openmp(false, false, s.M, s.N, s.K, 1, A, s.K, B, s.N, 0, C, s.N);
        for (size_t i = 0; i < c && repeat == 0; i++)
            alone[i] = (double)C[i];
        grade_floats(C, alone, (size_t)s.M, (size_t)s.N, 0, "M = %d, N = %d, K = %d by %d threads, compared with one",
                     s.M, s.N, s.K, threads);
    }
    array_free(A);
    array_free(B);
    array_free(C);
    array_free(alone);
}

TEST(openmp_bits)
{
    check_bits((ProductShape){131, 127, 257});
    check_bits((ProductShape){101, 211, 257});
}

/* The first and the last element of C, a page or more apart, must come from different threads. */
static void
check_sharing(size_t M, size_t N, size_t K, size_t far, const char *where)
{
    float *A = lab_04_pages(M * K), *B = lab_04_pages(K * N), *C = lab_04_pages(M * N);
    Lab04Watch watches[] = {{.address = C}, {.address = &C[far]}};
    lab_04_watch(watches, COUNT(watches));
    gemm_openmp(false, false, (int)M, (int)N, (int)K, 1, A, (int)K, B, (int)N, 0, C, (int)N);
    lab_04_unwatch();
    grade_that(C[0] == (float)K && C[far] == (float)K, "a product of ones: got %g and %g, want %zu", (double)C[0],
               (double)C[far], K);
    grade_that(watches[0].thread != watches[1].thread,
               "M = %zu, N = %zu, 2 threads: the first and the last %s of C were "
               "computed by the same thread",
               M, N, where);
}

TEST(openmp_sharing)
{
    const size_t page = lab_04_page_floats();
    host_set_threads(2);
    if (host_threads() < 2) {
        grade_that(true, "a build without OpenMP has nothing to share");
        return;
    }
    check_sharing(page, 64, 64, (page - 1) * 64, "row");
    check_sharing(64, 4 * page, 16, 4 * page - 1, "column");
}

static void *
compute_alone(void *sink)
{
    *(volatile float *)sink = kernel_fma(1000000);
    return NULL;
}

/* Seconds until `threads` threads have each done the same work, the best of a few times. */
static double
work_seconds(int threads)
{
    float sinks[2][16];
    double best = INFINITY;
    for (int repeat = 0; repeat < 7; repeat++) {
        pthread_t thread;
        double start = clock_now();
        bool other = threads > 1 && pthread_create(&thread, NULL, compute_alone, sinks[1]) == 0;
        compute_alone(sinks[0]);
        if (other)
            pthread_join(thread, NULL);
        best = fmin(best, clock_now() - start);
    }
    return best;
}

/* Against rung 6, which has one thread. What two can gain is the machine's: 2 on two cores, and near 1 where they share one core
 * or a container may use no more than one. Half of that gain has all points; where it is little, nothing is graded. */
TEST(openmp_speed)
{
    const Rung rungs[] = {{.name = "vector", .function = (LadderFunction *)gemm_vector},
                          {.name = "openmp", .function = (LadderFunction *)gemm_openmp}};
    const Ladder ladder = {.operation = gemm_ladder.operation, .rungs = rungs, .count = COUNT(rungs)};
    Rng rng = grade_rng();
    grade_product(gemm_openmp, &rng, large[0], (ProductWay){.alpha = 1});
    const double gain = host_get()->cores < 2 || host_get()->openmp == 0 ? 1 : 2 * work_seconds(1) / work_seconds(2);
    if (gain < 1.5) {
        const Interval unknown = {NAN, NAN, NAN};
        grade_speed(unknown, (GradeScale){1, 1.5},
                    "two threads of this machine do %.2f times the work of one, less than 1.5", gain);
        return;
    }
    grade_ladder(&ladder, "openmp", (int[]){512, 512, 512, 0}, 2, (GradeScale){1, 1 + (fmin(gain, 2) - 1) / 2});
}

GRADE_LAB("04", "the matrix product", {"04.1", "every shape", 5, &reordered_shapes, 5},
          {"04.1", "A and B transposed", 4, &reordered_transposes, 5},
          {"04.1", "alpha and beta", 4, &reordered_factors, 5}, {"04.1", "speed", 7, &reordered_speed, 40},
          {"04.2", "every shape", 5, &blocked_shapes, 5}, {"04.2", "A and B transposed", 4, &blocked_transposes, 5},
          {"04.2", "alpha and beta", 4, &blocked_factors, 5}, {"04.2", "a tile serves all rows", 5, &blocked_order, 5},
          {"04.2", "speed", 7, &blocked_speed, 40}, {"04.3", "whole tiles", 8, &register_whole, 5},
          {"04.3", "edges alone", 6, &register_edges, 5}, {"04.3", "tiles and edges", 6, &register_shapes, 5},
          {"04.3", "speed", 10, &register_speed, 40}, {"04.4", "every shape", 5, &openmp_shapes, 20},
          {"04.4", "transposed, alpha, beta", 4, &openmp_ways, 10},
          {"04.4", "the same bits for 1, 2, 3, 7 threads", 5, &openmp_bits, 20},
          {"04.4", "both threads have work", 5, &openmp_sharing, 5}, {"04.4", "speed", 6, &openmp_speed, 60})
