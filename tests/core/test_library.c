/* Libraries that are loaded while the program runs. SPDX-License-Identifier: MIT */
#include "core/library.h"
#include "tests/testing.h"

TEST(a_library_that_is_not_there_gets_a_sentence)
{
    static const char *const names[] = {"libnobodyhasthis.so.7", "libnorthat.so", NULL};
    ck_assert_refused(library_open(names, &error), "libnobodyhasthis.so.7");
    ck_assert_ptr_null(library_open(names, NULL));
    library_close(NULL);
}

TEST(the_first_name_that_is_there_is_loaded)
{
    static const char *const names[] = {"libnobodyhasthis.so.7", "libm.so.6", "libnorthat.so", NULL};
    void *library = library_open(names, &error);
    if (library == NULL)
        skip_test("this build loads no libraries, or this system has no libm.so.6");
    double (*root)(double) = (double (*)(double))library_function(library, "sqrt");
    ck_assert_ptr_nonnull(root);
    ck_assert_double_eq(root(9.0), 3.0);
    ck_assert_ptr_null(library_function(library, "no_such_function"));
    library_close(library);
}

TEST_MAIN("library")
