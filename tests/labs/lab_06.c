/* Lab 06: all-reduce, exercises/06-all-reduce. Each test runs the student's functions on 1, 2, 3, 4 and 7 ranks. Results are exact,
 * messages and bytes are counted, and a run in which all wait is ended by the watchdog with who waits for whom. Nothing is timed.
 * SPDX-License-Identifier: MIT */
#include "grade_ranks.h"
#ifdef HAVE_MPI
#include "mpi/chunk.h"
#endif

GRADE_RANKS_TEST(naive_results, "06.1 results")
GRADE_RANKS_TEST(naive_in_place, "06.1 in place")
GRADE_RANKS_TEST(naive_counts, "06.1 counts")
GRADE_RANKS_TEST(scatter_results, "06.3 results")
GRADE_RANKS_TEST(scatter_input, "06.3 input")
GRADE_RANKS_TEST(scatter_counts, "06.3 counts")
GRADE_RANKS_TEST(scatter_strict, "06.3 strict")
GRADE_RANKS_TEST(gather_results, "06.4 results")
GRADE_RANKS_TEST(gather_counts, "06.4 counts")
GRADE_RANKS_TEST(gather_strict, "06.4 strict")
GRADE_RANKS_TEST(shift_results, "06.5 results")
GRADE_RANKS_TEST(shift_strict, "06.5 strict")
GRADE_RANKS_TEST(shift_counts, "06.5 counts")

/* ---- chunks: no ranks are needed ----------------------------------------------------------------------------------------- */

#ifdef HAVE_MPI

TEST(chunks_cover)
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

TEST(chunks_even)
{
    for (int p = 1; p <= 9; p++)
        for (size_t n = 0; n <= 30; n++)
            for (int i = 0; i < p; i++) {
                const size_t want = n / (size_t)p + ((size_t)i < n % (size_t)p), got = chunk_of(n, p, i).count;
                grade_that(got == want, "n = %zu, p = %d: part %d has %zu elements, want %zu", n, p, i, got, want);
            }
}

TEST(chunks_large)
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

#else

GRADE_NEEDS_MPI(chunks_cover)
GRADE_NEEDS_MPI(chunks_even)
GRADE_NEEDS_MPI(chunks_large)

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
