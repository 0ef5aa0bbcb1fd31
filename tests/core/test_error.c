/* One sentence about what went wrong. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "tests/testing.h"

TEST(set_writes_the_sentence_and_is_false)
{
    strcpy(error.text, "old");
    ck_assert(!error_set(&error, "line %d: %s", 3, "no digit"));
    ck_assert_str_eq(error.text, "line 3: no digit");
}

TEST_CALL(set_takes_null, ck_assert(!error_set(NULL, "nobody listens %d", 1)))

TEST(set_cuts_what_is_too_long)
{
    error_set(&error, "%2000d", 7);
    ck_assert_uint_eq(strlen(error.text), sizeof(error.text) - 1);
}

TEST(set_keeps_both_ends_of_what_is_too_long)
{
    char path[601] = "";
    memset(path, 'd', 600);
    error_set(&error, "first %s: no such file", path);
    ck_assert_uint_eq(strlen(error.text), sizeof(error.text) - 1);
    ck_assert_ptr_eq(strstr(error.text, "first ddd"), error.text);
    ck_assert_str_eq(strstr(error.text, ": no such file"), ": no such file");
    ck_assert_ptr_nonnull(strstr(error.text, "d [...] d"));
}

TEST(set_cuts_nothing_that_just_fits)
{
    error_set(&error, "%511d", 7);
    ck_assert_ptr_null(strstr(error.text, "..."));
    error_set(&error, "%512d", 7);
    ck_assert_ptr_nonnull(strstr(error.text, "..."));
    ck_assert_uint_eq(strlen(error.text), sizeof(error.text) - 1);
}

TEST(set_may_quote_the_old_text)
{
    error_set(&error, "no digit");
    error_set(&error, "line 3: %s", error.text);
    ck_assert_str_eq(error.text, "line 3: no digit");
}

TEST_MAIN("error")
