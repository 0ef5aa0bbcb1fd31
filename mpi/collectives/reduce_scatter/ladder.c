/* The ladder of reduce_scatter. SPDX-License-Identifier: MIT */
#include "mpi/collectives/int_counts.h"
#include "mpi/collectives/ladders.h"
#include "reduce_scatter.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(reduce_scatter, "01", naive, "rank 0 reduces everything and scatters the chunks"),
    COLLECTIVE_RUNG(reduce_scatter, "02", ring, "sums of chunks go around and grow"),
    COLLECTIVE_RUNG(reduce_scatter, "03", recursive, "halves, quarters, .. are exchanged and reduced"),
    COLLECTIVE_PEER_ACCEPTS(reduce_scatter_mpi, "MPI_Reduce_scatter", int_counts_accepts),
};

const CollectiveLadder reduce_scatter_ladder = {
    .kind = COLLECTIVE_REDUCE_SCATTER,
    .name = "reduce_scatter",
    .formula = "every rank gets its chunk of the reduction of all ranks' vectors",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
