/* What every test program includes: Check, the comparers of src/ladder/verify.h, and a main.
 *
 *     START_TEST(rng_repeats) { ... } END_TEST
 *     TEST_MAIN("rng", rng_repeats, rng_shuffles)
 *
 * A test that cannot run here calls skip_test("reason"): the runner counts it as skipped. So does one that meets an exercise of
 * the labs that is not solved yet, which happens in a handout only.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

/* Runs the tests one by one in processes of their own (or in this one when fork is false: MPI and CUDA do not survive a
 * fork), each for at most 60 s (CK_DEFAULT_TIMEOUT changes that; in this process nobody watches but tools/run_tests.sh).
 * CK_FORK=no keeps all in this process, for a debugger. CK_RUN_CASE=name runs one test.
 * Prints failures and skipped tests, and last "suite: N passed, N failed, N skipped". Among several ranks a test has
 * passed if it has on every rank, and rank 0 prints. Returns the exit status, the same on all ranks. */
int testing_run(const char *suite_name, const TTest *const *tests, size_t count, bool fork);

/* Marks the running test as skipped, with the reason, and leaves it. */
_Noreturn void skip_test(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True in the second half of `make test-all` (RUNGS_TEST_ALL=1), which runs every program that calls this again: for cases that
 * are slow and rarely fail. In `make test` the same loop takes fewer of them. */
bool test_thorough(void);

/* A path in a fresh folder of this test program's own (one for all its ranks), removed when it ends. The text is static and
 * lives until the eighth call after it. */
const char *testing_path(const char *file_name);

/* Writes `size` bytes to testing_path(file_name) and returns that path. */
const char *testing_write(const char *file_name, const void *bytes, size_t size);

/* Fails unless |got - want| <= atol + rtol |want| for all n; says how many are wrong and which is first. */
#define ck_assert_floats(got, want, n, atol, rtol)                                                                     \
    testing_floats((got), (want), (n), (atol), (rtol), #got, __FILE__, __LINE__)
#define ck_assert_doubles(got, want, n, atol, rtol)                                                                    \
    testing_doubles((got), (want), (n), (atol), (rtol), #got, __FILE__, __LINE__)

void testing_floats(const float *got, const float *want, size_t n, double atol, double rtol, const char *what,
                    const char *file, int line);
void testing_doubles(const double *got, const double *want, size_t n, double atol, double rtol, const char *what,
                     const char *file, int line);

#define TEST_MAIN(name, ...)                                                                                           \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                                                                    \
        return testing_run(name, tests, sizeof(tests) / sizeof(tests[0]), true);                                       \
    }

/* For programs named test_<topic>_mpi.c, which tools/run_tests.sh starts on 1, 2, 3, 4 and 7 ranks. A test is called on all
 * of them. Ranks that fail leave the test: agree on the verdict (MPI_Allreduce) before you assert, or the others wait. */
#define TEST_MAIN_MPI(name, ...)                                                                                       \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                                                                    \
        return testing_run_mpi(name, tests, sizeof(tests) / sizeof(tests[0]), &argc, &argv);                           \
    }
int testing_run_mpi(const char *suite_name, const TTest *const *tests, size_t count, int *argc, char ***argv);

#endif
