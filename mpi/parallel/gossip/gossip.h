/* Ways to train without a common gradient (peers.h says what they share).
 * SPDX-License-Identifier: MIT */
#ifndef MPI_GOSSIP_H
#define MPI_GOSSIP_H

#include "mpi/parallel/parallel.h"

extern const ParallelKind parallel_gossip, parallel_local, parallel_easgd;

#endif
