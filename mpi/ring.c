/* SPDX-License-Identifier: MIT */
#include "mpi/ring.h"

void
ring_order(const int *node_of, int p, int *order)
{
    int placed = 0;
    for (int node = 0; placed < p; node++)
        for (int rank = 0; rank < p; rank++)
            if ((node_of == NULL ? 0 : node_of[rank]) == node)
                order[placed++] = rank;
}
