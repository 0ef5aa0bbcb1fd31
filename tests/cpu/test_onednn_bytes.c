/* oneDNN's products of bytes, u8 times s8 added up in int32: exact on a processor with VNNI; elsewhere sums of two products may
 * saturate at 16 bits, and inputs of 7 bits are what is promised (cpu/gemm_int8/onednn.c). What is promised here is tested, and
 * what is promised without VNNI wherever oneDNN can be told to do without.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_int8/peers.h"
#include "cpu/ladders.h"
#include "cpu/onednn.h"
#include "tests/testing.h"

static void
need_onednn(void)
{
    if (!gemm_int8_onednn_accepts(NULL, &error))
        skip_test("%s", error.text);
}

/* oneDNN reads the limit when it is loaded, which each test does anew: it runs in a process of its own. */
static void
need_onednn_without_vnni(void)
{
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    need_onednn();
    if (strstr(onednn_describe(), "avx512") != NULL)
        skip_test("%s, was loaded before it could be limited to AVX2 (CK_FORK=no?)", onednn_describe());
}

enum { M = 5, N = 3, K = 7 };

/* The matmul primitive, on A of 0 .. largest. */
static void
check_matmul(int largest)
{
    uint8_t A[M * K];
    int8_t B[K * N];
    int32_t C[M * N];
    for (int i = 0; i < M * K; i++)
        A[i] = (uint8_t)((37 * i + 200) % (largest + 1));
    for (int i = 0; i < K * N; i++)
        B[i] = (int8_t)(11 * i - 100);
    A[0] = A[1] = (uint8_t)largest; /* the largest sum of two products */
    B[0] = B[N] = -128;
    const OnednnMatrix a = {ONEDNN_UINT8, M, K, K, 1}, b = {ONEDNN_INT8, K, N, N, 1}, c = {ONEDNN_INT32, M, N, N, 1};
    OnednnMatmul *matmul = onednn_matmul_create(&a, &b, &c, &error);
    ck_assert_ok(matmul);
    ck_assert_uint_gt(strlen(onednn_matmul_name(matmul)), 0);
    onednn_matmul_run(matmul, A, B, C);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[m * K + k] * B[k * N + n];
            ck_assert_msg(C[m * N + n] == sum, "A to %d, %s: (%d, %d) is %d, not %d", largest, onednn_describe(), m, n,
                          C[m * N + n], sum);
        }
    onednn_matmul_free(matmul);
}

/* The ladder's row, on arrays of one number each. */
static int32_t
sum_of_row(uint8_t a, int8_t b)
{
    uint8_t A[K];
    int8_t B[K];
    int32_t C = 0;
    memset(A, a, sizeof A);
    memset(B, b, sizeof B);
    gemm_int8_onednn(false, false, 1, 1, K, A, K, 0, B, 1, 0, &C, 1);
    return C;
}

static void
check_promises(void)
{
    const bool exact = gemm_int8_onednn_exact();
    check_matmul(127);
    ck_assert_int_eq(sum_of_row(127, -128), K * 127 * -128);
    ck_assert_int_eq(sum_of_row(127, 127), K * 127 * 127);
    if (exact)
        check_matmul(255);
    ck_assert_int_eq(sum_of_row(255, 127) == K * 255 * 127, exact);
    ck_assert_int_eq(strstr(gemm_int8_onednn_describe(), "exact for inputs of 7 bits") != NULL, !exact);
}

TEST(what_is_promised_here)
{
    need_onednn();
    check_promises();
}

TEST(what_is_promised_without_vnni)
{
    need_onednn_without_vnni();
    check_promises();
}

/* The ladder's inputs reach no sum that would saturate. */
TEST(the_ladder_is_right_without_vnni)
{
    need_onednn_without_vnni();
    const Rung *row = &gemm_int8_ladder.rungs[gemm_int8_ladder.count - 1];
    ck_assert_str_eq(row->name, "onednn");
    for (int t = 0; t < 4; t++) {
        const int size[] = {97, 101, 1030, t};
        Problem problem;
        ck_assert_ok(problem_create(&problem, &gemm_int8_ladder, size, 7, &error));
        for (uint64_t round = 1; round <= 3; round++) {
            const Verdict verdict = problem_verify(&problem, row);
            ck_assert_msg(verdict_ok(&verdict), "%zu of %zu are wrong", verdict.wrong, problem.outputs);
            problem_refresh(&problem, round);
        }
        problem_free(&problem);
    }
}

TEST(mixed_types_are_refused)
{
    const OnednnMatrix a = {ONEDNN_BF16, M, K, K, 1}, b = {ONEDNN_INT8, K, N, N, 1}, c = {ONEDNN_INT32, M, N, N, 1};
    ck_assert_refused(onednn_matmul_create(&a, &b, &c, &error), ""); /* nor is there one without oneDNN */
}

TEST_MAIN("onednn_bytes")
