/* What the tests of watching share: ranks, vectors, and expected counts.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_WATCH_CASE_H
#define TESTS_MPI_WATCH_CASE_H

#include "core/checked_mpi.h"
#include "core/process.h"
#include "mpi/comm.h"
#include "mpi/watch/watch.h"
#include "tests/mpi/all_agree.h"

enum { N = 840 }; /* elements: 1, 2, 3, 4 and 7 ranks divide it */

static int r, p;
static Comm *comm;
static float x[N], y[7 * N];

static inline void
begin(void)
{
    r = process_rank(), p = process_count();
    if (p == 1)
        skip_test("one rank sends no messages");
    comm = comm_create(MPI_COMM_WORLD, 0);
    watch_begin();
}

/* Whether every rank counted so much; says so if not. */
static inline void
expect(const char *what, int64_t got, int64_t want)
{
    if (got != want)
        fprintf(stderr, "rank %d of %d: %s: %lld, expected %lld\n", r, p, what, (long long)got, (long long)want);
    ck_assert_msg(all_agree(got == want), "%s: see above", what);
}

#endif
