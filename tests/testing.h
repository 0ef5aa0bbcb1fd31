/* What every test program includes: Check, the comparers of src/ladder/verify.h, the headers of the C library that most tests
 * use, and a main.
 *
 *     TEST(rng_repeats) { ... }
 *     TEST(rng_shuffles) { ... }
 *     TEST_MAIN("rng")
 *
 * A test that cannot run here calls skip_test("reason"): the runner counts it as skipped. So does one that meets an exercise of
 * the labs that is not solved yet, which happens in a handout only.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include "core/error.h"
#include "ladder/verify.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef struct Test {
    const char *name, *file;
    int line;
    void (*body)(void);
    struct Test *next;
} Test;

/* TEST(name) { ... } defines a test and, before main, enters it in the list of those that main runs, in the order of the file. */
#define TEST(test_name)                                                                                                \
    static void test_name(void);                                                                                       \
    __attribute__((constructor)) static void test_name##_enters(void)                                                  \
    {                                                                                                                  \
        static Test test = {#test_name, __FILE__, __LINE__, test_name, NULL};                                          \
        testing_add(&test);                                                                                            \
    }                                                                                                                  \
    static void test_name(void)
void testing_add(Test *test);

/* A test that is one call. */
#define TEST_CALL(test_name, call)                                                                                     \
    TEST(test_name)                                                                                                    \
    {                                                                                                                  \
        call;                                                                                                          \
    }

/* TEST_WITH(name, variable, create, destroy) { ... } is a test whose body has `variable`, which is made before it and destroyed
 * behind it: destroy(variable). */
#define TEST_WITH(test_name, variable, create, destroy)                                                                \
    static void test_name##_with(__typeof__(create) variable);                                                         \
    TEST(test_name)                                                                                                    \
    {                                                                                                                  \
        __typeof__(create) variable = create;                                                                          \
        test_name##_with(variable);                                                                                    \
        destroy(variable);                                                                                             \
    }                                                                                                                  \
    static void test_name##_with(__typeof__(create) variable)

/* Runs the tests one by one in processes of their own (or in this one when fork is false: MPI and CUDA do not survive a
 * fork), each for at most 60 s (CK_DEFAULT_TIMEOUT changes that; in this process nobody watches but tools/run_tests.sh).
 * CK_FORK=no keeps all in this process, for a debugger. CK_RUN_CASE=name runs one test.
 * Prints failures and skipped tests, and last "suite: N passed, N failed, N skipped". Among several ranks a test has
 * passed if it has on every rank, and rank 0 prints. Returns the exit status, the same on all ranks. */
int testing_run(const char *suite_name, bool fork);

/* Marks the running test as skipped, with the reason, and leaves it. */
_Noreturn void skip_test(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True in the second half of `make test-all` (RUNGS_TEST_ALL=1), which runs every program that calls this again: for cases that
 * are slow and rarely fail. In `make test` the same loop takes fewer of them. */
bool test_thorough(void);

/* What the test looks at now, such as a row of its table: stands behind its name if it fails. */
void testing_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A path in a fresh folder of this test program's own (one for all its ranks), removed when it ends. The text is static and
 * lives until the eighth call after it. */
const char *testing_path(const char *file_name);

/* Writes `size` bytes to testing_path(file_name) and returns that path. */
const char *testing_write(const char *file_name, const void *bytes, size_t size);

/* What the last call that was refused said; empty when a test begins. */
extern Error error;

/* Fails unless the call, which got &error, returned something other than false, NULL or 0; says why it was refused. */
#define ck_assert_ok(call) testing_ok((call), #call, __FILE__, __LINE__)

/* Fails unless the call, which got &error, was refused with a sentence that has these words. */
#define ck_assert_refused(call, words)                                                                                 \
    (error.text[0] = '\0', testing_refused((call), (words), #call, __FILE__, __LINE__))

void testing_ok(bool done, const char *what, const char *file, int line);
void testing_refused(bool done, const char *words, const char *what, const char *file, int line);

/* Fails unless |got - want| <= atol + rtol |want| for all n; says how many are wrong and which is first. */
#define ck_assert_floats(got, want, n, atol, rtol)                                                                     \
    ck_assert_verdict(verify_floats((got), (want), (n), (atol), (rtol)), "%s", #got)
#define ck_assert_doubles(got, want, n, atol, rtol)                                                                    \
    ck_assert_verdict(verify_doubles((got), (want), (n), (atol), (rtol)), "%s", #got)

/* Fails unless the verdict is ok; what was wrong stands behind the text, which is as printf. */
#define ck_assert_verdict(verdict, ...) testing_verdict((verdict), __FILE__, __LINE__, __VA_ARGS__)

void testing_verdict(Verdict verdict, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define TEST_MAIN(suite_name)                                                                                          \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return testing_run(suite_name, true);                                                                          \
    }

/* For programs named test_<topic>_mpi.c, which tools/run_tests.sh starts on 1, 2, 3, 4 and 7 ranks. A test is called on all
 * of them. Ranks that fail leave the test: agree on the verdict (MPI_Allreduce) before you assert, or the others wait. */
#define TEST_MAIN_MPI(suite_name)                                                                                      \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return testing_run_mpi(suite_name, &argc, &argv);                                                              \
    }
int testing_run_mpi(const char *suite_name, int *argc, char ***argv);

#endif
