/* The ladder of all-reduce. SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "mpi/collectives/ladders.h"

#define RUNG(file, function, idea)                                                                                     \
    COLLECTIVE_RUNG("mpi/collectives/allreduce/" file, allreduce_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "all to rank 0, which reduces and sends back"),
    COLLECTIVE_PEER(allreduce_mpi, "MPI_Allreduce"),
};

const CollectiveLadder allreduce_ladder = {
    .kind = COLLECTIVE_ALLREDUCE,
    .name = "allreduce",
    .formula = "every rank gets the reduction of all ranks' vectors",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
