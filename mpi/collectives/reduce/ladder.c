/* The ladder of reduce. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "reduce.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(reduce, "01", naive, "all to the root, which reduces them one after the other"),
    COLLECTIVE_RUNG(reduce, "02", binomial, "pairs reduce, then pairs of pairs: a tree upwards"),
    COLLECTIVE_RUNG(reduce, "03", scatter_gather, "every rank reduces a chunk, the root gathers them"),
    COLLECTIVE_PEER(reduce_mpi, "MPI_Reduce"),
};

const CollectiveLadder reduce_ladder = {
    .kind = COLLECTIVE_REDUCE,
    .name = "reduce",
    .formula = "the root gets the reduction of all ranks' vectors",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
