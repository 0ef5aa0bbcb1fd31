/* IDX: every element type and number of dimensions, and every way in which a file can be wrong. What becomes a data
 * set: test_idx_dataset.c.
 * SPDX-License-Identifier: MIT */
#include "tests/data/idx_sample.h"
#include "tests/testing.h"

#define PARSE(array, ...)                                                                                              \
    ck_assert(parse((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), (array), NULL))

static void
refused(const uint8_t *file, size_t size, const char *words)
{
    IdxArray array;
    ck_assert_refused(parse(file, size, &array, &error), words);
    ck_assert_ptr_nonnull(strstr(error.text, "sample.idx"));
    ck_assert_ptr_null(array.elements);
}

#define REFUSED(words, ...) refused((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), (words))

TEST(unsigned_bytes)
{
    IdxArray array;
    PARSE(&array, 0, 0, 0x08, 1, 0, 0, 0, 3, 0, 127, 255);
    ck_assert_int_eq(array.type, IDX_UBYTE);
    ck_assert_int_eq(array.dimensions, 1);
    ck_assert_uint_eq(array.count, 3);
    ck_assert_double_eq(idx_value(&array, 1), 127);
    ck_assert_double_eq(idx_value(&array, 2), 255);
    idx_free(&array);
}

TEST(signed_bytes)
{
    IdxArray array;
    PARSE(&array, 0, 0, 0x09, 1, 0, 0, 0, 3, 0x80, 0xff, 0x7f);
    ck_assert_double_eq(idx_value(&array, 0), -128);
    ck_assert_double_eq(idx_value(&array, 1), -1);
    ck_assert_double_eq(idx_value(&array, 2), 127);
    idx_free(&array);
}

TEST(shorts_are_big_endian_and_signed)
{
    IdxArray array;
    PARSE(&array, 0, 0, 0x0B, 1, 0, 0, 0, 2, 0x01, 0x02, 0xff, 0xfe);
    ck_assert_double_eq(idx_value(&array, 0), 258);
    ck_assert_double_eq(idx_value(&array, 1), -2);
    idx_free(&array);
}

TEST(ints_are_big_endian_and_signed)
{
    IdxArray array;
    PARSE(&array, 0, 0, 0x0C, 1, 0, 0, 0, 2, 0x01, 0x02, 0x03, 0x04, 0x80, 0, 0, 0);
    ck_assert_double_eq(idx_value(&array, 0), 16909060);
    ck_assert_double_eq(idx_value(&array, 1), -2147483648.0);
    idx_free(&array);
}

TEST(floats_are_big_endian)
{
    IdxArray array;
    PARSE(&array, 0, 0, 0x0D, 1, 0, 0, 0, 2, 0x3f, 0xc0, 0, 0, 0xff, 0x80, 0, 0);
    ck_assert_double_eq(idx_value(&array, 0), 1.5);
    ck_assert(isinf(idx_value(&array, 1)) && idx_value(&array, 1) < 0);
    idx_free(&array);
}

TEST(doubles_are_big_endian)
{
    IdxArray array;
    PARSE(&array, 0, 0, 0x0E, 1, 0, 0, 0, 1, 0xc0, 0x04, 0, 0, 0, 0, 0, 0);
    ck_assert_double_eq(idx_value(&array, 0), -2.5);
    idx_free(&array);
}

TEST(one_to_eight_dimensions)
{
    for (int d = 1; d <= IDX_DIMENSIONS_MAX; d++) {
        uint8_t file[4 + 4 * IDX_DIMENSIONS_MAX + 6] = {0, 0, 0x08, (uint8_t)d};
        for (int i = 0; i < d; i++)
            file[4 + 4 * i + 3] = i == 0 ? 3 : i == d - 1 ? 2 : 1; /* 3, 1, .. 1, 2 */
        size_t count = d == 1 ? 3 : 6;
        file[4 + 4 * d + (int)count - 1] = 42;
        IdxArray array;
        ck_assert(parse(file, 4 + 4 * (size_t)d + count, &array, NULL));
        ck_assert_int_eq(array.dimensions, d);
        ck_assert_uint_eq(array.count, count);
        ck_assert_uint_eq(array.shape[0], 3);
        ck_assert_double_eq(idx_value(&array, count - 1), 42);
        idx_free(&array);
    }
}

TEST(wrong_magic_is_refused)
{
    REFUSED("starts with bytes 01 00", 1, 0, 0x08, 1, 0, 0, 0, 1, 7);
    REFUSED("starts with bytes 00 01", 0, 1, 0x08, 1, 0, 0, 0, 1, 7);
    REFUSED("starts with bytes 89 50", 0x89, 'P', 'N', 'G', 0, 0, 0, 1, 7);
    REFUSED("element type 0x0a", 0, 0, 0x0A, 1, 0, 0, 0, 1, 7);
    REFUSED("element type 0x0f", 0, 0, 0x0F, 1, 0, 0, 0, 1, 7);
    REFUSED("has 0 dimensions", 0, 0, 0x08, 0, 7);
    REFUSED("has 9 dimensions", 0, 0, 0x08, 9, 0, 0, 0, 1, 7);
}

TEST(file_cut_anywhere_is_refused)
{
    static const uint8_t file[] = {0, 0, 0x0B, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    for (size_t cut = 0; cut < sizeof(file); cut++)
        refused(file, cut, cut < 4 ? "at least 8 bytes" : cut < 12 ? "inside the header" : "cut off");
}

TEST(trailing_bytes_are_refused)
{
    REFUSED("ask for 1 bytes of data, but 2 are there", 0, 0, 0x08, 1, 0, 0, 0, 1, 7, 8);
}

TEST(dimension_of_zero_is_refused)
{
    REFUSED("dimension 1 is 0", 0, 0, 0x08, 1, 0, 0, 0, 0);
    REFUSED("dimension 2 is 0", 0, 0, 0x08, 2, 0, 0, 0, 5, 0, 0, 0, 0);
}

TEST(absurd_dimensions_are_refused)
{
    /* 4 GiB of elements; 2^32 * 2^32 bytes, which is 0 modulo 2^64; and 8 such dimensions. */
    REFUSED("ask for 4294967295 bytes", 0, 0, 0x08, 1, 0xff, 0xff, 0xff, 0xff, 7);
    REFUSED("more bytes than any file", 0, 0, 0x0E, 2, 0x80, 0, 0, 0, 0x80, 0, 0, 0);
    uint8_t file[4 + 4 * 8];
    memset(file, 0xff, sizeof(file));
    memcpy(file, (uint8_t[]){0, 0, 0x0E, 8}, 4);
    refused(file, sizeof(file), "more bytes than any file");
}

TEST(overflow_to_the_right_size_is_refused)
{
    /* 2^31 * 2^31 * 4 elements of 1 byte: modulo 2^64 these are 0 bytes, which is the number that follows. */
    REFUSED("more bytes than any file", 0, 0, 0x08, 3, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 4);
}

TEST_MAIN("idx")
