/* All ladders, and how their tables are written. SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_LADDERS_H
#define MPI_COLLECTIVES_LADDERS_H

#include "mpi/collectives/collectives.h"

#define COLLECTIVE_RUNG(path, rung, label, words)                                                                      \
    {                                                                                                                  \
        .name = label, .idea = words, .file = path, .function = (CollectiveFunction *)rung                             \
    }
#define COLLECTIVE_PEER(rung, words)                                                                                   \
    {                                                                                                                  \
        .name = "mpi", .idea = "the library's " words, .function = (CollectiveFunction *)rung, .peer = true            \
    }

extern const CollectiveLadder allreduce_ladder;

#endif
