/* broadcast, rung 3: scatter, then all-gather (van de Geijn).
 * Idea      the root gives every rank another chunk, down a binomial tree; then the chunks go around a ring until all have all.
 * Before    each byte crossed lg p links one after the other, and most ranks waited for it.
 * Cost      (ceil(lg p) + p - 1) alpha + 2 n (p - 1) / p beta: each rank sends about two vectors, for any p.
 * Wants     a long vector: there are more messages.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "broadcast.h"
#include "mpi/collectives/all_gather/all_gather.h"
#include "mpi/collectives/scatter/scatter.h"

void
broadcast_scatter_all_gather(Comm *comm, void *x, size_t n, Element type, int root)
{
    void *mine = element_at(x, type, chunk_of(n, comm->size, comm->rank).first);
    scatter_binomial(comm, x, mine, n, type, root);
    all_gather_ring(comm, mine, x, n, type);
}
