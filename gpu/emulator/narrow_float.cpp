/* Conversions of 16-bit floating point numbers: see narrow_float.h. SPDX-License-Identifier: MIT */
#include "gpu/emulator/narrow_float.h"
#include <stdint.h>
#include <string.h>

enum : uint16_t { NARROW_NAN = 0x7fff }; /* as a device writes it */

static uint32_t
bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float
value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

unsigned short
emulator_half_bits(float value)
{
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return NARROW_NAN;
    if (size >= 0x477ff000) /* 65520, half way between the largest one and 2^16 */
        return (unsigned short)(sign | 0x7c00);
    if (size < 0x38800000) /* below 2^-14 the step is 2^-24, as it is of floats from 0.5 on: a sum with 0.5 rounds */
        return (unsigned short)(sign | (bits_of(value_of(size) + 0.5f) - bits_of(0.5f)));
    /* 13 bits go; the exponent counts from 15 and not from 127. A carry out of the fraction raises the exponent, as it should. */
    return (unsigned short)(sign | ((size + 0xfff + (size >> 13 & 1) - ((uint32_t)(127 - 15) << 23)) >> 13));
}

float
emulator_half_value(unsigned short bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, size = bits & 0x7fff;
    if (size >= 0x7c00)
        return value_of(sign | 0x7f800000 | size << 13);
    if (size < 0x0400)
        return value_of(sign | bits_of((float)size * 0x1p-24f));
    return value_of(sign | ((size << 13) + ((uint32_t)(127 - 15) << 23)));
}

unsigned short
emulator_bfloat_bits(float value)
{
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return NARROW_NAN;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float
emulator_bfloat_value(unsigned short bits)
{
    return value_of((uint32_t)bits << 16);
}

/* a * b + c as a float that rounds to the right number of at most 22 bits: the product is exact in double; the sum is rounded
 * to odd (where it is not exact, its last bit is 1), so that rounding again cannot err (Boldo and Melquiond, 2008). */
static float
fused(float a, float b, float c)
{
    const double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    /* What the sum has lost: Knuth's two-sum. */
    const double part = sum - product, lost = (product - (sum - part)) + (addend - part);
    int64_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    if (lost != 0 && lost == lost && !(bits & 1)) {
        bits += (lost > 0) == (sum > 0) ? 1 : -1;
        memcpy(&sum, &bits, sizeof(sum));
    }
    /* The same again from double to float. */
    float value = (float)sum;
    const double error = sum - (double)value;
    uint32_t narrow = bits_of(value);
    if (error != 0 && error == error && !(narrow & 1) && (narrow & 0x7f800000) != 0x7f800000)
        narrow += (error > 0) == (sum > 0) ? 1u : -1u;
    return value_of(narrow);
}

unsigned short
emulator_half_fma(unsigned short a, unsigned short b, unsigned short c)
{
    return emulator_half_bits(fused(emulator_half_value(a), emulator_half_value(b), emulator_half_value(c)));
}

unsigned short
emulator_bfloat_fma(unsigned short a, unsigned short b, unsigned short c)
{
    return emulator_bfloat_bits(fused(emulator_bfloat_value(a), emulator_bfloat_value(b), emulator_bfloat_value(c)));
}
