/* Strategies without a common gradient (peers.h says what they share).
 * SPDX-License-Identifier: MIT */
#ifndef MPI_GOSSIP_H
#define MPI_GOSSIP_H

#include "mpi/parallel/parallel.h"

/* Strategy.create. */
Parallel *gossip_create(const Parallel *base, Net *net, Error *error);
Parallel *local_create(const Parallel *base, Net *net, Error *error);
Parallel *easgd_create(const Parallel *base, Net *net, Error *error);

#endif
