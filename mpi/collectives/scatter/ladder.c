/* The ladder of scatter. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/parts.h"
#include "scatter.h"

#define RUNG(file, function, idea) COLLECTIVE_RUNG("mpi/collectives/scatter/" file, scatter_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "the root sends to one rank after the other"),
    RUNG("02_binomial.c", binomial, "halves, quarters, .. go down a tree"),
    COLLECTIVE_PEER_ACCEPTS(scatter_mpi, "MPI_Scatterv", parts_accepts),
};

const CollectiveLadder scatter_ladder = {
    .kind = COLLECTIVE_SCATTER,
    .name = "scatter",
    .formula = "every rank gets its chunk of the root's vector",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
