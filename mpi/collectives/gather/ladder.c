/* The ladder of gather. SPDX-License-Identifier: MIT */
#include "gather.h"
#include "mpi/collectives/int_counts.h"
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(gather, "01", naive, "all to the root"),
    COLLECTIVE_RUNG(gather, "02", binomial, "chunks are collected up a tree"),
    COLLECTIVE_PEER_ACCEPTS(gather_mpi, "MPI_Gatherv", int_counts_accepts),
};

const CollectiveLadder gather_ladder = {
    .kind = COLLECTIVE_GATHER,
    .name = "gather",
    .formula = "the root gets the chunks of all ranks",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
