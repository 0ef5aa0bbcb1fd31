/* Runs the tests of one program under Check, and says what came of them.
 *
 * Check alone takes exit(0) in the middle of a test for success, and knows no skipping. Here a page that parent and child
 * share says how far the test came.
 * SPDX-License-Identifier: MIT */
#include "tests/testing.h"
#include "core/checked.h"
#include "core/process.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#endif
#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ /* clang's way to say what gcc says like this */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

/* Ordered: over several ranks the largest counts. */
typedef enum State { NOT_RUN, STARTED, DONE, SKIPPED, FAILED } State;

typedef struct Page {
    State state;
    char reason[512]; /* why it was skipped */
    char about[256];  /* testing_about, in parentheses */
} Page;

/* Global, because Check calls a test with nothing but a number. */
static Page *page;
static Test *tests, *running;
Error error;
static pid_t runner;
static jmp_buf before_test;

/* Constructors of a file run in the order that the compiler chose. */
void
testing_add(Test *test)
{
    Test **place = &tests;
    while (*place && (*place)->line <= test->line)
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

static void
run_test(int unused)
{
    (void)unused;
    page->state = STARTED;
    page->about[0] = '\0';
    error.text[0] = '\0';
    if (setjmp(before_test) != 0)
        return; /* skip_test in this process */
    running->body();
    page->state = DONE;
}

void
testing_about(const char *format, ...)
{
    char text[sizeof(page->about) - 3];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(page->about, sizeof(page->about), " (%s)", text);
}

void
skip_test(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(page->reason, sizeof(page->reason), format, arguments);
    va_end(arguments);
    page->state = SKIPPED;
    if (getpid() == runner)
        longjmp(before_test, 1);
    _exit(0); /* what the test had allocated is no leak of its own making */
}

/* In a handout of the labs the library is built from a student's files: what they do not have yet cannot be tested. */
static void
skip_unsolved(const char *exercise, const char *file, int line)
{
    skip_test("exercise %s is not solved yet: %s:%d", exercise, file, line);
}

/* "tests/core/test_rng.c:41: text"; the ranks' lines are told apart. */
static void
print_result(const char *verdict, const char *name, const char *file, int line, const char *text)
{
    char rank[32] = "", place[512] = "";
    if (process_count() > 1)
        snprintf(rank, sizeof(rank), " on rank %d", process_rank());
    if (file)
        snprintf(place, sizeof(place), "%s:%d: ", file, line);
    printf("%s %s%s%s: %s%s\n", verdict, name, page->about, rank, place, text);
    fflush(stdout);
}

static State
judge(SRunner *srunner, const Test *test)
{
    if (srunner_ntests_run(srunner) == 0)
        return NOT_RUN; /* CK_RUN_CASE chose another */
    State state = page->state;
    if (srunner_ntests_failed(srunner) > 0 &&
        state != SKIPPED) { /* a child may have skipped what its parent waits for */
        TestResult **results = srunner_failures(srunner);
        print_result("FAILED", test->name, tr_lfile(results[0]), tr_lno(results[0]), tr_msg(results[0]));
        free(results);
        state = FAILED;
    } else if (state == SKIPPED) {
        print_result("skipped", test->name, NULL, 0, page->reason);
    } else if (state != DONE) {
        print_result("FAILED", test->name, test->file, test->line, "ended the process before the end of the test");
        state = FAILED;
    }
    return state;
}

/* Each test gets a runner of its own, so that its failure is on the screen before the next one can hang. */
static State
run_one(const char *suite_name, Test *test, bool fork)
{
    running = test;
    const TTest step = {test->name, run_test, test->file, test->line};
    TCase *tcase = tcase_create(test->name);
    if (!getenv("CK_DEFAULT_TIMEOUT"))
        tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, &step);
    Suite *suite = suite_create(suite_name);
    suite_add_tcase(suite, tcase);
    SRunner *srunner = srunner_create(suite);
    if (!fork)
        srunner_set_fork_status(srunner, CK_NOFORK);

    fflush(NULL); /* or a child would print the parent's text again */
    page->state = NOT_RUN;
    srunner_run_all(srunner, CK_SILENT);
    const State state = judge(srunner, test);
    srunner_free(srunner);
    return state;
}

