/* Lab 06: all-reduce, exercises/06-all-reduce. Each test runs the student's functions on 1, 2, 3, 4 and 7 ranks. Results are exact,
 * messages and bytes are counted, and a run in which all wait is ended by the watchdog with who waits for whom. Nothing is timed.
 * SPDX-License-Identifier: MIT */
#include "grade.h"
#ifdef HAVE_MPI
#include "core/checked.h"
#include "lab_06_ranks.h"
#include "mpi/chunk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SENTENCE = 512 };

/* ---- the ranks ----------------------------------------------------------------------------------------------------------- */

/* Starts p ranks of this program; what they say is in `said`, "" if they ended without a word. Returns the exit status. */
static int
start_ranks(const char *what, int p, char said[SENTENCE])
{
    char path[] = "/tmp/rungs-lab-06-XXXXXX", program[4096], command[2 * 4096];
    const int file = mkstemp(path);
    CHECK_ERRNO(file);
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    CHECK_ERRNO(length);
    program[length] = '\0';
    setenv(LAB_06_VERDICT, path, 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("RUNGS_WATCHDOG", "3", 0);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* what MPI never frees is not what is asked here */
    /* What the launcher says of a run that ended early, between dashed lines, would hide what the ranks said. */
    snprintf(command, sizeof(command),
             "out=$(sh tools/mpirun.sh %d '%s' --ranks '%s' 2>&1); status=$?; "
             "printf '%%s\\n' \"$out\" | sed '/^---/,/^---/d; /^mpirun/d'; exit $status",
             p, program, what);
    fflush(NULL);
    const int status = system(command);
    const ssize_t got = pread(file, said, SENTENCE - 1, 0);
    said[got > 0 ? got : 0] = '\0';
    close(file);
    unlink(path);
    return status;
}

/* One p after the other: a test ends at the first that fails. */
static void
on_ranks(const char *what)
{
    static const int ranks[] = {1, 2, 3, 4, 7};
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        char said[SENTENCE], exercise[8], file[256];
        int line;
        const int status = start_ranks(what, ranks[i], said);
        if (sscanf(said, "unsolved %7s %255s %d", exercise, file, &line) == 3)
            checked_unsolved(exercise, file, line);
        said[strcspn(said, "\n")] = '\0';
        grade_that(strncmp(said, "wrong ", 6) != 0, "%d rank%s: %s", ranks[i], ranks[i] == 1 ? "" : "s", said + 6);
        grade_that(status == 0 && strcmp(said, "ok") == 0,
                   "%d rank%s: the run ended before its end; see what it printed, below", ranks[i],
                   ranks[i] == 1 ? "" : "s");
    }
}

#define RANKS_TEST(name, what)                                                                                         \
    START_TEST(name)                                                                                                   \
    {                                                                                                                  \
        on_ranks(what);                                                                                                \
    }                                                                                                                  \
    END_TEST

RANKS_TEST(naive_results, "06.1 results")
RANKS_TEST(naive_in_place, "06.1 in place")
RANKS_TEST(naive_counts, "06.1 counts")
RANKS_TEST(scatter_results, "06.3 results")
RANKS_TEST(scatter_input, "06.3 input")
RANKS_TEST(scatter_counts, "06.3 counts")
RANKS_TEST(scatter_strict, "06.3 strict")
RANKS_TEST(gather_results, "06.4 results")
RANKS_TEST(gather_counts, "06.4 counts")
RANKS_TEST(gather_strict, "06.4 strict")
RANKS_TEST(shift_results, "06.5 results")
RANKS_TEST(shift_strict, "06.5 strict")
RANKS_TEST(shift_counts, "06.5 counts")

/* ---- chunks: no ranks are needed ----------------------------------------------------------------------------------------- */

