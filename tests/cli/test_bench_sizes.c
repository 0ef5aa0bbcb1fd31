/* Lists of sizes in bytes, as `rungs bench allreduce` takes them. SPDX-License-Identifier: MIT */
#include "cli/bench_sizes.h"
#include "tests/testing.h"
#include <stdint.h>
#include <string.h>

static size_t bytes[BENCH_SIZES_MAX];
static Error error;

START_TEST(letters_are_powers_of_1024)
{
    ck_assert_int_eq(bench_sizes_parse("4,1K,64K,3M,2G", bytes, &error), 5);
    const size_t want[] = {4, 1024, 65536, 3 << 20, (size_t)2 << 30};
    ck_assert_int_eq(memcmp(bytes, want, sizeof want), 0);
}
END_TEST

START_TEST(ranges_go_by_factors_of_4)
{
    ck_assert_int_eq(bench_sizes_parse("4..256M", bytes, &error), 14);
    for (int i = 0; i < 14; i++)
        ck_assert_uint_eq(bytes[i], (size_t)4 << 2 * i);
    ck_assert_int_eq(bench_sizes_parse("8,5..100,1K..1K", bytes, &error), 5); /* 8; 5 20 80; 1024 */
    ck_assert_uint_eq(bytes[3], 80);
    ck_assert_uint_eq(bytes[4], 1024);
}
END_TEST

START_TEST(the_largest_range_ends)
{
    ck_assert_int_eq(bench_sizes_parse("1..17179869183G", bytes, &error), 32); /* 2^0, 2^2 .. 2^62 */
    ck_assert_uint_eq(bytes[31], (size_t)1 << 62);
}
END_TEST

START_TEST(what_is_no_size_is_refused)
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
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        error.text[0] = '\0';
        ck_assert_msg(bench_sizes_parse(wrong[i], bytes, &error) == 0, "\"%s\" was taken", wrong[i]);
        ck_assert_msg(strncmp(error.text, "--sizes ", 8) == 0, "\"%s\": %s", wrong[i], error.text);
    }
}
END_TEST

START_TEST(too_many_are_refused)
{
    char text[4 * (BENCH_SIZES_MAX + 1)] = "4";
    for (int i = 1; i < BENCH_SIZES_MAX; i++)
        strcat(text, ",4");
    ck_assert_int_eq(bench_sizes_parse(text, bytes, &error), BENCH_SIZES_MAX);
    strcat(text, ",4");
    ck_assert_int_eq(bench_sizes_parse(text, bytes, &error), 0);
    ck_assert_ptr_nonnull(strstr(error.text, "more than 64 sizes"));
}
END_TEST

TEST_MAIN("cli bench sizes", letters_are_powers_of_1024, ranges_go_by_factors_of_4, the_largest_range_ends,
          what_is_no_size_is_refused, too_many_are_refused)
