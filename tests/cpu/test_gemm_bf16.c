/* Every rung of the matrix product of bf16 numbers against a reference that sums in double: all transposes, shapes around tiles
 * and pairs, rows further apart than they are long, all kinds of alpha and beta, NaN where it must vanish and where it must come
 * through.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/gemm_bf16/gemm_bf16.h"
#include "cpu/gemm_bf16/pairs.h"
#include "tests/testing.h"

static const struct {
    const char *name;
    GemmBf16 *run;
} rungs[] = {{"naive", gemm_bf16_naive},
             {"widened", gemm_bf16_widened},
             {"pairs", gemm_bf16_pairs},
             {"expert", gemm_bf16_expert}};
enum { RUNGS = COUNT(rungs), GAP = 3, BF16_NAN = 0x7fc1 };

typedef struct Case {
    bool transpose_a, transpose_b;
    int M, N, K;
    float alpha, beta;
} Case;

/* Rows of A and B have GAP elements of NaN between them, and nothing behind the last: AddressSanitizer sees who reads there. */
typedef struct Operands {
    Bf16 *A, *B;
    float *C;
    size_t lda, ldb, ldc, c_size;
} Operands;

static Bf16 *
padded(size_t rows, size_t columns, uint64_t stream)
{
    const size_t stride = columns + GAP, size = rows > 0 ? rows * stride - GAP : 0;
    Bf16 *x = ARRAY(Bf16, size);
    for (size_t i = 0; i < size; i++)
        x[i] = i % stride < columns ? bf16_from_float((float)rng_uniform_at(7, stream, i) * 2 - 1) : BF16_NAN;
    return x;
}

static Operands
operands_create(const Case *c)
{
    const size_t M = (size_t)c->M, N = (size_t)c->N, K = (size_t)c->K;
    Operands o = {.lda = (c->transpose_a ? M : K) + GAP, .ldb = (c->transpose_b ? K : N) + GAP, .ldc = N + GAP};
    o.A = c->transpose_a ? padded(K, M, 1) : padded(M, K, 1);
    o.B = c->transpose_b ? padded(N, K, 2) : padded(K, N, 2);
    o.c_size = M * o.ldc;
    o.C = ARRAY(float, o.c_size);
    rng_fill_uniform(7, 3, 0, o.C, o.c_size, -1, 1);
    for (size_t i = 0; i < o.c_size; i++)
        if (i % o.ldc >= N)
            o.C[i] = NAN;
    return o;
}

static void
operands_free(Operands *o)
{
    array_free(o->A);
    array_free(o->B);
    array_free(o->C);
}

static void
run(int rung, const Case *c, const Operands *o, float *C)
{
    rungs[rung].run(c->transpose_a, c->transpose_b, c->M, c->N, c->K, c->alpha, o->A, (int)o->lda, o->B, (int)o->ldb,
                    c->beta, C, (int)o->ldc);
}

/* One element in double, and how far from it a sum of floats in any order may be: as cpu/gemv/ladder.c says. */
static double
reference(const Case *c, const Operands *o, size_t m, size_t n, double *tolerance)
{
    double sum = 0, magnitude = 0;
    for (size_t k = 0; k < (size_t)c->K; k++) {
        const double a = (double)bf16_to_float(o->A[c->transpose_a ? k * o->lda + m : m * o->lda + k]);
        const double b = (double)bf16_to_float(o->B[c->transpose_b ? n * o->ldb + k : k * o->ldb + n]);
        sum += a * b;
        magnitude += fabs(a * b);
    }
    const double old = c->beta == 0 ? 0 : (double)c->beta * (double)o->C[m * o->ldc + n];
    *tolerance = (c->K + 3) * (double)FLT_EPSILON / 2 * (fabs((double)c->alpha) * magnitude + fabs(old));
    return (double)c->alpha * sum + old;
}

