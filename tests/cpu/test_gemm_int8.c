/* Every rung of the matrix product of whole numbers, which must be exact: all transposes, shapes around tiles and groups of
 * four, rows further apart than they are long, all kinds of zero points, and the largest sums that there are.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/gemm_int8/gemm_int8.h"
#include "cpu/gemm_int8/quads.h"
#include "tests/capture.h"
#include "tests/testing.h"

static const struct {
    const char *name;
    GemmInt8 *run;
} rungs[] = {{"naive", gemm_int8_naive},
             {"widened", gemm_int8_widened},
             {"quads", gemm_int8_quads},
             {"expert", gemm_int8_expert}};
enum { RUNGS = COUNT(rungs), GAP = 3, GAP_BYTE = 0xa5, POISON = 0x7ff12345 };

typedef struct Case {
    bool transpose_a, transpose_b;
    int M, N, K, zero_a, zero_b;
} Case;

/* Rows of A and B have GAP bytes of rubbish between them, and nothing behind the last: AddressSanitizer sees who reads there. */
typedef struct Operands {
    uint8_t *A;
    int8_t *B;
    size_t lda, ldb, ldc, c_size;
} Operands;

static void *
padded(size_t row_count, size_t columns, uint64_t stream)
{
    const size_t stride = columns + GAP, size = row_count > 0 ? row_count * stride - GAP : 0;
    uint8_t *x = ARRAY(uint8_t, size);
    for (size_t i = 0; i < size; i++)
        x[i] = (uint8_t)(i % stride < columns ? rng_bits_at(7, stream, i) : GAP_BYTE);
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
    return o;
}

static void
operands_free(Operands *o)
{
    array_free(o->A);
    array_free(o->B);
}

static void
run(int rung, const Case *c, const Operands *o, int32_t *C)
{
    rungs[rung].run(c->transpose_a, c->transpose_b, c->M, c->N, c->K, o->A, (int)o->lda, c->zero_a, o->B, (int)o->ldb,
                    c->zero_b, C, (int)o->ldc);
}

static int64_t
reference(const Case *c, const Operands *o, size_t m, size_t n)
{
    int64_t sum = 0;
    for (size_t k = 0; k < (size_t)c->K; k++) {
        const int a = o->A[c->transpose_a ? k * o->lda + m : m * o->lda + k];
        const int b = o->B[c->transpose_b ? n * o->ldb + k : k * o->ldb + n];
        sum += (a - c->zero_a) * (b - c->zero_b);
    }
    return sum;
}

static void
check_result(int rung, const Case *c, const Operands *o, const int32_t *got)
{
    for (size_t i = 0; i < o->c_size; i++) {
        const size_t m = i / o->ldc, n = i % o->ldc;
        const int64_t want = n < (size_t)c->N ? reference(c, o, m, n) : POISON;
        ck_assert_msg(got[i] == want, "%s %d%d M %d N %d K %d zeros %d %d: [%zu][%zu] is %d, not %lld",
                      rungs[rung].name, c->transpose_a, c->transpose_b, c->M, c->N, c->K, c->zero_a, c->zero_b, m, n,
                      got[i], (long long)want);
    }
}

static void
check_operands(const Case *c, const Operands *o)
{
    for (int rung = 0; rung < RUNGS; rung++) {
        Guarded guarded = guarded_create(o->c_size);
        int32_t *got = (int32_t *)(void *)guarded.x;
        for (size_t i = 0; i < o->c_size; i++)
            got[i] = POISON;
        run(rung, c, o, got);
        check_result(rung, c, o, got);
        ck_assert_msg(guarded_intact(&guarded), "%s wrote outside C", rungs[rung].name);
        guarded_free(&guarded);
    }
}

static void
check_shape(int M, int N, int K, int zero_a, int zero_b)
{
    for (int transposes = 0; transposes < 4; transposes++) {
        const Case c = {(transposes & 1) != 0, (transposes & 2) != 0, M, N, K, zero_a, zero_b};
        Operands o = operands_create(&c);
        check_operands(&c, &o);
        operands_free(&o);
    }
}

/* 0, 1, primes, and tiles with their neighbours: 14 or 6 rows, 2 vectors of columns; groups of four k, and whole vectors of
 * them. */
static const int rows[] = {0, 1, 5, 6, 7, 13, 14, 15, 17, 29};
static const int columns[] = {
    0, 1, 3, VECTOR_LANES, VECTOR_LANES + 1, 2 * VECTOR_LANES - 1, 2 * VECTOR_LANES, 2 * VECTOR_LANES + 1, 67};
static const int depths[] = {
    0, 1, 2, 3, 4, 5, 6, 7, 4 * VECTOR_LANES - 1, 4 * VECTOR_LANES, 4 * VECTOR_LANES + 1, 4 * VECTOR_LANES + 6};
TEST(every_shape)
{
    for (int m = 0; m < COUNT(rows); m++)
        for (int n = 0; n < COUNT(columns); n++)
            for (int k = (m + n) % 3; k < COUNT(depths); k += 3)
                check_shape(rows[m], columns[n], depths[k], 121, -3);
}

