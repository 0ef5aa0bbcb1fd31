/* Tests that fail on purpose, and a rank that fails, for test_harness.sh. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/process.h"
#include "tests/capture.h"
#include "tests/testing.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(passes)
{
    ck_assert_int_eq(1, 1);
}
END_TEST

START_TEST(asserts_wrongly)
{
    ck_assert_int_eq(1, 2);
}
END_TEST

START_TEST(crashes)
{
    raise(SIGSEGV);
}
END_TEST

START_TEST(exits_early)
{
    exit(0);
}
END_TEST

START_TEST(exits_early_quietly)
{
    _exit(0);
}
END_TEST

START_TEST(skips)
{
    skip_test("because %d", 7);
}
END_TEST

START_TEST(meets_exercise)
{
    EXERCISE_NOT_SOLVED("01.1");
}
END_TEST

static void
meet_exercise(void)
{
    EXERCISE_NOT_SOLVED("01.1");
}

START_TEST(meets_exercise_in_a_child)
{
    ck_assert_ends(meet_exercise, "another sentence");
}
END_TEST

START_TEST(hangs)
{
    for (;;)
        pause();
}
END_TEST

START_TEST(compares_nan)
{
    const float got[3] = {1, NAN, 3}, want[3] = {1, 2, 3};
    ck_assert_floats(got, want, 3, 0, 0);
}
END_TEST

START_TEST(compares_equal)
{
    const double got[3] = {1, 2, 3.0000001}, want[3] = {1, 2, 3};
    ck_assert_doubles(got, want, 3, 1e-6, 0);
}
END_TEST

START_TEST(leaks)
{
    char *volatile lost = malloc(1000);
    lost[0] = 1;
    lost = NULL;
}
END_TEST

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
    const TTest *const tests[] = {passes,
                                  asserts_wrongly,
                                  crashes,
                                  exits_early,
                                  exits_early_quietly,
                                  skips,
                                  meets_exercise,
                                  meets_exercise_in_a_child,
                                  compares_nan,
                                  compares_equal,
                                  leaks,
                                  hangs};
    if (argc == 2 && strcmp(argv[1], "leaks_mpi") == 0)
        return testing_run_mpi("failing", (const TTest *const[]){leaks}, 1, &argc, &argv);
    if (argc == 2)
        setenv("CK_RUN_CASE", argv[1], 1);
    return testing_run("failing", tests, sizeof(tests) / sizeof(tests[0]), true);
}
