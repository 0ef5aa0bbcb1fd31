/* The ladder of barrier. SPDX-License-Identifier: MIT */
#include "barrier.h"
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(barrier, "01", central, "all tell rank 0, which tells all"),
    COLLECTIVE_RUNG(barrier, "02", dissemination, "in each step everyone hears of twice as many"),
    COLLECTIVE_PEER(barrier_mpi, "MPI_Barrier"),
};

const CollectiveLadder barrier_ladder = {
    .kind = COLLECTIVE_BARRIER,
    .name = "barrier",
    .formula = "no rank leaves before all have entered",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
