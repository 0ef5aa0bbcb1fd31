/* Numbers for people. SPDX-License-Identifier: MIT */
#include "core/units.h"
#include "tests/testing.h"

static void
assert_format(double value, const char *unit, const char *want)
{
    char text[UNITS_SIZE];
    ck_assert_str_eq(units_format(text, value, unit), want);
}

static void
assert_bytes(double bytes, const char *want)
{
    char text[UNITS_SIZE];
    ck_assert_str_eq(units_bytes(text, bytes), want);
}

static void
assert_duration(double seconds, const char *want)
{
    char text[UNITS_SIZE];
    ck_assert_str_eq(units_duration(text, seconds), want);
}

TEST(format_picks_the_prefix)
{
    assert_format(4.56e10, "FLOP/s", "45.6 GFLOP/s");
    assert_format(1.23e-3, "s", "1.23 ms");
    assert_format(1, "s", "1.00 s");
    assert_format(12, "s", "12.0 s");
    assert_format(999, "B", "999 B");
    assert_format(1000, "B", "1.00 kB");
    assert_format(-2.5e-6, "s", "-2.50 us");
}

TEST(format_rounding_carries_over)
{
    assert_format(999.9e3, "", "1.00 M");
    assert_format(999.4e3, "", "999 k");
    assert_format(9.996, "s", "10.0 s");
    assert_format(99.96, "s", "100 s");
    assert_format(0.9999, "s", "1.00 s");
}

TEST(format_reaches_from_quecto_to_quetta)
{
    assert_format(1e-30, "s", "1.00 qs");
    assert_format(3.2e-29, "s", "32.0 qs");
    assert_format(1e-24, "s", "1.00 ys");
    assert_format(1e24, "B", "1.00 YB");
    assert_format(1e27, "B", "1.00 RB");
    assert_format(9.99e32, "B", "999 QB");
    assert_format(1e33, "B", "1.00e+33 B");
    assert_format(1e-31, "s", "1.00e-31 s");
    assert_format(5e-324, "s", "4.94e-324 s");
}

TEST(format_spells_out_what_is_no_number)
{
    assert_format(0, "s", "0 s");
    assert_format(-0.0, "s", "0 s");
    assert_format(INFINITY, "B/s", "inf B/s");
    assert_format(-INFINITY, "B/s", "-inf B/s");
    assert_format(NAN, "", "nan");
    assert_format(-NAN, "s", "nan s");
}

/* Three digits are within half a per cent of the number, whatever the prefix. */
TEST(format_is_within_half_a_per_cent)
{
    static const char prefixes[] = "qryzafpnum kMGTPEZYRQ";
    char text[UNITS_SIZE];
    for (double value = 1e-30; value < 9e32; value *= 1.0737) {
        units_format(text, value, "");
        char *end = NULL;
        const double number = strtod(text, &end);
        const char *prefix = *end == ' ' ? strchr(prefixes, end[1]) : strchr(prefixes, ' ');
        ck_assert_ptr_nonnull(prefix);
        const double read = number * pow(1000, (double)(prefix - prefixes) - 10);
        ck_assert_msg(fabs(read - value) <= 0.0051 * value, "%g became %s", value, text);
        ck_assert(number >= 1 && number < 1000);
    }
}

TEST(format_cuts_a_long_unit)
{
    char text[UNITS_SIZE];
    units_format(text, 1, "a unit that is far too long to fit into the text that is given for it");
    ck_assert_uint_eq(strlen(text), UNITS_SIZE - 1);
}

TEST(bytes_use_binary_prefixes)
{
    assert_bytes(8273264, "7.89 MiB");
    assert_bytes(0, "0 B");
    assert_bytes(512, "512 B");
    assert_bytes(1023, "1023 B");
    assert_bytes(1024, "1.00 KiB");
    assert_bytes(10240, "10.0 KiB");
    assert_bytes(1000 * 1024, "1000 KiB");
    assert_bytes(1023.7 * 1024, "1.00 MiB");
    assert_bytes(1.5 * 1024 * 1024 * 1024, "1.50 GiB");
    assert_bytes(-2048, "-2.00 KiB");
    assert_bytes(ldexp(1, 80), "1.00 YiB");
    assert_bytes(NAN, "nan B");
    assert_bytes(INFINITY, "inf B");
}

TEST(duration_is_what_people_say)
{
    assert_duration(0.43, "0.43 s");
    assert_duration(4.3, "4.3 s");
    assert_duration(12.4, "12 s");
    assert_duration(200, "3 min 20 s");
    assert_duration(7500, "2 h 05 min");
    assert_duration(3 * 86400 + 4 * 3600, "3 d 04 h");
    assert_duration(0.002, "2.00 ms");
    assert_duration(0, "0 s");
}

TEST(duration_rounding_carries_over)
{
    assert_duration(0.996, "1.0 s");
    assert_duration(9.96, "10 s");
    assert_duration(59.6, "1 min 00 s");
    assert_duration(3599.7, "1 h 00 min");
    assert_duration(86399, "1 d 00 h");
    assert_duration(-200, "-3 min 20 s");
    assert_duration(NAN, "nan s");
    assert_duration(INFINITY, "inf s");
}

TEST(grouped_has_a_comma_before_every_three_digits)
{
    const struct {
        uint64_t number;
        const char *text;
    } cases[] = {
        {0, "0"}, {999, "999"}, {1000, "1,000"}, {123456, "123,456"}, {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char text[UNITS_SIZE];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ck_assert_str_eq(units_grouped(text, cases[i].number), cases[i].text);
}

TEST_MAIN("units")
