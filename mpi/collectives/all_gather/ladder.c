/* The ladder of all_gather. SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "mpi/collectives/int_counts.h"
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(all_gather, "01", naive, "all to rank 0, which sends everything to everyone"),
    COLLECTIVE_RUNG(all_gather, "02", ring, "chunks go around"),
    COLLECTIVE_RUNG(all_gather, "03", recursive, "pairs, fours, .. of ranks exchange what they have"),
    COLLECTIVE_RUNG(all_gather, "04", bruck, "the same around the ring, for any number of ranks"),
    COLLECTIVE_PEER_ACCEPTS(all_gather_mpi, "MPI_Allgatherv", int_counts_accepts),
};

const CollectiveLadder all_gather_ladder = {
    .kind = COLLECTIVE_ALL_GATHER,
    .name = "all_gather",
    .formula = "every rank gets the chunks of all ranks",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
