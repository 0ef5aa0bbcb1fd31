/* core/process.h for a guest: the program starts and ends MPI. This file stands in the place of src/core/process.c, so that a
 * checked call that fails inside the library names its rank and ends all of them.
 * SPDX-License-Identifier: MIT */
#include "core/process.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool
mpi_is_running(void)
{
    int begun = 0, ended = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    return begun && !ended;
}

int
process_rank(void)
{
    int rank = 0;
    if (mpi_is_running())
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int
process_count(void)
{
    int count = 1;
    if (mpi_is_running())
        PMPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

void
process_abort(int status)
{
    fflush(stdout);
    fflush(stderr);
    if (mpi_is_running())
        PMPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}