/* The worst state on any rank. */
static State
agree(State state)
{
#ifdef HAVE_MPI
    if (process_count() > 1) {
        int mine = (int)state, worst = (int)state;
        CHECK_MPI(MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        return (State)worst;
    }
#endif
    return state;
}

/* ---- the folder -------------------------------------------------------------------------------------- */

static char folder[256];

static void
create_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/rungs-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (process_rank() == 0 && !mkdtemp(folder)) {
        perror(folder);
        process_abort(1);
    }
#ifdef HAVE_MPI
    if (process_count() > 1)
        CHECK_MPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, MPI_COMM_WORLD));
#endif
}

/* A test may have left folders that nobody may write to. */
static int
open_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)walk;
    if (type == FTW_D || type == FTW_DNR)
        chmod(path, 0700);
    return 0;
}

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static void
remove_folder(void)
{
    if (process_rank() != 0)
        return;
    nftw(folder, open_entry, 16, FTW_PHYS);
    nftw(folder, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
}

bool
test_thorough(void)
{
    const char *all = getenv("RUNGS_TEST_ALL");
    return all != NULL && *all != '\0';
}

const char *
testing_path(const char *file_name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, file_name);
    return path;
}

const char *
testing_write(const char *file_name, const void *bytes, size_t size)
{
    const char *path = testing_path(file_name);
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "cannot create %s", path);
    const size_t written = size ? fwrite(bytes, 1, size, file) : 0;
    ck_assert_msg(fclose(file) == 0 && written == size, "cannot write %s", path);
    return path;
}

/* ---- the run ----------------------------------------------------------------------------------------- */

int
testing_run(const char *suite_name, bool fork)
{
    page = mmap(NULL, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    runner = getpid();
    checked_unsolved_hook = skip_unsolved;
    create_folder();
    int number[FAILED + 1] = {0};
    for (Test *test = tests; test; test = test->next)
        number[agree(run_one(suite_name, test, fork))]++;
    remove_folder();
    munmap(page, sizeof(Page));
    if (number[DONE] + number[FAILED] + number[SKIPPED] == 0) {
        const char *wanted = getenv("CK_RUN_CASE");
        number[FAILED] = 1;
        if (process_rank() == 0)
            printf("%s: no test was run: CK_RUN_CASE=%s is none of its tests\n", suite_name, wanted ? wanted : "");
    }
    if (process_rank() == 0)
        printf("%s: %d passed, %d failed, %d skipped\n", suite_name, number[DONE], number[FAILED], number[SKIPPED]);
    return number[FAILED] > 0;
}

/* Leaks are looked for before MPI ends: afterwards its plug-ins are unloaded, and what they keep cannot be told from ours. */
static void
check_leaks(void)
{
#ifdef __SANITIZE_ADDRESS__
    __lsan_do_leak_check();
#endif
}

int
testing_run_mpi(const char *suite_name, int *argc, char ***argv)
{
    process_start(argc, argv);
    const int status = testing_run(suite_name, false);
    check_leaks();
    process_stop();
    return status;
}

/* ---- comparers --------------------------------------------------------------------------------------- */

void
testing_verdict(Verdict verdict, const char *file, int line, const char *format, ...)
{
    char what[512], text[256];
    if (verdict_ok(&verdict)) {
        _mark_point(file, line);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    verdict_print(&verdict, text, sizeof(text));
    _ck_assert_failed(file, line, what, "%s: %s", what, text);
}

void
testing_ok(bool done, const char *what, const char *file, int line)
{
    if (done)
        _mark_point(file, line);
    else
        _ck_assert_failed(file, line, what, "%s: %s", what, error.text);
}

void
testing_refused(bool done, const char *words, const char *what, const char *file, int line)
{
    if (done)
        _ck_assert_failed(file, line, what, "%s was not refused with \"%s\"", what, words);
    if (error.text[0] == '\0' || !strstr(error.text, words))
        _ck_assert_failed(file, line, what, "%s: \"%s\" does not say \"%s\"", what, error.text, words);
    _mark_point(file, line);
}
