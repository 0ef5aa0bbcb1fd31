/* Rounding to bf16 and back, for every bf16 number and for what lies between two of them. SPDX-License-Identifier: MIT */
#include "core/bf16.h"
#include "tests/testing.h"

enum { ALL = 1 << 16, MIDDLE = 1 << 15 };

static float
from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool
is_nan(Bf16 x)
{
    return (x & 0x7fff) > 0x7f80;
}

TEST(widening_is_exact)
{
    ck_assert_float_eq(bf16_to_float(0x3f80), 1.0f);
    ck_assert_float_eq(bf16_to_float(0xc040), -3.0f);
    ck_assert_float_eq(bf16_to_float(0x0001), 0x1p-133f);
    ck_assert_float_eq(bf16_to_float(0x7f7f), 0x1.fep127f);
    ck_assert(isinf(bf16_to_float(0xff80)) && bf16_to_float(0xff80) < 0);
    ck_assert(signbit(bf16_to_float(0x8000)));
}

TEST(every_number_comes_back)
{
    for (uint32_t x = 0; x < ALL; x++) {
        const Bf16 back = bf16_from_float(bf16_to_float((Bf16)x));
        if (is_nan((Bf16)x))
            ck_assert_msg(is_nan(back) && (back & 0x8000) == (x & 0x8000), "NaN %04x became %04x", x, back);
        else
            ck_assert_msg(back == x, "%04x became %04x", x, back);
    }
}

/* Bits of floats of one sign are in the order of the numbers, so this holds from zero to infinity: below the middle between two
 * goes down, above it up, and the middle itself to the one whose last bit is 0. */
TEST(between_two_the_nearest_is_taken)
{
    for (uint32_t x = 0; x < ALL; x++) {
        const uint32_t lower = x << 16;
        if ((x & 0x7fff) >= 0x7f80)
            continue; /* infinities, NaN */
        ck_assert_uint_eq(bf16_from_float(from_bits(lower + 1)), x);
        ck_assert_uint_eq(bf16_from_float(from_bits(lower + MIDDLE - 1)), x);
        ck_assert_uint_eq(bf16_from_float(from_bits(lower + MIDDLE)), x + x % 2);
        ck_assert_uint_eq(bf16_from_float(from_bits(lower + MIDDLE + 1)), x + 1);
        ck_assert_uint_eq(bf16_from_float(from_bits(lower + 0xffff)), x + 1);
    }
}

TEST(nan_stays_nan)
{
    ck_assert(is_nan(bf16_from_float(from_bits(0x7f800001)))); /* whose upper half is infinity's */
    ck_assert(is_nan(bf16_from_float(from_bits(0x7fffffff)))); /* which rounding up would turn into -0 */
    ck_assert(is_nan(bf16_from_float(from_bits(0xffffffff))));
    ck_assert_uint_eq(bf16_from_float(INFINITY), 0x7f80);
    ck_assert_uint_eq(bf16_from_float(-INFINITY), 0xff80);
    ck_assert_uint_eq(bf16_from_float(3.4e38f), 0x7f80); /* nearer to 2^128 than to the largest */
}

/* Lengths around those of vectors; nothing behind the end is written. */
TEST(arrays_are_converted_like_numbers)
{
    float x[70], back[71];
    Bf16 narrow[71];
    for (int i = 0; i < 70; i++)
        x[i] = i % 9 == 0 ? NAN : (float)(i - 35) * 1.2345e-3f;
    for (size_t n = 0; n <= 70; n++) {
        narrow[n] = 0x1234;
        back[n] = 5.0f;
        bf16_from_floats(narrow, x, n);
        bf16_to_floats(back, narrow, n);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_eq(narrow[i], bf16_from_float(x[i]));
            ck_assert(i % 9 == 0 ? isnan(back[i]) != 0 : fabsf(back[i] - x[i]) <= 0x1p-8f * fabsf(x[i]));
        }
        ck_assert_uint_eq(narrow[n], 0x1234);
        ck_assert_float_eq(back[n], 5.0f);
    }
}

TEST_MAIN("bf16")
