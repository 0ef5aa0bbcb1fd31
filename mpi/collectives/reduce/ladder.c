/* The ladder of reduce. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "reduce.h"

#define RUNG(file, function, idea) COLLECTIVE_RUNG("mpi/collectives/reduce/" file, reduce_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "all to the root, which reduces them one after the other"),
    RUNG("02_binomial.c", binomial, "pairs reduce, then pairs of pairs: a tree upwards"),
    RUNG("03_scatter_gather.c", scatter_gather, "every rank reduces a chunk, the root gathers them"),
    COLLECTIVE_PEER(reduce_mpi, "MPI_Reduce"),
};

const CollectiveLadder reduce_ladder = {
    .kind = COLLECTIVE_REDUCE,
    .name = "reduce",
    .formula = "the root gets the reduction of all ranks' vectors",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
