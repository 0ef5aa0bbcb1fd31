/* Tests that fail on purpose, and a rank that fails, for test_harness.sh. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/process.h"
#include "tests/capture.h"
#include "tests/testing.h"

#include <signal.h>
#include <unistd.h>

TEST(passes)
{
    ck_assert_int_eq(1, 1);
}

TEST(asserts_wrongly)
{
    ck_assert_int_eq(1, 2);
}

TEST(crashes)
{
    raise(SIGSEGV);
}

TEST(exits_early)
{
    exit(0);
}

TEST(exits_early_quietly)
{
    _exit(0);
}

TEST(skips)
{
    skip_test("because %d", 7);
}

TEST(meets_exercise)
{
    EXERCISE_NOT_SOLVED("01.1");
}

static void
meet_exercise(void)
{
    EXERCISE_NOT_SOLVED("01.1");
}

TEST(meets_exercise_in_a_child)
{
    ck_assert_ends(meet_exercise, "another sentence");
}

TEST(hangs)
{
    for (;;)
        pause();
}

TEST(compares_nan)
{
    const float got[3] = {1, NAN, 3}, want[3] = {1, 2, 3};
    ck_assert_floats(got, want, 3, 0, 0);
}

TEST(compares_equal)
{
    const double got[3] = {1, 2, 3.0000001}, want[3] = {1, 2, 3};
    ck_assert_doubles(got, want, 3, 1e-6, 0);
}

TEST(fails_in_a_row)
{
    for (int row = 0; row < 3; row++) {
        testing_about("row %d", row);
        ck_assert_int_lt(row, 1);
    }
}

TEST_CALL(accepts_what_should_be_refused, ck_assert_refused(true, "words"))
TEST_CALL(refuses_in_other_words, ck_assert_refused(error_set(&error, "a sentence"), "words"))
TEST_CALL(refuses_without_a_word, ck_assert_refused(false, ""))

TEST(refuses_after_an_old_sentence)
{
    error_set(&error, "old words");
    ck_assert_refused(false, "words");
}

TEST_CALL(is_refused, ck_assert_ok(error_set(&error, "the reason")))
TEST_ENDS_CALL(does_not_end, "a sentence", ;)

TEST(leaks)
{
    char *volatile lost = malloc(1000);
    lost[0] = 1;
    lost = NULL;
}

/* failing            all tests
 * failing NAME       the one test of that name
 * failing leaks_mpi  that one as an MPI test
 * failing rank R     rank R fails while the others wait */
int
main(int argc, char **argv)
{
    if (argc == 3) {
        process_start(&argc, &argv);
        CHECK_THAT(process_rank() != atoi(argv[2]), "this rank fails on purpose");
        for (;;)
            pause();
    }
    const bool with_mpi = argc == 2 && strcmp(argv[1], "leaks_mpi") == 0;
    if (argc == 2)
        setenv("CK_RUN_CASE", with_mpi ? "leaks" : argv[1], 1);
    return with_mpi ? testing_run_mpi("failing", &argc, &argv) : testing_run("failing", true);
}
