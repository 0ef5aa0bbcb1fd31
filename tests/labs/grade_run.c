/* One test, one process: Check forks, this file says what the process may use, catches what it prints, and finds out how it
 * ended.
 * SPDX-License-Identifier: MIT */
#include "grade_run.h"
#include "core/checked.h"
#include "core/clock.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
static const bool sanitized = true; /* several times slower, and reserves terabytes of addresses */
#else
static const bool sanitized = false;
#endif

/* Global, because the test's functions have no argument to pass it through. */
GradeShared *grade_shared;
static FILE *printed; /* what the test's process prints */

void
grade_start(uint64_t seed)
{
    /* Check reads these; a test that ran alone or without fork because of them would be graded wrongly. */
    static const char *const variables[] = {
        "CK_RUN_CASE",          "CK_RUN_SUITE", "CK_INCLUDE_TAGS",      "CK_EXCLUDE_TAGS",      "CK_FORK",
        "CK_LOG_FILE_NAME",     "CK_VERBOSITY", "CK_TAP_LOG_FILE_NAME", "CK_XML_LOG_FILE_NAME", "CK_MAX_MSG_SIZE",
        "CK_TIMEOUT_MULTIPLIER"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        unsetenv(variables[i]);
    grade_shared = mmap(NULL, sizeof(*grade_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK_THAT(grade_shared != MAP_FAILED, "%s", strerror(errno));
    grade_shared->seed = seed;
    CHECK_POINTER(printed = tmpfile());
}

/* ---- in the test's process ----------------------------------------------------------------------------------------- */

static void
note_unsolved(const char *exercise, const char *file, int line)
{
    snprintf(grade_shared->exercise, sizeof(grade_shared->exercise), "%s", exercise);
    snprintf(grade_shared->file, sizeof(grade_shared->file), "%s", file);
    grade_shared->line = line;
}

/* Bytes of data and stacks that this process has mapped; 0 if the system does not tell. */
static size_t
data_size(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A runaway malloc gets NULL after 2 GiB, and a runaway printf a signal after 16 MiB, before the machine suffers. */
static void
set_limits(void)
{
    size_t data = data_size();
    struct rlimit memory = {data + ((size_t)2 << 30), data + ((size_t)2 << 30)}, file = {16 << 20, 16 << 20},
                  core = {0, 0};
    if (data > 0 && !sanitized)
        setrlimit(RLIMIT_DATA, &memory);
    setrlimit(RLIMIT_FSIZE, &file);
    setrlimit(RLIMIT_CORE, &core);
}

/* GRADE_UID=65534: student's code as nobody, where the grader runs as root (Gradescope). */
static void
leave_root(void)
{
    const char *text = getenv("GRADE_UID");
    if (text == NULL || geteuid() != 0)
        return;
    CHECK_ERRNO(setgid((gid_t)atoi(text)));
    CHECK_ERRNO(setuid((uid_t)atoi(text)));
}

static void
before_test(void)
{
    dup2(fileno(printed), STDOUT_FILENO);
    dup2(fileno(printed), STDERR_FILENO);
    setvbuf(stdout, NULL, _IONBF, 0); /* a crash would lose what stands in a buffer */
    checked_unsolved_hook = note_unsolved;
    set_limits();
    leave_root();
}

/* Check calls this only if the body of the test returned. */
static void
after_test(void)
{
    grade_shared->finished = true;
}

/* ---- in the grader ------------------------------------------------------------------------------------------------- */

/* Length of the UTF-8 character at s, 0 if there is none: a bare byte above 127 would make the JSON invalid. */
static size_t
utf8_length(const unsigned char *s, size_t left)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe1 && s[0] < 0xed ? 3 : 0;
    if (length == 0 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : length; /* control characters again */
}

void
grade_clean(const char *from, size_t length, char *to, size_t size)
{
    const unsigned char *s = (const unsigned char *)from;
    size_t first = length < size ? 0 : length - (size - 1);
    for (size_t i = first; first > 0 && i < length; i++)
        if (s[i] == '\n') { /* cut at a line's beginning, if one is near */
            first = i + 1;
            break;
        }
    size_t written = 0;
    for (size_t i = first, step; i < length; i += step) {
        step = utf8_length(s + i, length - i);
        bool plain = step > 1 || (step == 1 && s[i] >= ' ' && s[i] != 0x7f) || s[i] == '\n';
        for (size_t j = 0; plain && j < step; j++)
            to[written++] = (char)s[i + j];
        if (!plain)
            to[written++] = s[i] == '\t' ? ' ' : '?';
        step = step == 0 ? 1 : step;
    }
    to[written] = '\0';
}

static void
read_output(char *output)
{
    char text[8 * GRADE_OUTPUT];
    off_t end = lseek(fileno(printed), 0, SEEK_END);
    off_t first = end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0;
    ssize_t got = pread(fileno(printed), text, sizeof(text) - 1, first);
    size_t length = got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    /* What matters in a sanitizer's report stands in its first lines. */
    char *report = sanitized ? strstr(text, "ERROR: ") : NULL;
    char *behind = report;
    for (int lines = 0; behind && lines < 10; lines++)
        behind = strchr(behind, '\n') ? strchr(behind, '\n') + 1 : NULL;
    const char *shown = report ? report : text;
    grade_clean(shown, behind ? (size_t)(behind - shown) : length - (size_t)(shown - text), output, GRADE_OUTPUT);
}

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
    set_result(result, GRADE_UNSOLVED,
               own ? "exercise %s is not solved yet: write your lines at %s:%d"
                   : "it needs exercise %s, which is not solved yet: %s:%d",
               grade_shared->exercise, grade_shared->file, grade_shared->line);
    result->output[0] = '\0';
}

/* Check's own words tell how a process ended; they are the only trace of its status that Check leaves. */
static void
judge_end(GradeResult *result, const char *message)
{
    int number = 0;
    const char *signal_text = strstr(message, "Received signal "), *exit_text = strstr(message, "return value ");
    if (strstr(message, "timeout"))
        set_result(result, GRADE_ENDLESS, "it did not end within %g s: an endless loop?", result->test->seconds);
    else if (signal_text && sscanf(signal_text, "Received signal %d", &number) == 1)
        set_result(result, GRADE_CRASHED, "it crashed with signal %d (%s): %s", number, strsignal(number),
                   signal_meaning(number));
    else if (sanitized && exit_text && strstr(result->output, "Sanitizer"))
        set_result(result, GRADE_CRASHED, "a sanitizer stopped it; its report begins:");
    else if (exit_text && sscanf(exit_text, "return value %d", &number) == 1)
        set_result(result, GRADE_ENDED, "the program ended with exit status %d in the middle of the test", number);
    else
        set_result(result, GRADE_ENDED, "%s", message);
}

static void
judge(GradeResult *result, TestResult *check)
{
    int how = check ? tr_rtype(check) : CK_ERROR;
    const char *message = check && tr_msg(check) ? tr_msg(check) : "Check returned no result";
    if (grade_shared->exercise[0] != '\0' && how != CK_PASS)
        judge_unsolved(result);
    else if (how == CK_FAILURE)
        set_result(result, GRADE_WRONG, "%s", message);
    else if (how != CK_PASS)
        judge_end(result, message);
    else if (!grade_shared->finished)
        set_result(result, GRADE_ENDED,
                   "the program was ended (exit, _exit, pthread_exit) in the middle of the test: a function "
                   "must return");
    else if (grade_shared->comparisons == 0)
        set_result(result, GRADE_ENDED, "the test compared nothing: please tell your teacher");
    else
        result->outcome = GRADE_PASSED;
}

GradeResult
grade_run(const GradeLab *lab, const GradeTest *test, uint64_t stream)
{
    GradeResult result = {.lab = lab, .test = test};
    *grade_shared = (GradeShared){.seed = grade_shared->seed, .stream = stream};
    CHECK_ERRNO(ftruncate(fileno(printed), 0));
    CHECK_ERRNO(lseek(fileno(printed), 0, SEEK_SET));

    Suite *suite = suite_create(lab->number);
    TCase *tcase = tcase_create(test->exercise);
    tcase_add_checked_fixture(tcase, before_test, after_test);
    tcase_set_timeout(tcase, test->seconds * (sanitized ? 5 : 1));
    tcase_add_test(tcase, *test->test);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    fflush(NULL); /* or the test's process would print our buffers once more */
    double start = clock_now();
    srunner_run_all(runner, CK_SILENT);
    result.seconds = clock_now() - start;
    read_output(result.output);
    TestResult **results = srunner_results(runner);
    judge(&result, srunner_ntests_run(runner) == 1 ? results[0] : NULL);
    free(results);
    srunner_free(runner);
    return result;
}
