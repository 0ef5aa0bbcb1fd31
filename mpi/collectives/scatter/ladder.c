/* The ladder of scatter. SPDX-License-Identifier: MIT */
#include "mpi/collectives/int_counts.h"
#include "mpi/collectives/ladders.h"
#include "scatter.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(scatter, "01", naive, "the root sends to one rank after the other"),
    COLLECTIVE_RUNG(scatter, "02", binomial, "halves, quarters, .. go down a tree"),
    COLLECTIVE_PEER_ACCEPTS(scatter_mpi, "MPI_Scatterv", int_counts_accepts),
};

const CollectiveLadder scatter_ladder = {
    .kind = COLLECTIVE_SCATTER,
    .name = "scatter",
    .formula = "every rank gets its chunk of the root's vector",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
