/* The ladder of broadcast. SPDX-License-Identifier: MIT */
#include "broadcast.h"
#include "mpi/collectives/ladders.h"

#define RUNG(file, function, idea)                                                                                     \
    COLLECTIVE_RUNG("mpi/collectives/broadcast/" file, broadcast_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "the root sends to one rank after the other"),
    RUNG("02_binomial.c", binomial, "whoever has it sends it on: a tree downwards"),
    RUNG("03_scatter_all_gather.c", scatter_all_gather, "every rank gets a chunk, and the chunks go around"),
    RUNG("04_chain.c", chain, "from rank to rank in segments, all links busy"),
    COLLECTIVE_PEER(broadcast_mpi, "MPI_Bcast"),
};

const CollectiveLadder broadcast_ladder = {
    .kind = COLLECTIVE_BROADCAST,
    .name = "broadcast",
    .formula = "every rank gets the root's vector",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
