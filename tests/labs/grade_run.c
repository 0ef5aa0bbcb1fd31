/* One test, one process: Check forks, this file says what the process may use, catches what it prints, and finds out how it
 * ended.
 * SPDX-License-Identifier: MIT */
#include "grade_run.h"
#include "core/checked.h"
#include "core/clock.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ /* clang's way to say what gcc says like this */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
const bool grade_sanitized = true;
#else
const bool grade_sanitized = false;
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
    /* A shell's background job ignores it, and then Ctrl-C would end one test and not the grading. */
    signal(SIGINT, SIG_DFL);
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

void
grade_limit_memory(size_t bytes)
{
    const size_t data = data_size();
    struct rlimit memory;
    if (data == 0 || grade_sanitized || getrlimit(RLIMIT_DATA, &memory) != 0)
        return;
    memory.rlim_cur = data + bytes < memory.rlim_max ? data + bytes : memory.rlim_max;
    setrlimit(RLIMIT_DATA, &memory);
}

/* A runaway malloc gets NULL after 2 GiB, and a runaway printf a signal after 16 MiB, before the machine suffers. */
static void
set_limits(void)
{
    struct rlimit file = {16 << 20, 16 << 20}, core = {0, 0};
    grade_limit_memory(GRADE_MEMORY);
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

/* Whatever ends the grader, an endless loop ends with it. */
static void
die_with_grader(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
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
    die_with_grader(); /* last: another user's process forgets it */
}

/* Check calls this only if the body of the test returned. */
static void
after_test(void)
{
    grade_shared->finished = true;
}

/* ---- in the grader ------------------------------------------------------------------------------------------------- */

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
    char *report = grade_sanitized ? strstr(text, "ERROR: ") : NULL;
    char *behind = report;
    for (int lines = 0; behind && lines < 10; lines++)
        behind = strchr(behind, '\n') ? strchr(behind, '\n') + 1 : NULL;
    const char *shown = report ? report : text;
    grade_clean(shown, behind ? (size_t)(behind - shown) : length - (size_t)(shown - text), output, GRADE_OUTPUT);
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
    tcase_set_timeout(tcase, test->seconds * (grade_sanitized ? 5 : 1));
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
    grade_judge(&result, srunner_ntests_run(runner) == 1 ? results[0] : NULL);
    free(results);
    srunner_free(runner);
    return result;
}
