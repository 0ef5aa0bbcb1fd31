/* 16-bit numbers, fragments of matrices and asynchronous copies on the emulator, against references in double.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "ladder/verify.h"
#include "tests/gpu/kernels.h"

/* Rounds to numbers with `bits` of fraction, the smallest normal one 2^lowest; ties to even, as rint does. */
static double
rounded(double value, int bits, int lowest, double largest)
{
    int exponent;
    if (!isfinite(value) || value == 0)
        return value;
    frexp(value, &exponent);
    exponent = exponent - 1 < lowest ? lowest : exponent - 1;
    const double step = ldexp(1, exponent - bits), near = rint(value / step) * step;
    return fabs(near) > largest ? copysign(INFINITY, value) : near;
}

static double
to_half(double value)
{
    return rounded(value, 10, -14, 65504);
}

static double
to_bfloat(double value)
{
    return rounded(value, 7, -126, 0x1.fep127);
}

/* ---- 16-bit numbers ---------------------------------------------------------------------------------- */

enum { COUNT = 4096 };
typedef void LaunchNarrow(float *, const float *, const float *, int, int);

/* Ordinary numbers, tiny and huge ones, halves between two neighbours, zeros, infinities, NaN. */
static void
interesting_numbers(float *a, float *b)
{
    static const float special[] = {
        0,        -0.0f,      1,         65504,        65519.9f,      65520,          0x1p-24f,
        0x1p-25f, 0x1.8p-25f, 0x1p-14f,  0x1.ffcp-15f, 1.0009765625f, 1.00048828125f, 2049,
        2051,     INFINITY,   -INFINITY, NAN};
    enum { SPECIAL = COUNT(special) };
    rng_fill_normal(11, 0, 0, a, COUNT, 0, 1);
    rng_fill_normal(11, 1, 0, b, COUNT, 0, 1);
    for (int i = 0; i < COUNT; i++) {
        a[i] = ldexpf(a[i], (int)rng_bits_at(11, 2, (uint64_t)i) % 18);
        b[i] = ldexpf(b[i], -(int)(rng_bits_at(11, 3, (uint64_t)i) % 25));
    }
    for (int i = 0; i < SPECIAL * SPECIAL; i++) {
        a[i] = special[i / SPECIAL];
        b[i] = special[i % SPECIAL];
    }
}

static void
check_number(float got, double want, const char *what, float a, float b)
{
    const bool same = isnan(want) ? isnan(got) : (double)got == want && !signbit(got) == !signbit(want);
    ck_assert_msg(same, "%s of %a and %a: got %a, want %a", what, (double)a, (double)b, (double)got, want);
}

TEST(narrow_numbers_are_rounded_once)
{
    static float a[COUNT], b[COUNT], out[8 * COUNT];
    interesting_numbers(a, b);
    for (int bfloat = 0; bfloat <= 1; bfloat++) {
        double (*round)(double) = bfloat ? to_bfloat : to_half;
        float *d_a = kernels_to_device(a, sizeof(a)), *d_b = kernels_to_device(b, sizeof(b)),
              *d_out = kernels_to_device(NULL, sizeof(out));
        KERNELS_FUNCTION("launch_narrow", LaunchNarrow *)
        (d_out, d_a, d_b, COUNT, bfloat);
        kernels_from_device(out, d_out, sizeof(out));
        kernels()->free(d_a);
        kernels()->free(d_b);
        for (int i = 0; i < COUNT; i++) {
            const double x = round((double)a[i]), y = round((double)b[i]);
            const float *got = &out[8 * i];
            check_number(got[7], x, "the rounding", a[i], b[i]);
            check_number(got[0], round(x + y), "the sum", a[i], b[i]);
            check_number(got[1], round(x - y), "the difference", a[i], b[i]);
            check_number(got[2], round(x * y), "the product", a[i], b[i]);
            check_number(got[3], round(x / y), "the quotient", a[i], b[i]);
            check_number(got[5], x == y ? (signbit(x) ? y : x) : fmax(x, y), "the larger", a[i], b[i]);
            check_number(got[6], x == y ? (signbit(x) ? x : y) : fmin(x, y), "the smaller", a[i], b[i]);
            /* Exact in double for these unless x y and x are 53 bits apart; then long double's 64 bits suffice. */
            const long double fused = (long double)x * (long double)y + (long double)x;
            check_number(got[4], isfinite(fused) ? round((double)fused) : (double)fused, "the fused one", a[i], b[i]);
        }
    }
}

/* 1.5 (131 2^53) is half way between two numbers of 8 bits; the 1.5 that is added decides, 60 bits below. */
TEST(a_fused_product_is_rounded_once)
{
    const float a = 1.5f, b = 0x83p53f;
    float out[8];
    float *d_a = kernels_to_device(&a, sizeof(a)), *d_b = kernels_to_device(&b, sizeof(b)),
          *d_out = kernels_to_device(NULL, sizeof(out));
    KERNELS_FUNCTION("launch_narrow", LaunchNarrow *)(d_out, d_a, d_b, 1, 1);
    kernels_from_device(out, d_out, sizeof(out));
    kernels()->free(d_a);
    kernels()->free(d_b);
    ck_assert_float_eq(out[2], 0xc4p53f); /* the product alone: to even */
    ck_assert_float_eq(out[4], 0xc5p53f);
}

