/* The message of a checked call that fails. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "tests/capture.h"
#include "tests/testing.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

static int something; /* has an address */

static void
fail_errno(void *context)
{
    *(int *)context = __LINE__ + 1;
    CHECK_ERRNO(close(-7));
}

static void
fail_pointer(void *context)
{
    FILE *file = NULL;
    (void)context;
    CHECK_POINTER(file = fopen("/no/such/folder/file", "r"));
    (void)file;
}

static void
fail_zero(void *context)
{
    (void)context;
    CHECK_ZERO(EAGAIN);
}

static void
fail_that(void *context)
{
    const int *rows = context;
    CHECK_THAT(*rows == 4, "%d rows, but 4 were expected", *rows);
}

static void
pass_all(void *context)
{
    (void)context;
    CHECK_ERRNO(dup(STDOUT_FILENO));
    CHECK_POINTER(context);
    CHECK_ZERO(0);
    CHECK_THAT(1 + 1 == 2, "never");
}

static void
fail_array(void *context)
{
    (void)context;
    array_create(SIZE_MAX, 2);
}

static void
assert_has(const Captured *captured, const char *part)
{
    ck_assert_msg(strstr(captured->text, part) != NULL, "\"%s\" is not in: %s", part, captured->text);
}

TEST(errno_call_names_call_place_and_reason)
{
    int *line = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const Captured captured = capture(fail_errno, line);
    char want[128];
    snprintf(want, sizeof(want), "rungs: tests/core/test_checked.c:%d: close(-7): Bad file descriptor\n", *line);
    ck_assert_int_eq(captured.status, 1);
    ck_assert_str_eq(captured.text, want);
    munmap(line, sizeof(int));
}

TEST(pointer_call_is_quoted_as_written)
{
    const Captured captured = capture(fail_pointer, NULL);
    ck_assert_int_eq(captured.status, 1);
    assert_has(&captured, "file = fopen(\"/no/such/folder/file\", \"r\"): No such file or directory\n");
}

TEST(error_number_becomes_its_text)
{
    const Captured captured = capture(fail_zero, NULL);
    ck_assert_int_eq(captured.status, 1);
    assert_has(&captured, "EAGAIN: Resource temporarily unavailable\n");
}

TEST(condition_gets_the_callers_reason)
{
    int rows = 3;
    const Captured captured = capture(fail_that, &rows);
    ck_assert_int_eq(captured.status, 1);
    assert_has(&captured, "*rows == 4: 3 rows, but 4 were expected\n");
}

TEST(calls_that_succeed_go_on)
{
    const Captured captured = capture(pass_all, &something);
    ck_assert_int_eq(captured.status, CAPTURED_RETURNED);
    ck_assert_str_eq(captured.text, "");
}

TEST(array_too_large_ends_the_program)
{
    const Captured captured = capture(fail_array, NULL);
    ck_assert_int_eq(captured.status, 1);
    assert_has(&captured, "do not fit into memory");
}

static void
meet_exercise(void *context)
{
    (void)context;
    EXERCISE_NOT_SOLVED("02.3");
}

TEST(unsolved_exercise_says_which_and_where)
{
    checked_unsolved_hook = NULL; /* of tests/testing.c */
    const Captured captured = capture(meet_exercise, NULL);
    ck_assert_int_eq(captured.status, 1);
    assert_has(&captured, "exercise 02.3 is not solved yet");
    assert_has(&captured, "tests/core/test_checked.c:");
}

static jmp_buf grader;
static char met[8];

static void
note_exercise(const char *exercise, const char *file, int line)
{
    (void)file, (void)line;
    snprintf(met, sizeof(met), "%s", exercise);
    longjmp(grader, 1);
}

TEST(unsolved_hook_may_leave_by_longjmp)
{
    checked_unsolved_hook = note_exercise;
    if (setjmp(grader) == 0)
        EXERCISE_NOT_SOLVED("01.1");
    ck_assert_str_eq(met, "01.1");
}

static void
ignore_exercise(const char *exercise, const char *file, int line)
{
    (void)exercise, (void)file, (void)line;
}

TEST(unsolved_ends_the_program_if_the_hook_returns)
{
    checked_unsolved_hook = ignore_exercise;
    const Captured captured = capture(meet_exercise, NULL);
    ck_assert_int_eq(captured.status, 1);
}

TEST_MAIN("checked")
