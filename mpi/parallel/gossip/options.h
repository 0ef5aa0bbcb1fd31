/* The options of strategies without a common gradient (peers.h). SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_GOSSIP_OPTIONS_H
#define MPI_PARALLEL_GOSSIP_OPTIONS_H

#include "mpi/parallel/strategy.h"

typedef struct PeerOptions {
    int every; /* local, easgd: steps between two averages */
    double
        elasticity; /* easgd: alpha = eta rho, the fraction of the difference to the centre that is applied; 0: 0.9 / ranks */
} PeerOptions;

extern const Strategy strategy_gossip, strategy_local, strategy_easgd;

#endif
