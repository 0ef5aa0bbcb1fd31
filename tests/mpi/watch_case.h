/* What the tests of watching share: ranks, vectors, and expected counts.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_WATCH_CASE_H
#define TESTS_MPI_WATCH_CASE_H

#include "core/checked_mpi.h"
#include "core/process.h"
#include "mpi/comm.h"
#include "mpi/watch/watch.h"
#include "tests/testing.h"
#include <stdint.h>
#include <stdio.h>

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

/* The verdict of all ranks. */
static inline bool
agreed(bool mine)
{
    int all = mine;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    return all;
}

/* Whether every rank counted so much; says so if not. */
static inline void
expect(const char *what, int64_t got, int64_t want)
{
    if (got != want)
        fprintf(stderr, "rank %d of %d: %s: %lld, expected %lld\n", r, p, what, (long long)got, (long long)want);
    ck_assert_msg(agreed(got == want), "%s: see above", what);
}

#endif
