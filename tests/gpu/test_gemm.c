/* Every rung of the matrix product on the emulator, in three orders of threads, and on the device where there is one.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "gpu/gemm/gemm.h"
#include "tests/gpu/rungs.h"

/* How far the factors of a product may be rounded first: by 2^-bits of each; 0: not at all. */
static const struct {
    const char *name;
    int bits;
} rungs[] = {
    {"launch_gemm_naive", 0},
    {"launch_gemm_coalesced", 0},
    {"launch_gemm_shared_tile", 0},
    {"launch_gemm_register_tile_1d", 0},
    {"launch_gemm_register_tile_2d", 0},
    {"launch_gemm_vector_loads", 0},
    {"launch_gemm_warp_tile", 0},
    {"launch_gemm_double_buffer", 0},
    {"launch_gemm_tensor_tf32", 11},
    {"launch_gemm_tensor_bf16", 8},
    {"launch_gemm_tensor_three_tf32", 20},
};

/* One product. Behind each row of A and B is NaN, which must not reach a sum; behind C's, what must not be changed. */
typedef struct Case {
    int M, N, K, lda, ldb, ldc;
    size_t
        begin; /* floats before the first of each matrix in device memory: it need not begin at a multiple of 16 bytes */
    float alpha, beta;
    float *A, *B, *C, *got;
    size_t sizes[3];                      /* floats of A, B and C */
    double *want, *tolerance, *magnitude; /* magnitude: alpha times the sum of the products' */
} Case;

static float *
random_rows(int rows, int columns, int step, uint64_t stream, float behind)
{
    float *x = ARRAY(float, (size_t)rows *(size_t)step);
    rng_fill_uniform(3, stream, 0, x, (size_t)rows * (size_t)step, -1.0, 1.0);
    for (int row = 0; row < rows; row++)
        for (int column = columns; column < step; column++)
            x[(size_t)row * (size_t)step + (size_t)column] = behind;
    return x;
}

static void
case_reference(Case *c)
{
    for (size_t m = 0; m < (size_t)c->M; m++) {
        for (size_t n = 0; n < (size_t)c->ldc; n++) {
            const double old = (double)c->C[m * (size_t)c->ldc + n];
            double sum = 0, magnitude = 0;
            for (size_t k = 0; n < (size_t)c->N && k < (size_t)c->K; k++) {
                const double term = (double)c->A[m * (size_t)c->lda + k] * (double)c->B[k * (size_t)c->ldb + n];
                sum += term;
                magnitude += fabs(term);
            }
            const bool inside = n < (size_t)c->N;
            const double kept = !inside ? old : c->beta == 0 ? 0 : (double)c->beta * old;
            c->magnitude[m * (size_t)c->ldc + n] = fabs((double)c->alpha) * magnitude;
            c->want[m * (size_t)c->ldc + n] = (double)c->alpha * sum + kept;
            c->tolerance[m * (size_t)c->ldc + n] =
                inside ? (c->K + 3) * (double)FLT_EPSILON / 2 * (fabs((double)c->alpha) * magnitude + fabs(kept)) : 0;
        }
    }
}

static Case
case_create(int M, int N, int K, int more, float alpha, float beta)
{
    Case c = {.M = M,
              .N = N,
              .K = K,
              .lda = K + more,
              .ldb = N + more,
              .ldc = N + more,
              .alpha = alpha,
              .beta = beta,
              .begin = (size_t)more % 4};
    c.sizes[0] = (size_t)M * (size_t)c.lda;
    c.sizes[1] = (size_t)K * (size_t)c.ldb;
    c.sizes[2] = (size_t)M * (size_t)c.ldc;
    c.A = random_rows(M, K, c.lda, 0, NAN);
    c.B = random_rows(K, N, c.ldb, 1, NAN);
    c.C = random_rows(M, N, c.ldc, 2, 77);
    c.got = ARRAY(float, c.sizes[2]);
    c.want = ARRAY(double, c.sizes[2]);
    c.tolerance = ARRAY(double, c.sizes[2]);
    c.magnitude = ARRAY(double, c.sizes[2]);
    case_reference(&c);
    if (beta == 0) /* may hold anything, also NaN */
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++)
                c.C[(size_t)m * (size_t)c.ldc + (size_t)n] = NAN;
    return c;
}

static void
case_free(Case *c)
{
    array_free(c->A);
    array_free(c->B);
    array_free(c->C);
    array_free(c->got);
    array_free(c->want);
    array_free(c->tolerance);
    array_free(c->magnitude);
}

