/* Where the ranks of a case stand: on which node, in which order in a ring, at which place of their node.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_PLACES_H
#define MPI_MODEL_PLACES_H

#include "mpi/model/schedule.h"

typedef struct Places {
    int p;
    int *node_of, *place;         /* [p] the node of each rank, and its place there */
    int *natural, *ring, *column; /* [p] all ranks: in their order, node by node (mpi/ring.h), place by place */
} Places;

Places places_create(const CostCase *what);
void places_free(Places *places);

/* schedule_nodes and schedule_columns (schedule.h), each group with n elements; they refer to places. */
int places_nodes(const Places *places, size_t n, Group *nodes);
int places_columns(const Places *places, size_t n, Group *columns);

#endif
