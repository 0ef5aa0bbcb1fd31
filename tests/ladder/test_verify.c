/* The comparers and the guards. SPDX-License-Identifier: MIT */
#include "ladder/verify.h"
#include "tests/testing.h"

static bool
accepts(double got, double want, double atol, double rtol)
{
    Verdict doubles = verify_doubles(&got, &want, 1, atol, rtol);
    float got_float = (float)got, want_float = (float)want;
    Verdict floats = verify_floats(&got_float, &want_float, 1, atol, rtol);
    Verdict against = verify_against(&got_float, &want, 1, atol, rtol);
    ck_assert_int_eq(verdict_ok(&doubles), verdict_ok(&floats));
    ck_assert_int_eq(verdict_ok(&doubles), verdict_ok(&against));
    ck_assert_int_eq(verdict_ok(&doubles), doubles.max_error <= 1.0);
    return verdict_ok(&doubles);
}

TEST(equal_is_ok)
{
    ck_assert(accepts(1.5, 1.5, 0.0, 0.0));
    ck_assert(accepts(0.0, -0.0, 0.0, 0.0));
}

TEST(nan_is_wrong_on_either_side)
{
    ck_assert(!accepts(NAN, 1.0, 1e9, 1e9));
    ck_assert(!accepts(1.0, NAN, 1e9, 1e9));
    ck_assert(!accepts(NAN, NAN, 1e9, 1e9));
}

TEST(a_tolerance_of_nan_accepts_nothing)
{
    ck_assert(!accepts(1.0, 1.5, NAN, 0.0));
    ck_assert(!accepts(1.0, 1.5, 0.0, NAN));
}

TEST(infinity_is_right_only_where_it_is_wanted)
{
    ck_assert(accepts(INFINITY, INFINITY, 0.0, 1e-5));
    ck_assert(!accepts(-INFINITY, INFINITY, 0.0, 1e-5));
    ck_assert(!accepts(5.0, INFINITY, 0.0, 1e-5)); /* though rtol * infinity is infinite */
    ck_assert(!accepts(INFINITY, 5.0, 1e30, 1e-5));
}

TEST(tolerances_add_up)
{
    ck_assert(accepts(10.75, 10.0, 0.25, 0.05));
    ck_assert(!accepts(10.8125, 10.0, 0.25, 0.05));
    ck_assert(accepts(-9.25, -10.0, 0.25, 0.05)); /* relative to |want| */
    ck_assert(!accepts(1.0, 0.0, 0.0, 0.5));      /* nothing is relative to 0 */
}

TEST(zeros_and_doubles_are_wrong)
{
    ck_assert(!accepts(0.0, 3.0, 1e-3, 1e-3));
    ck_assert(!accepts(6.0, 3.0, 1e-3, 1e-3));
}

TEST(wrong_elements_are_counted_and_the_first_is_named)
{
    const float got[] = {1, 2, NAN, 4, 9}, want[] = {1, 2, 3, 4, 5};
    Verdict verdict = verify_floats(got, want, 5, 1e-6, 0.0);
    ck_assert_uint_eq(verdict.count, 5);
    ck_assert_uint_eq(verdict.wrong, 2);
    ck_assert_uint_eq(verdict.first, 2);
    ck_assert(isnan(verdict.got));
    ck_assert_double_eq(verdict.want, 3.0);
    ck_assert(isinf(verdict.max_error));
    char text[128];
    verdict_print(&verdict, text, sizeof text);
    ck_assert_str_eq(text, "2 of 5 wrong, first [2]: got nan, want 3");
}

TEST(the_last_element_is_compared)
{
    const double got[] = {1, 2, 4}, want[] = {1, 2, 3};
    Verdict verdict = verify_doubles(got, want, 3, 0.5, 0.0);
    ck_assert_uint_eq(verdict.wrong, 1);
    ck_assert_uint_eq(verdict.first, 2);
    ck_assert_double_eq(verdict.max_error, 2.0);
}

TEST(nothing_to_compare_is_ok)
{
    Verdict verdict = verify_floats(NULL, NULL, 0, 0.0, 0.0);
    ck_assert(verdict_ok(&verdict));
    ck_assert_uint_eq(verdict.count, 0);
}