static float *
to_device(const GpuLibrary *gpu, const Case *c, const float *x, size_t n)
{
    float *memory = gpu->allocate((c->begin + n) * sizeof(float));
    ck_assert(memory != NULL || c->begin + n == 0);
    ck_assert_ptr_null(gpu->copy_in(memory + c->begin, x, n * sizeof(float)));
    return memory;
}

/* Errors of the sum, and of the roundings of the factors before. */
static Verdict
compare(const Case *c, int bits)
{
    double *tolerance = ARRAY(double, c->sizes[2]);
    for (size_t i = 0; i < c->sizes[2]; i++)
        tolerance[i] = c->tolerance[i] + (bits > 0 ? ldexp(c->magnitude[i], 1 - bits) * 1.01 : 0);
    const Verdict verdict = verify_within(c->got, c->want, tolerance, c->sizes[2]);
    array_free(tolerance);
    return verdict;
}

static void
case_run(const GpuLibrary *gpu, const Case *c, const char *rung)
{
    GpuGemm *launch = (GpuGemm *)function_of(gpu, rung);
    float *A = to_device(gpu, c, c->A, c->sizes[0]), *B = to_device(gpu, c, c->B, c->sizes[1]),
          *C = to_device(gpu, c, c->C, c->sizes[2]);
    const size_t at = c->begin;
    launch(c->M, c->N, c->K, c->alpha, A + at, c->lda, B + at, c->ldb, c->beta, C + at, c->ldc);
    const char *failure = gpu->synchronize();
    ck_assert_msg(failure == NULL, "%s: %s", rung, failure);
    ck_assert_ptr_null(gpu->copy_out(c->got, C + at, c->sizes[2] * sizeof(float)));
    gpu->free(A);
    gpu->free(B);
    gpu->free(C);
}

static void
case_check(const GpuLibrary *gpu, const Case *c, int rung)
{
    case_run(gpu, c, rungs[rung].name);
    const Verdict verdict = compare(c, rungs[rung].bits);
    ck_assert_verdict(verdict, "%s %dx%dx%d, %d more", rungs[rung].name, c->M, c->N, c->K, c->lda - c->K);
}

/* 0, 1, primes, a tile and one less or more: of 32, 64 and 128 elements of C; of 8, 16 and 32 along K. */
enum { WATCHED = 5 }; /* the first of them: where every access is watched, time is short */
static const int shapes[][3] = {{0, 5, 3},      {5, 3, 0},      {1, 5, 2},      {33, 31, 17}, {129, 127, 33},
                                {5, 0, 3},      {1, 1, 1},      {1, 7, 2},      {31, 31, 31}, {32, 32, 32},
                                {33, 33, 33},   {7, 65, 13},    {67, 3, 100},   {64, 96, 33}, {37, 41, 43},
                                {128, 128, 16}, {127, 129, 15}, {129, 127, 17}, {1, 257, 8},  {130, 1, 9},
                                {128, 64, 64},  {16, 128, 40}};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    /* Rows close together; rows and matrices that begin nowhere in particular; rows apart that begin at multiples of 16 bytes. */
    for (int more = 0; more <= 4; more += more == 0 ? 3 : 1) {
        Case c =
            case_create(shapes[shape][0], shapes[shape][1], shapes[shape][2], more, 1.5f, more == 3 ? -0.5f : 0.0f);
        for (int rung = 0; rung < COUNT(rungs); rung++)
            case_check(gpu, &c, rung);
        case_free(&c);
    }
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), WATCHED, test_thorough())

/* Several tiles in each direction. */
TEST(a_large_product)
{
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    Case c = case_create(256, 256, test_thorough() ? 256 : 72, 0, 1, 0);
    for (int rung = 2; rung < COUNT(rungs); rung++)
        case_check(gpu, &c, rung);
    case_free(&c);
}

/* In tolerances of a sum of floats. */
static double
error_of(const GpuLibrary *gpu, const Case *c, const char *rung)
{
    case_run(gpu, c, rung);
    return compare(c, 0).max_error;
}

/* Three products of TF32 come near floats; one does not, and bf16 is further off. */
TEST(errors_on_tensor_cores)
{
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    Case c = case_create(64, 64, 512, 0, 1, 0);
    const double floats = error_of(gpu, &c, "launch_gemm_double_buffer");
    const double three = error_of(gpu, &c, "launch_gemm_tensor_three_tf32");
    const double one = error_of(gpu, &c, "launch_gemm_tensor_tf32"),
                 bf16 = error_of(gpu, &c, "launch_gemm_tensor_bf16");
    ck_assert_double_le(three, 4 * floats);
    ck_assert_double_ge(one, 50 * floats);
    ck_assert_double_ge(bf16, 4 * one);
    case_free(&c);
}

TEST_MAIN("gpu gemm")