TEST(every_zero_point)
{
    static const int of_a[] = {0, 1, 127, 128, 255}, of_b[] = {-128, -1, 0, 1, 127};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            check_shape(15, 35, 7, of_a[a], of_b[b]);
}

TEST(sums_over_many_blocks)
{
    static const int lengths[] = {1023, 1025, 2051, 4095, 4096, 4097, 9001};
    for (int i = 0; i < COUNT(lengths); i++) {
        check_shape(7, 5, lengths[i], 128, 0);
        check_shape(3, 33, lengths[i], 17, 99);
    }
}

TEST(more_than_a_block_of_rows_and_columns)
{
    check_shape(421, 37, 19, 128, 7);
    check_shape(5, 4129, 3, 128, 7);
}

/* All of A the same, all of B the same: the largest sums that fit, of either sign, and those of which 16 bits hold no part. */
static void
check_extreme(int a, int zero_a, int b, int zero_b, int K)
{
    for (int transposes = 0; transposes < 4; transposes += 3) {
        const Case c = {transposes > 0, transposes > 0, 2, 18, K, zero_a, zero_b};
        Operands o = operands_create(&c);
        memset(o.A, a, transposes > 0 ? (size_t)K * o.lda - GAP : 2 * o.lda - GAP);
        memset(o.B, b, transposes > 0 ? 18 * o.ldb - GAP : (size_t)K * o.ldb - GAP);
        check_operands(&c, &o);
        operands_free(&o);
    }
}

TEST(the_largest_sums)
{
    check_extreme(255, 0, -128, 0, 4);
    check_extreme(255, 0, 127, 0, 4);
    check_extreme(255, 0, -128, 0, gemm_int8_longest(0, 0));
    check_extreme(0, 255, -128, 127, gemm_int8_longest(255, 127));
    check_extreme(0, 255, 127, -128, gemm_int8_longest(255, -128));
    check_extreme(255, 255, 127, 0, gemm_int8_longest(255, 0)); /* 0, from sums beyond 32 bits */
}

TEST(how_long_sums_may_be)
{
    ck_assert_int_eq(gemm_int8_longest(0, 0), 65793);
    ck_assert_int_eq(gemm_int8_longest(128, 0), 131072 - 1);
    ck_assert_int_eq(gemm_int8_longest(255, 127), 33025);
    ck_assert_int_eq(gemm_int8_longest(0, -128), 33025);
}

TEST_ENDS(too_long, "sums of 65794 products may leave 32 bits; 65793 are the limit")
{
    const uint8_t a = 0;
    const int8_t b = 0;
    int32_t c;
    gemm_int8_expert(false, false, 1, 1, 65794, &a, 1, 0, &b, 1, 0, &c, 1);
}

/* Odd shapes, large enough for threads. */
TEST(any_number_of_threads)
{
    static const int shapes[][3] = {{37, 163, 8401}, {5, 1031, 2009}, {263, 37, 2301}, {1031, 5, 2009}};
    for (int i = 0; i < COUNT(shapes); i++) {
        const Case c = {i % 2 == 1, i >= 2, shapes[i][0], shapes[i][1], shapes[i][2], 128, 5};
        Operands o = operands_create(&c);
        int32_t *got = ARRAY(int32_t, o.c_size);
        for (int threads = 1; threads <= 3; threads++) {
            host_set_threads(threads);
            for (size_t j = 0; j < o.c_size; j++)
                got[j] = POISON;
            run(RUNGS - 1, &c, &o, got);
            check_result(RUNGS - 1, &c, &o, got);
        }
        array_free(got);
        operands_free(&o);
    }
}

/* The instruction and what stands in for it, on every pair of a byte of a and a byte of b, four times in a word and alone. */
TEST(emulations_agree)
{
    for (uint32_t a = 0; a < 256; a++)
        for (uint32_t b = 0; b < 256; b++) {
            const Words sum = words_splat(0x7fffff00 + a), x = words_splat(a * 0x01010101u),
                        y = words_splat(b << 24 | b);
            const int32_t product = (int32_t)a * (int8_t)b;
            const uint32_t want = 0x7fffff00 + a + 2 * (uint32_t)product;
            ck_assert_uint_eq(quads_multiply_add(sum, x, y)[0], want);
            ck_assert_uint_eq(quads_multiply_add_emulated(sum, x, y)[VECTOR_LANES - 1], want);
            ck_assert_uint_eq(quads_multiply_add_emulated(sum, x, words_splat(b << 8))[1], want - (uint32_t)product);
#ifdef MULTIPLY_PAIRS
            ck_assert_uint_eq(quads_multiply_add_by_halves(sum, x, y)[1], want);
            ck_assert_uint_eq(quads_multiply_add_by_halves(sum, x, words_splat(b << 8))[1], want - (uint32_t)product);
            ck_assert_uint_eq(quads_multiply_add_by_halves(sum, x, words_splat(b << 16))[1], want - (uint32_t)product);
#endif
        }
}

TEST_MAIN("gemm_int8")