/* Compares with the reference, and the gaps of C, bit by bit, with what they were. */
static void
check_result(int rung, const Case *c, const Operands *o, const float *got)
{
    for (size_t m = 0; m < (size_t)c->M; m++) {
        for (size_t n = 0; n < (size_t)c->N; n++) {
            double tolerance;
            const double want = reference(c, o, m, n, &tolerance), is = (double)got[m * o->ldc + n];
            ck_assert_msg(fabs(is - want) <= tolerance,
                          "%s %d%d M %d N %d K %d alpha %g beta %g: [%zu][%zu] is %.9g, not %.9g", rungs[rung].name,
                          c->transpose_a, c->transpose_b, c->M, c->N, c->K, (double)c->alpha, (double)c->beta, m, n, is,
                          want);
        }
        ck_assert_msg(memcmp(got + m * o->ldc + c->N, o->C + m * o->ldc + c->N, GAP * sizeof(float)) == 0,
                      "%s wrote between the rows of C", rungs[rung].name);
    }
}

static void
check_rungs(const Case *c)
{
    Operands o = operands_create(c);
    for (int rung = 0; rung < RUNGS; rung++) {
        Guarded got = guarded_create(o.c_size);
        memcpy(got.x, o.C, o.c_size * sizeof(float));
        for (size_t i = 0; c->beta == 0 && i < o.c_size; i++)
            got.x[i] = i % o.ldc < (size_t)c->N ? NAN : got.x[i]; /* which must not come through */
        run(rung, c, &o, got.x);
        check_result(rung, c, &o, got.x);
        ck_assert_msg(guarded_intact(&got), "%s wrote outside C", rungs[rung].name);
        guarded_free(&got);
    }
    operands_free(&o);
}

static void
check_shape(int M, int N, int K, float alpha, float beta)
{
    for (int transposes = 0; transposes < 4; transposes++)
        check_rungs(&(Case){(transposes & 1) != 0, (transposes & 2) != 0, M, N, K, alpha, beta});
}

/* 0, 1, primes, and tiles with their neighbours: 14 or 6 rows, 2 vectors of columns; pairs of k, and whole vectors of pairs. */
static const int rows[] = {0, 1, 5, 6, 7, 13, 14, 15, 17, 29};
static const int columns[] = {
    0, 1, 3, VECTOR_LANES, VECTOR_LANES + 1, 2 * VECTOR_LANES - 1, 2 * VECTOR_LANES, 2 * VECTOR_LANES + 1, 67};
static const int depths[] = {0, 1, 2, 3, 2 * VECTOR_LANES - 1, 2 * VECTOR_LANES, 2 * VECTOR_LANES + 1, 37};
TEST(every_shape)
{
    for (int m = 0; m < COUNT(rows); m++)
        for (int n = 0; n < COUNT(columns); n++)
            for (int k = (m + n) % 2; k < COUNT(depths); k += 2)
                check_shape(rows[m], columns[n], depths[k], 1, 0);
}

TEST(every_scale)
{
    static const float scales[] = {0, 1, -1, 0.5f, 3};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            check_shape(15, 35, 7, scales[a], scales[b]);
}

TEST(sums_over_many_blocks)
{
    static const int lengths[] = {511, 512, 513, 1025, 2047, 2048, 2049, 4099};
    for (int i = 0; i < COUNT(lengths); i++) {
        check_shape(7, 5, lengths[i], 1, 0);
        check_shape(3, 33, lengths[i], -0.5f, 2);
    }
}

TEST(more_than_a_block_of_rows_and_columns)
{
    check_shape(421, 37, 19, 1, 0);
    check_shape(5, 4129, 3, 1, 1);
}

/* NaN in an element of A reaches its row of C, NaN in one of B its column, and nothing else, also in the last half of a pair. */
TEST(nan_comes_through)
{
    const Case c = {false, false, 16, 35, 9, 1, 0};
    for (int rung = 0; rung < RUNGS; rung++) {
        Operands o = operands_create(&c);
        o.A[4 * o.lda + 8] = BF16_NAN;
        o.B[3 * o.ldb + 33] = BF16_NAN;
        run(rung, &c, &o, o.C);
        for (size_t m = 0; m < 16; m++)
            for (size_t n = 0; n < 35; n++)
                ck_assert_msg(isnan(o.C[m * o.ldc + n]) == (m == 4 || n == 33), "%s [%zu][%zu]", rungs[rung].name, m,
                              n);
        operands_free(&o);
    }
}

