/* The ladder of barrier. SPDX-License-Identifier: MIT */
#include "barrier.h"
#include "mpi/collectives/ladders.h"

#define RUNG(file, function, idea) COLLECTIVE_RUNG("mpi/collectives/barrier/" file, barrier_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_central.c", central, "all tell rank 0, which tells all"),
    RUNG("02_dissemination.c", dissemination, "in each step everyone hears of twice as many"),
    COLLECTIVE_PEER(barrier_mpi, "MPI_Barrier"),
};

const CollectiveLadder barrier_ladder = {
    .kind = COLLECTIVE_BARRIER,
    .name = "barrier",
    .formula = "nobody leaves before everybody has come",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
