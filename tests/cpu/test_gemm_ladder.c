/* gemm's ladder: its reference, its changing inputs, its models, and every rung and peer through it.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/gemm/ladder_internal.h"
#include "cpu/gemm/peers.h"
#include "cpu/openblas.h"
#include "tests/cpu/ladder_case.h"

/* op(A)(m, k) and op(B)(k, n) as the contract of gemm.h says. */
static double
sum_in_double(bool transpose_a, bool transpose_b, int K, const float *A, int lda, const float *B, int ldb, int m, int n)
{
    double sum = 0.0;
    for (int k = 0; k < K; k++) {
        const float a = transpose_a ? A[(size_t)k * (size_t)lda + (size_t)m] : A[(size_t)m * (size_t)lda + (size_t)k];
        const float b = transpose_b ? B[(size_t)n * (size_t)ldb + (size_t)k] : B[(size_t)k * (size_t)ldb + (size_t)n];
        sum += (double)a * (double)b;
    }
    return sum;
}

static void
check_reference(int M, int N, int K, bool ta, bool tb)
{
    const int lda = ta ? M : K, ldb = tb ? K : N;
    float *A = ARRAY(float, M *K), *B = ARRAY(float, K *N);
    double *C = ARRAY(double, M *N);
    rng_fill_normal(3, 0, 0, A, (size_t)(M * K), 0.0, 1.0);
    rng_fill_normal(3, 1, 0, B, (size_t)(K * N), 0.0, 1.0);
    for (int i = 0; i < M * N; i++)
        C[i] = NAN;
    gemm_reference(&(GemmOperands){.M = M,
                                   .N = N,
                                   .K = K,
                                   .A = A,
                                   .B = B,
                                   .a_row = ta ? 1 : (size_t)lda,
                                   .a_k = ta ? (size_t)lda : 1,
                                   .b_k = tb ? 1 : (size_t)ldb,
                                   .b_column = tb ? (size_t)ldb : 1},
                   C);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            const double want = sum_in_double(ta, tb, K, A, lda, B, ldb, m, n), got = C[m * N + n];
            ck_assert_msg(fabs(got - want) <= 1e-13 * (K + 1), "%dx%dx%d, %d%d: (%d, %d) is %.17g, not %.17g", M, N, K,
                          ta, tb, m, n, got, want);
        }
    array_free(A);
    array_free(B);
    array_free(C);
}

TEST(the_reference_is_the_definition)
{
    static const int edges[] = {0, 1, 3, 4, 5, 11, 12, 13, 23, 24, 25, 37};
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 12; k++)
                check_reference(edges[i], edges[j], edges[k], (i + k) % 2, (j + k) % 2);
    for (int t = 0; t < 4; t++) {
        check_reference(9, 26, 255, t / 2, t % 2);
        check_reference(3, 7, 256, t / 2, t % 2);
        check_reference(6, 49, 257, t / 2, t % 2);
        check_reference(2, 5, 1025, t / 2, t % 2);
    }
}

/* ---- inputs ---- */

static const Problem *looked_at;

/* A "rung" that looks at its operands: what the problem wants must be their product. */
static void
spy(bool ta, bool tb, int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
    float *C, int ldc)
{
    ck_assert(alpha == 1.0f && beta == 0.0f && ldc >= N && C != NULL);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            const double sum = sum_in_double(ta, tb, K, A, lda, B, ldb, m, n);
            const double want = looked_at->want[(size_t)m * (size_t)N + (size_t)n];
            ck_assert_msg(fabs(sum - want) <= 1e-12 * (K + 1), "(%d, %d) is %.17g, not %.17g", m, n, want, sum);
        }
    for (int i = 0; i < M * K; i++)
        ck_assert(fabsf(A[i]) >= 0.5f && fabsf(A[i]) <= 1.0f);
    for (int i = 0; i < K * N; i++)
        ck_assert(fabsf(B[i]) >= 0.5f && fabsf(B[i]) <= 1.0f);
}

static const int sizes[][4] = {{13, 29, 7, 0}, {13, 29, 7, 1}, {13, 29, 7, 2}, {13, 29, 7, 3},
                               {1, 1, 1, 0},   {4, 3, 1, 3},   {3, 5, 2, 1},   {64, 64, 64, 0}};

TEST(the_reference_follows_the_inputs_through_many_rounds)
{
    const Rung rung = {.function = (LadderFunction *)spy};
    for (int s = 0; s < COUNT(sizes); s++) {
        Problem problem;
        ck_assert_ok(problem_create(&problem, &gemm_ladder, sizes[s], 11, &error));
        looked_at = &problem;
        problem_run(&problem, &rung);
        double *before = ARRAY(double, problem.outputs);
        for (uint64_t round = 1; round <= 60; round++) {
            memcpy(before, problem.want, problem.outputs * sizeof *before);
            problem_refresh(&problem, round);
            problem_run(&problem, &rung);
            for (size_t i = 0; i < problem.outputs; i++) {
                ck_assert(fabs(problem.want[i] - before[i]) >= 0.25 - 1e-6);
                ck_assert(problem.tolerance[i] > 0.0 && problem.tolerance[i] < 1e-4);
            }
        }
        array_free(before);
        problem_free(&problem);
    }
}