TEST(a_float_is_compared_with_all_digits_of_a_double)
{
    const float got = 1.0f;
    const double want = 1.0 + 1e-9;
    Verdict verdict = verify_against(&got, &want, 1, 0.0, 1e-10);
    ck_assert(!verdict_ok(&verdict));
    verdict = verify_against(&got, &want, 1, 0.0, 1e-8);
    ck_assert(verdict_ok(&verdict));
}

TEST(each_element_may_have_its_own_bound)
{
    const float got[] = {1.5f, 1.5f};
    const double want[] = {1.0, 1.0}, tolerance[] = {0.5, 0.25};
    Verdict verdict = verify_within(got, want, tolerance, 2);
    ck_assert_uint_eq(verdict.wrong, 1);
    ck_assert_uint_eq(verdict.first, 1);
    ck_assert_double_eq(verdict.max_error, 2.0);
}

TEST(whole_numbers_must_be_equal)
{
    const int32_t got[] = {0, -1, INT32_MAX, INT32_MIN, 16777217};
    double want[] = {0, -1, INT32_MAX, INT32_MIN, 16777217}; /* the last one is no float */
    Verdict verdict = verify_integers(got, want, 5);
    ck_assert(verdict_ok(&verdict) && verdict.count == 5 && verdict.max_error == 0.0);
    want[4] = 16777216;
    want[1] = -1.5;
    want[0] = NAN;
    verdict = verify_integers(got, want, 5);
    ck_assert_uint_eq(verdict.wrong, 3);
    ck_assert_uint_eq(verdict.first, 0);
    Guarded guarded = guarded_create(3); /* floats of poison are wrong numbers */
    verdict = verify_integers(guarded.x, want, 3);
    ck_assert_uint_eq(verdict.wrong, 3);
    guarded_free(&guarded);
}

TEST(an_error_just_above_one_tolerance_is_above_one)
{
    const double got = nextafter(nextafter(1.0, 2.0), 2.0), want = 0.0, tolerance = nextafter(1.0, 2.0);
    Verdict verdict = verify_doubles(&got, &want, 1, tolerance, 0.0);
    ck_assert(!verdict_ok(&verdict));
    ck_assert(verdict.max_error > 1.0);
}

TEST(guarded_buffers_are_aligned_and_poisoned)
{
    static const size_t lengths[] = {0, 1, 7, 16, 1001};
    for (int i = 0; i < 5; i++) {
        Guarded guarded = guarded_create(lengths[i]);
        ck_assert_uint_eq((uintptr_t)guarded.x % 64, 0);
        ck_assert_uint_eq(guarded.n, lengths[i]);
        ck_assert(guarded_intact(&guarded));
        for (size_t j = 0; j < lengths[i]; j++)
            ck_assert(isnan(guarded.x[j]));
        guarded_free(&guarded);
        ck_assert_ptr_null(guarded.base);
        guarded_free(&guarded); /* a second time does no harm */
    }
}

TEST(writing_inside_leaves_the_guards_alone)
{
    Guarded guarded = guarded_create(5);
    memset(guarded.x, 0, 5 * sizeof(float));
    ck_assert(guarded_intact(&guarded));
    guarded_free(&guarded);
}

TEST(every_guard_word_counts_and_poisoning_renews_them)
{
    Guarded guarded = guarded_create(5);
    for (int at = -64; at < 5 + 64; at++) {
        if (at >= 0 && at < 5)
            continue;
        guarded.x[at] += 1.0f;
        ck_assert_msg(!guarded_intact(&guarded), "x[%d]", at);
        guarded_poison(&guarded);
        ck_assert(guarded_intact(&guarded));
    }
    guarded_free(&guarded);
}

TEST(an_overrun_is_not_ok_and_is_printed)
{
    Verdict verdict = {.count = 3, .overrun = true};
    char text[128], few[8];
    ck_assert(!verdict_ok(&verdict));
    verdict_print(&verdict, text, sizeof text);
    ck_assert_str_eq(text, "wrote outside the output");
    verdict_print(&verdict, few, sizeof few); /* cut to size */
    ck_assert_str_eq(few, "wrote o");
    verdict = (Verdict){.count = 3, .wrong = 1, .first = 2, .got = 0.0, .want = 1.0, .overrun = true};
    verdict_print(&verdict, text, sizeof text);
    ck_assert_str_eq(text, "1 of 3 wrong, first [2]: got 0, want 1; wrote outside the output");
    verdict = (Verdict){.count = 3};
    verdict_print(&verdict, text, sizeof text);
    ck_assert_str_eq(text, "ok");
}

TEST_MAIN("verify")
