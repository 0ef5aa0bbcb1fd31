/* The ladder of gather. SPDX-License-Identifier: MIT */
#include "gather.h"
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/parts.h"

#define RUNG(file, function, idea) COLLECTIVE_RUNG("mpi/collectives/gather/" file, gather_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "all to the root"),
    RUNG("02_binomial.c", binomial, "chunks are collected up a tree"),
    COLLECTIVE_PEER_ACCEPTS(gather_mpi, "MPI_Gatherv", parts_accepts),
};

const CollectiveLadder gather_ladder = {
    .kind = COLLECTIVE_GATHER,
    .name = "gather",
    .formula = "the root gets the chunks of all ranks",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