TEST(a_size_that_no_memory_holds_gets_a_sentence)
{
    ladder_refuses(&gemm_ladder, (const int[LADDER_DIMENSIONS]){2000000000, 2000000000, 2000000000, 0}, "");
}

/* ---- rungs and peers ---- */

TEST(every_rung_and_peer_is_right_in_every_variant)
{
    static const int shapes[][3] = {{0, 0, 0},    {0, 3, 2},    {3, 0, 2},     {3, 2, 0},
                                    {1, 1, 1},    {1, 70, 33},  {70, 1, 5},    {16, 16, 16},
                                    {17, 33, 31}, {65, 63, 64}, {12, 10, 700}, {97, 101, 103}};
    for (int s = 0; s < 12; s++)
        for (int t = 0; t < 4; t++)
            ladder_check(&gemm_ladder, (const int[]){shapes[s][0], shapes[s][1], shapes[s][2], t}, false);
}

TEST(with_several_threads_too)
{
    const int before = host_threads();
    for (int r = 0; r < gemm_ladder.count; r++)
        if (gemm_ladder.rungs[r].use_threads != NULL)
            gemm_ladder.rungs[r].use_threads(2);
    host_set_threads(2);
    for (int t = 0; t < 4; t++)
        ladder_check(&gemm_ladder, (const int[]){203, 307, 211, t}, false);
    host_set_threads(before);
}

TEST(peers_say_what_they_are)
{
    for (int r = 0; r < gemm_ladder.count; r++) {
        const Rung *rung = &gemm_ladder.rungs[r];
        ck_assert_int_eq(rung->peer, rung->describe != NULL);
        if (!rung->peer)
            continue;
        Error reason = {""};
        const bool here = rung->accepts((const int[]){8, 8, 8, 0}, &reason);
        ck_assert_uint_gt(strlen(rung->describe()), 0);
        ck_assert_int_eq(here, reason.text[0] == '\0');
        if (!here)
            ck_assert_str_eq(rung->describe(), reason.text); /* why not */
    }
}

/* ---- models ---- */

TEST(models_speak_of_time_and_bytes)
{
    const Machine machine = invented_machine();
    static const int shapes[][3] = {{1, 1, 1}, {100, 100, 100}, {1, 4096, 4096}, {3000, 10, 27}, {4096, 4096, 4096}};
    for (int s = 0; s < 5; s++)
        for (int t = 0; t < 4; t++)
            for (int r = 0; r < gemm_ladder.count; r++) {
                const int size[] = {shapes[s][0], shapes[s][1], shapes[s][2], t};
                const Rung *rung = &gemm_ladder.rungs[r];
                if (rung->peer) {
                    ck_assert(rung->predict == NULL && rung->traffic == NULL);
                    continue;
                }
                const double seconds = rung->predict(size, 1, &machine);
                const Traffic traffic = rung->traffic(size, 1, &machine);
                ck_assert(seconds > 0.0 && isfinite(seconds) && traffic.bytes > 0.0);
                ck_assert(traffic.level >= MACHINE_L1 && traffic.level < MACHINE_LEVELS);
                ck_assert(seconds >= traffic.bytes / machine.one.read[traffic.level] * (1 - 1e-12));
                ck_assert(seconds >= gemm_ladder.operation.flops(size) / machine.one.fma * (1 - 1e-12));
            }
}

TEST(naive_waits_for_its_chain_or_for_columns)
{
    const Machine machine = invented_machine();
    const int small[] = {60, 60, 60, 0}, large[] = {4096, 4096, 4096, 0}, rows[] = {60, 60, 60, 1};
    ck_assert_double_eq_tol(gemm_predict_naive(small, 1, &machine), 216000e-9, 1e-12);
    ck_assert_double_eq_tol(gemm_predict_naive(rows, 1, &machine), 216000e-9, 1e-12);
    ck_assert_double_eq_tol(gemm_predict_naive(small, 2, &machine), 216000e-9,
                            1e-12); /* one thread, whatever there are */
    /* A cache line from memory for each: the columns of so large a power of two fit nowhere. */
    ck_assert_double_eq_tol(gemm_predict_naive(large, 1, &machine), 64.0 * 4096 * 4096 * 4096 / 2e10, 1e-6);
    const Traffic traffic = gemm_traffic_naive(large, 1, &machine);
    ck_assert_int_eq(traffic.level, MACHINE_MEMORY);
    ck_assert_double_eq_tol(traffic.bytes, 64.0 * 4096 * 4096 * 4096, 1.0);
}

TEST(threads_count_where_the_rung_has_them)
{
    const Machine machine = invented_machine();
    const int size[] = {2048, 2048, 2048, 0};
    ck_assert(gemm_predict_vector(size, 2, &machine) == gemm_predict_vector(size, 1, &machine));
    ck_assert(gemm_predict_openmp(size, 2, &machine) < 0.6 * gemm_predict_openmp(size, 1, &machine));
    ck_assert(gemm_predict_openmp(size, 1, &machine) == gemm_predict_vector(size, 1, &machine));
    ck_assert(gemm_predict_expert((const int[]){32, 32, 32, 0}, 1, &machine) <
              gemm_predict_vector((const int[]){32, 32, 32, 0}, 1, &machine)); /* packs nothing */
}

TEST_MAIN("gemm_ladder")