START_TEST(chunks_cover)
{
    for (int p = 1; p <= 9; p++)
        for (size_t n = 0; n <= 30; n++) {
            size_t next = 0;
            for (int i = 0; i < p; i++) {
                const Chunk chunk = chunk_of(n, p, i);
                grade_that(chunk.first == next || chunk.count == 0,
                           "n = %zu, p = %d: part %d begins at %zu, but the part before ends at %zu", n, p, i,
                           chunk.first, next);
                next += chunk.count;
            }
            grade_that(next == n, "n = %zu, p = %d: all parts together have %zu elements", n, p, next);
        }
}
END_TEST

START_TEST(chunks_even)
{
    for (int p = 1; p <= 9; p++)
        for (size_t n = 0; n <= 30; n++)
            for (int i = 0; i < p; i++) {
                const size_t want = n / (size_t)p + ((size_t)i < n % (size_t)p), got = chunk_of(n, p, i).count;
                grade_that(got == want, "n = %zu, p = %d: part %d has %zu elements, want %zu", n, p, i, got, want);
            }
}
END_TEST

START_TEST(chunks_large)
{
    const size_t n = (size_t)-1 - 5; /* p n does not fit into a size_t */
    size_t next = 0;
    for (int i = 0; i < 7; i++) {
        const Chunk chunk = chunk_of(n, 7, i);
        grade_that(chunk.first == next, "n = %zu, p = 7: part %d begins at %zu, want %zu", n, i, chunk.first, next);
        next += chunk.count;
    }
    grade_that(next == n, "n = %zu, p = 7: all parts together have %zu elements", n, next);
}
END_TEST

#else

#define NEEDS_MPI(name)                                                                                                \
    START_TEST(name)                                                                                                   \
    {                                                                                                                  \
        grade_that(false, "this build is without MPI, which the lab is about: ./setup.sh installs it");                \
    }                                                                                                                  \
    END_TEST

NEEDS_MPI(naive_results)
NEEDS_MPI(naive_in_place)
NEEDS_MPI(naive_counts)
NEEDS_MPI(chunks_cover)
NEEDS_MPI(chunks_even)
NEEDS_MPI(chunks_large)
NEEDS_MPI(scatter_results)
NEEDS_MPI(scatter_input)
NEEDS_MPI(scatter_counts)
NEEDS_MPI(scatter_strict)
NEEDS_MPI(gather_results)
NEEDS_MPI(gather_counts)
NEEDS_MPI(gather_strict)
NEEDS_MPI(shift_results)
NEEDS_MPI(shift_strict)
NEEDS_MPI(shift_counts)

#endif

/* Seconds: five runs of ranks, on one busy core. */
GRADE_LAB("06", "All-reduce", {"06.1", "every length, 1, 2, 3, 4 and 7 ranks", 10, &naive_results, 60},
          {"06.1", "in place", 5, &naive_in_place, 60}, {"06.1", "messages and bytes", 5, &naive_counts, 60},
          {"06.2", "the parts cover the vector", 7, &chunks_cover, 5},
          {"06.2", "as even as can be", 5, &chunks_even, 5}, {"06.2", "very long vectors", 3, &chunks_large, 5},
          {"06.3", "every length (uses 06.2)", 12, &scatter_results, 60},
          {"06.3", "the input is left alone (uses 06.2)", 4, &scatter_input, 60},
          {"06.3", "messages and bytes (uses 06.2)", 9, &scatter_counts, 60},
          {"06.3", "no deadlock (uses 06.2)", 5, &scatter_strict, 60},
          {"06.4", "every length (uses 06.2)", 10, &gather_results, 60},
          {"06.4", "messages and bytes (uses 06.2)", 6, &gather_counts, 60},
          {"06.4", "no deadlock (uses 06.2)", 4, &gather_strict, 60}, {"06.5", "every length", 4, &shift_results, 60},
          {"06.5", "no deadlock", 8, &shift_strict, 60}, {"06.5", "messages and bytes", 3, &shift_counts, 60})
