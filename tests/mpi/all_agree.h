/* What tests on several ranks share: a communicator, and verdicts of all, without the routines that the drop-in library takes over.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_ALL_AGREE_H
#define TESTS_MPI_ALL_AGREE_H

#include "core/checked_mpi.h"
#include "mpi/comm.h"
#include "tests/testing.h"

/* A test that has `comm`, of all ranks. */
#define TEST_WITH_COMM(name) TEST_WITH(name, comm, comm_create(MPI_COMM_WORLD, 0), comm_free)

/* Whether all ranks say so. */
static inline bool
all_agree(bool mine)
{
    int all = mine;
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    return all;
}

/* As ck_assert, on all ranks or on none: a rank that left alone would keep the others waiting. */
#define ck_assert_all(condition) ck_assert_msg(all_agree(condition), "on some rank: not %s", #condition)

/* Whether these are the bytes of rank 0, on this rank. */
static inline bool
same_as_rank_0(const void *bytes, size_t size)
{
    void *first = malloc(size + 1);
    if (size > 0)
        memcpy(first, bytes, size);
    CHECK_MPI(PMPI_Bcast(first, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD));
    const bool same = size == 0 || memcmp(first, bytes, size) == 0;
    free(first);
    return same;
}

#endif
