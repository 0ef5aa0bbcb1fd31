/* Lecture 2: the slides' table of derivatives, every row at random points.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "derivatives.h"
#include "tests/testing.h"

TEST(every_row_of_the_slides_table)
{
    size_t count;
    const Derivative *rows = derivatives(&count);
    ck_assert_uint_ge(count, 14 + 4 + 1 + 4);
    for (size_t i = 0; i < count; i++) {
        Rng rng = rng_create(7, i);
        for (int point = 0; point < 200; point++) {
            DerivativePoint at = derivative_draw(&rows[i], &rng);
            DerivativeResult result = derivative_check(&rows[i], &at, 1e-6);
            ck_assert_msg(
                result.ok, "%s by variable %zu at x %.17g y %.17g c %.17g: tape %.17g formula %.17g difference %.17g",
                rows[i].function, rows[i].by, at.v[0], at.v[1], at.c, result.tape, result.formula, result.difference);
        }
    }
}

TEST(points_respect_the_conditions)
{
    size_t count;
    const Derivative *rows = derivatives(&count);
    for (size_t i = 0; i < count; i++) {
        Rng rng = rng_create(3, i);
        for (int point = 0; point < 500; point++) {
            DerivativePoint at = derivative_draw(&rows[i], &rng);
            ck_assert(fabs(at.v[0]) <= 4);
            if (strstr(rows[i].condition, "x > 0") != NULL)
                ck_assert_double_ge(at.v[0], 0.1);
            if (strstr(rows[i].condition, "x != 0") != NULL)
                ck_assert_double_ge(fabs(at.v[0]), 0.1);
            if (strstr(rows[i].condition, "c > 0") != NULL)
                ck_assert_double_ge(at.c, 0.1);
            if (strstr(rows[i].condition, "c != 1") != NULL)
                ck_assert_double_ge(fabs(at.c - 1), 0.19);
            if (strstr(rows[i].condition, "c whole") != NULL)
                ck_assert_double_eq(at.c, nearbyint(at.c));
        }
    }
}

TEST(a_wrong_formula_is_found)
{
    size_t count;
    Derivative row = derivatives(&count)[0];
    for (size_t i = 0; i < count; i++)
        if (strcmp(derivatives(&count)[i].function, "tanh(x)") == 0)
            row = derivatives(&count)[i];
    DerivativePoint at = {{0.7, NAN}, NAN};
    ck_assert(derivative_check(&row, &at, 1e-6).ok);
    row.derivative = derivatives(&count)[0].derivative; /* 0 */
    ck_assert(!derivative_check(&row, &at, 1e-6).ok);
}

/* The derivative of a constant is 0 and may be; the same row not marked so would prove nothing. */
TEST(a_zero_derivative_must_be_expected)
{
    size_t count;
    Derivative row = derivatives(&count)[0];
    DerivativePoint at = {{0.7, NAN}, 2};
    ck_assert_str_eq(row.function, "c");
    ck_assert(derivative_check(&row, &at, 1e-6).ok);
    row.zero = false;
    ck_assert(!derivative_check(&row, &at, 1e-6).ok);
}

TEST_MAIN("derivatives")
