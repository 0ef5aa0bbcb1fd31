/* Tests of labs that need several ranks. Such a test starts this program again under mpirun, with --ranks "06.1 results", and every
 * rank then runs what its lab has registered:
 *
 *     GRADE_RANKS_TEST(naive_results, "06.1 results")             a test; 1, 2, 3, 4 and 7 ranks, one after the other
 *     static bool lab_06_work(Comm *comm, const char *exercise, const char *what) { .. return grade_agree(comm, wrong); }
 *     GRADE_RANKS_WORK("06", lab_06_work)
 *
 * A run in which all wait is ended by the watchdog (mpi/watch/watch.h), which says who waits for whom. In a build without MPI every
 * such test fails with a sentence.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_GRADE_RANKS_H
#define TESTS_LABS_GRADE_RANKS_H

#include "grade.h"

#define GRADE_NEEDS_MPI(name)                                                                                          \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        grade_that(false, "this build is without MPI, which the lab is about: ./setup.sh installs it");                \
    }

#ifdef HAVE_MPI
#include "mpi/comm.h"

/* What the ranks do: `what` ("results") of an exercise ("06.1"). The same on all ranks: true if all is right, else a rank has said
 * why not (grade_agree). */
typedef bool GradeWork(Comm *comm, const char *exercise, const char *what);

/* Before main. */
void grade_ranks_register(const char *lab, GradeWork *work);

#define GRADE_RANKS_WORK(lab, work)                                                                                    \
    __attribute__((constructor)) static void grade_register_work(void)                                                 \
    {                                                                                                                  \
        grade_ranks_register(lab, work);                                                                               \
    }

/* For the test: runs `what` on each of 1, 2, 3, 4 and 7 ranks, from `fewest` on; the test ends at the first that fails. */
void grade_on_ranks(const char *what, int fewest);

#define GRADE_RANKS_TEST_FROM(fewest, name, what)                                                                      \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        grade_on_ranks(what, fewest);                                                                                  \
    }

/* For the ranks: true on all if `wrong` is "" on all; else the first rank that has a sentence says it. */
bool grade_agree(Comm *comm, const char *wrong);

#else
#define GRADE_RANKS_TEST_FROM(fewest, name, what) GRADE_NEEDS_MPI(name)
#endif

#define GRADE_RANKS_TEST(name, what) GRADE_RANKS_TEST_FROM(1, name, what)

#endif
