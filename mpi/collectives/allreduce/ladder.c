/* The ladder of all-reduce. SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "mpi/collectives/ladders.h"

#define RUNG(file, function, idea)                                                                                     \
    COLLECTIVE_RUNG("mpi/collectives/allreduce/" file, allreduce_##function, #function, idea)

static const CollectiveRung rungs[] = {
    RUNG("01_naive.c", naive, "all to rank 0, which reduces and sends back"),
    RUNG("02_whole_ring.c", whole_ring, "whole vectors go around"),
    RUNG("03_tree.c", tree, "a binomial tree up and down"),
    RUNG("04_recursive_doubling.c", recursive_doubling, "ranks exchange whole vectors, with twice as many behind each"),
    RUNG("05_ring.c", ring, "chunks go around twice: reduce-scatter, all-gather"),
    RUNG("06_segmented_ring.c", segmented_ring, "the same in segments: one is reduced while the next comes in"),
    RUNG("07_rabenseifner.c", rabenseifner, "recursive halving, then recursive doubling"),
    RUNG("08_hierarchical.c", hierarchical, "each node to its leader, a ring of the leaders, and back"),
    RUNG("09_two_dimensional.c", two_dimensional, "each place of a node reduces its part across the nodes"),
    COLLECTIVE_RUNG_ACCEPTS("mpi/collectives/allreduce/10_window.c", allreduce_window, "window",
                            "memory that the ranks of a node share, no messages within it", allreduce_window_accepts),
    RUNG("11_auto.c", auto, "whichever the fitted model predicts to be fastest"),
    COLLECTIVE_PEER(allreduce_mpi, "MPI_Allreduce"),
};

const CollectiveLadder allreduce_ladder = {
    .kind = COLLECTIVE_ALLREDUCE,
    .name = "allreduce",
    .formula = "every rank gets the reduction of all ranks' vectors",
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
