/* How a test ended, from what its process left in the shared page and what Check says of its end.
 * SPDX-License-Identifier: MIT */
#include "grade_run.h"
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void set_result(GradeResult *result, GradeOutcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
set_result(GradeResult *result, GradeOutcome outcome, const char *format, ...)
{
    char sentence[GRADE_REASON];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    grade_clean(sentence, strlen(sentence), result->reason, sizeof(result->reason));
    result->outcome = outcome;
}

static const char *
signal_meaning(int number)
{
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
        return "a pointer or an index leads outside of its array";
    case SIGFPE:
        return "an integer was divided by zero";
    case SIGABRT:
        return "abort(), or memory that was written outside of its array";
    case SIGXFSZ:
        return "it printed more than 16 MiB";
    case SIGILL:
        return "an instruction that this processor does not know: a missing return?";
    default:
        return "see signal(7)";
    }
}

static void
judge_unsolved(GradeResult *result)
{
    snprintf(result->unsolved, sizeof(result->unsolved), "%s", grade_shared->exercise);
    bool own = strcmp(grade_shared->exercise, result->test->exercise) == 0;
    if (access(grade_shared->file, F_OK) != 0) /* tools/labs_grade.sh put the skeleton in its place */
        set_result(result, GRADE_UNSOLVED, "%s is missing", grade_shared->file);
    else
        set_result(result, GRADE_UNSOLVED,
                   own ? "exercise %s is not solved yet: write your lines at %s:%d"
                       : "it needs exercise %s, which is not solved yet: %s:%d",
                   grade_shared->exercise, grade_shared->file, grade_shared->line);
    result->output[0] = '\0';
}

/* The test of speed came to its end. */
static void
judge_speed(GradeResult *result)
{
    result->timed = true;
    result->ratio = grade_shared->ratio;
    bool valid = grade_shared->share >= 0 && grade_shared->share <= 1; /* a NaN is not */
    result->share = valid && !grade_shared->noisy ? grade_shared->share : 0;
    GradeOutcome outcome = grade_shared->noisy ? GRADE_NOISY : result->share == 1 ? GRADE_PASSED : GRADE_PARTLY;
    set_result(result, outcome, "%s", grade_shared->speed);
}

/* The test of counted work came to its end. */
static void
judge_counted(GradeResult *result)
{
    result->share = grade_shared->share >= 0 && grade_shared->share <= 1 ? grade_shared->share : 0;
    GradeOutcome outcome = grade_shared->noisy ? GRADE_NOISY : result->share == 1 ? GRADE_PASSED : GRADE_PARTLY;
    set_result(result, outcome, "%s", grade_shared->speed);
}

/* Check's own words tell how a process ended; they are the only trace of its status that Check leaves. */
static void
judge_end(GradeResult *result, const char *message)
{
    int number = 0;
    const char *signal_text = strstr(message, "Received signal "), *exit_text = strstr(message, "return value ");
    if (strstr(message, "timeout"))
        set_result(result, GRADE_ENDLESS, "it did not end within %g s: an endless loop, or far too slow",
                   result->test->seconds);
    else if (signal_text && strstr(result->output, "std::bad_alloc")) /* the emulator, which keeps what it counts */
        set_result(result, GRADE_CRASHED, "it used more memory than the 2 GiB that a test may: an endless loop?");
    else if (signal_text && sscanf(signal_text, "Received signal %d", &number) == 1)
        set_result(result, GRADE_CRASHED, "it crashed with signal %d (%s): %s", number, strsignal(number),
                   signal_meaning(number));
    else if (grade_sanitized && exit_text && strstr(result->output, "Sanitizer"))
        set_result(result, GRADE_CRASHED, "a sanitizer stopped it; its report begins:");
    else if (exit_text && sscanf(exit_text, "return value %d", &number) == 1)
        set_result(result, GRADE_ENDED, "the program ended with exit status %d in the middle of the test", number);
    else
        set_result(result, GRADE_ENDED, "%s", message);
}

void
grade_judge(GradeResult *result, TestResult *check)
{
    int how = check ? tr_rtype(check) : CK_ERROR;
    const char *message = check && tr_msg(check) ? tr_msg(check) : "Check returned no result";
    if (grade_shared->exercise[0] != '\0' && how != CK_PASS)
        judge_unsolved(result);
    else if (how == CK_FAILURE) {
        set_result(result, GRADE_WRONG, "%s", message);
        result->unwritten = grade_shared->unwritten;
    } else if (how != CK_PASS)
        judge_end(result, message);
    else if (!grade_shared->finished)
        set_result(result, GRADE_ENDED,
                   "the program was ended (exit, _exit, pthread_exit) in the middle of the test: a function "
                   "must return");
    else if (grade_shared->comparisons == 0)
        set_result(result, GRADE_ENDED, "the test compared nothing: please tell your teacher");
    else if (grade_shared->timed)
        judge_speed(result);
    else if (grade_shared->counted)
        judge_counted(result);
    else {
        result->outcome = GRADE_PASSED;
        result->share = 1;
    }
}

bool
grade_passed(const GradeResult *result)
{
    return result->outcome == GRADE_PASSED ||
           (result->outcome == GRADE_PARTLY && grade_points(result) == result->test->points);
}

double
grade_points(const GradeResult *result)
{
    return round(100 * result->share * result->test->points) / 100;
}

double
grade_most_points(const GradeResult *result)
{
    return result->outcome == GRADE_NOISY ? 0 : result->test->points;
}