TEST(pairs_are_two_numbers)
{
    float in[64], out[64];
    rng_fill_normal(12, 0, 0, in, 64, 0, 3);
    float *d_in = kernels_to_device(in, sizeof(in)), *d_out = kernels_to_device(NULL, sizeof(out));
    KERNELS_FUNCTION("launch_pairs", void (*)(float *, const float *))(d_out, d_in);
    kernels_from_device(out, d_out, sizeof(out));
    kernels()->free(d_in);
    for (int i = 0; i < 64; i++) {
        const double h = to_half((double)in[i]), b = to_bfloat((double)in[i]);
        const double want = to_half(h * h + 1) + to_bfloat(b * (i % 2 ? 3 : 2));
        ck_assert_float_eq(out[i], (float)want);
    }
}

/* ---- fragments --------------------------------------------------------------------------------------- */

typedef void LaunchProduct(float *, const float *, const float *, const float *, int);

TEST(fragments_of_16_bits_multiply)
{
    float A[256], B[256], C[256], D[256];
    double want[256];
    rng_fill_uniform(13, 0, 0, A, 256, -1, 1);
    rng_fill_uniform(13, 1, 0, B, 256, -1, 1);
    rng_fill_uniform(13, 2, 0, C, 256, -1, 1);
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        for (int kind = 0; kind < 3; kind++) {
            double (*round)(double) = kind == 1 ? to_bfloat : to_half;
            for (int m = 0; m < 16; m++) {
                for (int n = 0; n < 16; n++) {
                    want[16 * m + n] = (double)C[16 * m + n];
                    for (int k = 0; k < 16; k++)
                        want[16 * m + n] +=
                            round((double)A[16 * m + k]) * round((double)B[kind == 2 ? 16 * n + k : 16 * k + n]);
                }
            }
            float *a = kernels_to_device(A, sizeof(A)), *b = kernels_to_device(B, sizeof(B)),
                  *c = kernels_to_device(C, sizeof(C));
            float *d = kernels_to_device(NULL, sizeof(D));
            KERNELS_FUNCTION("launch_product", LaunchProduct *)(d, a, b, c, kind);
            kernels_from_device(D, d, sizeof(D));
            kernels()->free(a);
            kernels()->free(b);
            kernels()->free(c);
            Verdict verdict = verify_against(D, want, 256, 17 * 0x1p-23, 0);
            ck_assert_msg(verdict_ok(&verdict), "kind %d: %zu wrong", kind, verdict.wrong);
        }
    }
}

/* 10 bits of fraction: cut off, or to nearest with ties away from zero. */
static double
to_tf32(float value, bool round)
{
    int exponent;
    const double fraction = frexp((double)value, &exponent) * 2048;
    return ldexp(round ? copysign(floor(fabs(fraction) + 0.5), fraction) : trunc(fraction), exponent - 11);
}

TEST(tf32_fragments_multiply)
{
    float A[128], B[128], D[256];
    double want[256];
    rng_fill_normal(14, 0, 0, A, 128, 0, 1);
    rng_fill_normal(14, 1, 0, B, 128, 0, 1);
    A[0] = 1 + 0x1p-11f; /* half way */
    for (int round = 0; round <= 1; round++) {
        for (int m = 0; m < 16; m++) {
            for (int n = 0; n < 16; n++) {
                double sum = 0;
                for (int k = 0; k < 8; k++)
                    sum += to_tf32(A[16 * k + m], round) * to_tf32(B[16 * k + n], round);
                want[16 * n + m] = 2 * sum;
            }
        }
        float *a = kernels_to_device(A, sizeof(A)), *b = kernels_to_device(B, sizeof(B)),
              *d = kernels_to_device(NULL, sizeof(D));
        KERNELS_FUNCTION("launch_product_tf32", void (*)(float *, const float *, const float *, int))(d, a, b, round);
        kernels_from_device(D, d, sizeof(D));
        kernels()->free(a);
        kernels()->free(b);
        Verdict verdict = verify_against(D, want, 256, 64 * 0x1p-23, 0);
        ck_assert_msg(verdict_ok(&verdict), "rounded %d: %zu wrong", round, verdict.wrong);
    }
}

/* ---- asynchronous copies ----------------------------------------------------------------------------- */

TEST(a_copy_is_there_when_it_is_waited_for)
{
    float in[256], out[256];
    rng_fill_uniform(15, 0, 0, in, 256, 1, 2);
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        for (int given = 0; given <= 4; given++) {
            for (int wait_all = 0; wait_all <= 1; wait_all++) {
                float *d_in = kernels_to_device(in, sizeof(in)), *d_out = kernels_to_device(NULL, sizeof(out));
                KERNELS_FUNCTION("launch_copy_through", void (*)(float *, const float *, int, int))
                (d_out, d_in, wait_all, given);
                kernels_from_device(out, d_out, sizeof(out));
                kernels()->free(d_in);
                for (int i = 0; i < 128; i++) {
                    const int from = 4 * (31 - i / 4) + i % 4;
                    ck_assert_float_eq(out[i], in[from]);
                    if (wait_all)
                        ck_assert_float_eq(out[128 + i], i % 4 < given ? in[128 + from] : 0);
                    else
                        ck_assert_float_nan(out[128 + i]);
                }
            }
        }
    }
}

TEST(a_copy_wants_aligned_addresses)
{
    float in[8] = {0};
    float *d_in = kernels_to_device(in, sizeof(in)), *d_out = kernels_to_device(NULL, sizeof(float));
    KERNELS_FUNCTION("launch_misaligned_copy", void (*)(float *, const float *))(d_out, d_in);
    const char *failure = kernels()->synchronize();
    ck_assert(failure != NULL && strstr(failure, "must be multiples of 16") != NULL);
    kernels()->free(d_in);
    kernels()->free(d_out);
}

TEST_MAIN("gpu tensor")
