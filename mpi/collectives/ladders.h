/* All ladders, and how their tables are written. SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_LADDERS_H
#define MPI_COLLECTIVES_LADDERS_H

#include "mpi/collectives/collectives.h"

/* COLLECTIVE_RUNG(allreduce, "05", ring, "chunks go around") is the function allreduce_ring in mpi/collectives/allreduce/05_ring.c,
 * under the name "ring". */
#define COLLECTIVE_RUNG(operation, number, rung, words) COLLECTIVE_RUNG_ACCEPTS(operation, number, rung, words, NULL)
#define COLLECTIVE_RUNG_ACCEPTS(operation, number, rung, words, function_that_accepts)                                 \
    {                                                                                                                  \
        .name = #rung, .idea = words, .file = "mpi/collectives/" #operation "/" number "_" #rung ".c",                 \
        .function = (CollectiveFunction *)operation##_##rung, .accepts = function_that_accepts                         \
    }
#define COLLECTIVE_PEER(rung, words) COLLECTIVE_PEER_ACCEPTS(rung, words, NULL)
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
