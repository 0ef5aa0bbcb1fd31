/* The ladder of broadcast. SPDX-License-Identifier: MIT */
#include "broadcast.h"
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(broadcast, "01", naive, "the root sends to one rank after the other"),
    COLLECTIVE_RUNG(broadcast, "02", binomial, "every rank that has it forwards it: a tree downwards"),
    COLLECTIVE_RUNG(broadcast, "03", scatter_all_gather, "every rank gets a chunk, and the chunks go around"),
    COLLECTIVE_RUNG(broadcast, "04", chain, "from rank to rank in segments, all links busy"),
    COLLECTIVE_PEER(broadcast_mpi, "MPI_Bcast"),
};

const CollectiveLadder broadcast_ladder = {
    .kind = COLLECTIVE_BROADCAST,
    .name = "broadcast",
    .formula = "every rank gets the root's vector",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
