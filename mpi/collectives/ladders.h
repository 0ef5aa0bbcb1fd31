/* All ladders, and how their tables are written. SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_LADDERS_H
#define MPI_COLLECTIVES_LADDERS_H

#include "mpi/collectives/collectives.h"

#define COLLECTIVE_RUNG(path, rung, label, words)                                                                      \
    {                                                                                                                  \
        .name = label, .idea = words, .file = path, .function = (CollectiveFunction *)rung                             \
    }
#define COLLECTIVE_RUNG_ACCEPTS(path, rung, label, words, function_that_accepts)                                       \
    {                                                                                                                  \
        .name = label, .idea = words, .file = path, .function = (CollectiveFunction *)rung,                            \
        .accepts = function_that_accepts                                                                               \
    }
#define COLLECTIVE_PEER(rung, words)                                                                                   \
    {                                                                                                                  \
        .name = "mpi", .idea = "the library's " words, .function = (CollectiveFunction *)rung, .peer = true            \
    }
#define COLLECTIVE_PEER_ACCEPTS(rung, words, function_that_accepts)                                                    \
    {                                                                                                                  \
        .name = "mpi", .idea = "the library's " words, .function = (CollectiveFunction *)rung, .peer = true,           \
        .accepts = function_that_accepts                                                                               \
    }

extern const CollectiveLadder allreduce_ladder;
extern const CollectiveLadder reduce_ladder;
extern const CollectiveLadder broadcast_ladder;
extern const CollectiveLadder reduce_scatter_ladder;
extern const CollectiveLadder all_gather_ladder;
extern const CollectiveLadder gather_ladder;
extern const CollectiveLadder scatter_ladder;
extern const CollectiveLadder all_to_all_ladder;
extern const CollectiveLadder barrier_ladder;

#endif
