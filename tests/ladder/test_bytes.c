/* Lists of sizes in bytes, as `rungs bench allreduce` takes them. SPDX-License-Identifier: MIT */
#include "ladder/ladder.h"
#include "tests/testing.h"

enum { SIZES = 64 };
static size_t bytes[SIZES];

TEST(letters_are_powers_of_1024)
{
    ck_assert_int_eq(ladder_parse_bytes("4,1K,64K,3M,2G", SIZES, bytes, &error), 5);
    const size_t want[] = {4, 1024, 65536, 3 << 20, (size_t)2 << 30};
    ck_assert_int_eq(memcmp(bytes, want, sizeof want), 0);
}

TEST(ranges_go_by_factors_of_4)
{
    ck_assert_int_eq(ladder_parse_bytes("4..256M", SIZES, bytes, &error), 14);
    for (int i = 0; i < 14; i++)
        ck_assert_uint_eq(bytes[i], (size_t)4 << 2 * i);
    ck_assert_int_eq(ladder_parse_bytes("8,5..100,1K..1K", SIZES, bytes, &error), 5); /* 8; 5 20 80; 1024 */
    ck_assert_uint_eq(bytes[3], 80);
    ck_assert_uint_eq(bytes[4], 1024);
}

TEST(the_largest_range_ends)
{
    ck_assert_int_eq(ladder_parse_bytes("1..17179869183G", SIZES, bytes, &error), 32); /* 2^0, 2^2 .. 2^62 */
    ck_assert_uint_eq(bytes[31], (size_t)1 << 62);
}

TEST(what_is_no_size_is_refused)
{
    static const char *const wrong[] = {"",
                                        ",",
                                        "4,",
                                        "-4",
                                        "+4",
                                        " 4",
                                        "4k",
                                        "4KB",
                                        "4.5",
                                        "K",
                                        "0x10",
                                        "4..",
                                        "16..4",
                                        "..16",
                                        "4...8",
                                        "4..8..16",
                                        "0",
                                        "0..4",
                                        "8,0K",
                                        "99999999999999999999",
                                        "17179869184G"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        error.text[0] = '\0';
        ck_assert_msg(ladder_parse_bytes(wrong[i], SIZES, bytes, &error) == 0, "\"%s\" was taken", wrong[i]);
        ck_assert_msg(strncmp(error.text, "--sizes ", 8) == 0, "\"%s\": %s", wrong[i], error.text);
    }
}

TEST(too_many_are_refused)
{
    char text[4 * (SIZES + 1)] = "4";
    for (int i = 1; i < SIZES; i++)
        strcat(text, ",4");
    ck_assert_int_eq(ladder_parse_bytes(text, SIZES, bytes, &error), SIZES);
    strcat(text, ",4");
    ck_assert_refused(ladder_parse_bytes(text, SIZES, bytes, &error), "more than 64 sizes");
}

TEST_MAIN("bytes")
