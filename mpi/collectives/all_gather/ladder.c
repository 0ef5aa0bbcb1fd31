/* The ladder of all_gather. SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/parts.h"

#define RUNG(file, function, idea)                                                                                     \
    COLLECTIVE_RUNG("mpi/collectives/all_gather/" file, all_gather_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "all to rank 0, which sends everything to everyone"),
    RUNG("02_ring.c", ring, "chunks go around"),
    RUNG("03_recursive.c", recursive, "pairs, fours, .. of ranks exchange what they have"),
    RUNG("04_bruck.c", bruck, "the same around the ring, for any number of ranks"),
    COLLECTIVE_PEER_ACCEPTS(all_gather_mpi, "MPI_Allgatherv", parts_accepts),
};

const CollectiveLadder all_gather_ladder = {
    .kind = COLLECTIVE_ALL_GATHER,
    .name = "all_gather",
    .formula = "every rank gets the chunks of all ranks",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
