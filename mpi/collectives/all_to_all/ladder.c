/* The ladder of all_to_all. SPDX-License-Identifier: MIT */
#include "all_to_all.h"
#include "mpi/collectives/int_counts.h"
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(all_to_all, "01", naive, "each exchanges with ranks 0, 1, 2 .. in turn"),
    COLLECTIVE_RUNG(all_to_all, "02", pairwise, "in step s to the rank s after, from the one s before"),
    COLLECTIVE_RUNG(all_to_all, "03", bruck, "lg p steps with half of the rows each"),
    COLLECTIVE_PEER_ACCEPTS(all_to_all_mpi, "MPI_Alltoall", int_counts_accepts),
};

const CollectiveLadder all_to_all_ladder = {
    .kind = COLLECTIVE_ALL_TO_ALL,
    .name = "all_to_all",
    .formula = "row i of rank r becomes row r of rank i",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