/* Odd shapes, large enough for threads: the bits of one thread are the bits of all. */
static void
check_threads(const Case *c)
{
    Operands o = operands_create(c);
    float *first = ARRAY(float, o.c_size), *got = ARRAY(float, o.c_size);
    for (int rung = 0; rung < RUNGS; rung++) {
        for (int threads = 1; threads <= 3; threads++) {
            float *C = threads == 1 ? first : got;
            host_set_threads(threads);
            memcpy(C, o.C, o.c_size * sizeof(float));
            run(rung, c, &o, C);
            ck_assert_msg(memcmp(C, first, o.c_size * sizeof(float)) == 0, "%s: %d threads gave other bits",
                          rungs[rung].name, threads);
        }
    }
    array_free(first);
    array_free(got);
    operands_free(&o);
}

TEST(bits_do_not_depend_on_threads)
{
    check_threads(&(Case){false, true, 37, 163, 4201, 1, 0});
    check_threads(&(Case){true, false, 5, 1031, 1009, 0.5f, 2});
    check_threads(&(Case){false, false, 263, 37, 1301, 1, 1});
    check_threads(&(Case){true, true, 1031, 5, 1009, -1, 0});
}

static Words
pair(float low, float high)
{
    return words_splat(bf16_from_float(low) | (uint32_t)bf16_from_float(high) << 16);
}

/* The second of a pair is added first. With a sum of -1, 1 + 2^-30 - 1 shows it: exact if 1 goes away before 2^-30 comes. */
TEST(the_order_within_a_pair)
{
    const Vector minus_one = vector_splat(-1);
    const Words ones = pair(1, 1);
    ck_assert_float_eq(pairs_multiply_add(minus_one, pair(0x1p-30f, 1), ones)[0], 0x1p-30f);
    ck_assert_float_eq(pairs_multiply_add(minus_one, pair(1, 0x1p-30f), ones)[0], 0);
    ck_assert_float_eq(pairs_multiply_add_emulated(minus_one, pair(0x1p-30f, 1), ones)[0], 0x1p-30f);
    ck_assert_float_eq(pairs_multiply_add_emulated(minus_one, pair(1, 0x1p-30f), ones)[0], 0);
}

/* With a fused multiply-add the emulation gives the bits of the instruction, on all numbers that are not tiny. */
TEST(emulation_and_instruction_agree)
{
    for (uint64_t i = 0; i < 20000; i++) {
        float x[5 * VECTOR_LANES];
        Words a, b;
        rng_fill_normal(11, 1, i * 5 * VECTOR_LANES, x, 5 * VECTOR_LANES, 0, 1);
        for (int lane = 0; lane < VECTOR_LANES; lane++) {
            a[lane] = pair(x[5 * lane], x[5 * lane + 1])[0];
            b[lane] = pair(x[5 * lane + 2], x[5 * lane + 3])[0];
        }
        const Vector sum = vector_load(x + 4 * VECTOR_LANES);
        const Vector got = pairs_multiply_add(sum, a, b), want = pairs_multiply_add_emulated(sum, a, b);
        ck_assert(memcmp(&got, &want, sizeof got) == 0);
    }
}

/* What the contract allows for numbers below 2^-126, and no more. */
TEST(tiny_numbers_are_lost_or_kept)
{
    const Case c = {false, false, 1, 1, 2, 1, 0};
    const float tiny = 0x1p-130f;
    for (int rung = 0; rung < RUNGS; rung++) {
        Operands o = operands_create(&c);
        o.A[0] = bf16_from_float(tiny);
        o.A[1] = bf16_from_float(3);
        o.B[0] = o.B[o.ldb] = bf16_from_float(2);
        run(rung, &c, &o, o.C);
        ck_assert_float_eq(o.C[0], 6);
        o.A[1] = 0;
        run(rung, &c, &o, o.C);
        ck_assert(o.C[0] == 0 || o.C[0] == 2 * tiny);
        operands_free(&o);
    }
}

/* The checker itself: a result that has summed in bf16 is not accepted. */
TEST(a_wrong_sum_is_noticed)
{
    const Case c = {false, false, 1, 1, 64, 1, 0};
    Operands o = operands_create(&c);
    double tolerance;
    const double want = reference(&c, &o, 0, 0, &tolerance);
    ck_assert(!(fabs((double)bf16_to_float(bf16_from_float((float)want)) - want) <= tolerance));
    operands_free(&o);
}

TEST_MAIN("gemm_bf16")
