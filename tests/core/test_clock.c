/* Time and dates. SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "tests/testing.h"

TEST(now_never_goes_back)
{
    double last = clock_now();
    for (int i = 0; i < 100000; i++) {
        const double now = clock_now();
        ck_assert_double_ge(now, last);
        last = now;
    }
}

TEST(date_is_iso_8601_in_utc)
{
    char text[32];
    int year, month, day, hour, minute, second, length = 0;
    clock_date(text);
    ck_assert_int_eq(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &length),
                     6);
    ck_assert_uint_eq(strlen(text), 20);
    ck_assert_int_eq(length, 20);
    ck_assert(year >= 2024 && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60);
}

TEST_MAIN("clock")
