/* The ladder of all-reduce. SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {
    COLLECTIVE_RUNG(allreduce, "01", naive, "all to rank 0, which reduces and sends back"),
    COLLECTIVE_RUNG_ACCEPTS(allreduce, "02", whole_ring, "whole vectors go around", allreduce_whole_ring_accepts),
    COLLECTIVE_RUNG(allreduce, "03", tree, "a binomial tree up and down"),
    COLLECTIVE_RUNG(allreduce, "04", recursive_doubling,
                    "ranks exchange sums of whole vectors, each time of twice as many"),
    COLLECTIVE_RUNG(allreduce, "05", ring, "chunks go around twice: reduce-scatter, all-gather"),
    COLLECTIVE_RUNG(allreduce, "06", segmented_ring, "the same in segments: one is reduced while the next comes in"),
    COLLECTIVE_RUNG(allreduce, "07", rabenseifner, "recursive halving, then recursive doubling"),
    COLLECTIVE_RUNG(allreduce, "08", hierarchical, "each node to its leader, a ring of the leaders, and back"),
    COLLECTIVE_RUNG(allreduce, "09", two_dimensional, "each place of a node reduces its chunk across the nodes"),
    COLLECTIVE_RUNG_ACCEPTS(allreduce, "10", window, "memory that the ranks of a node share, no messages within it",
                            allreduce_window_accepts),
    COLLECTIVE_RUNG(allreduce, "11", auto, "whichever the fitted model predicts to be fastest"),
    COLLECTIVE_PEER(allreduce_mpi, "MPI_Allreduce"),
};

const CollectiveLadder allreduce_ladder = {
    .kind = COLLECTIVE_ALLREDUCE,
    .name = "allreduce",
    .formula = "every rank gets the reduction of all ranks' vectors",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
