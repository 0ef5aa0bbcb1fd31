/* A verdict of all ranks, without the routines that the drop-in library takes over. SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_ALL_AGREE_H
#define TESTS_MPI_ALL_AGREE_H

#include "core/checked_mpi.h"
#include <stdbool.h>

/* Whether all ranks say so. */
static inline bool
all_agree(bool mine)
{
    int all = mine;
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    return all;
}

#endif
