/* reduce, rung 3: reduce-scatter, then gather (Rabenseifner).
 * Idea      every rank reduces one chunk of all vectors, by recursive halving; the root gathers the reduced chunks.
 * Before    half of the ranks did nothing after the first step, and the others reduced whole vectors.
 * Cost      2 lg p alpha + 2 n (p - 1) / p beta + n (p - 1) / p gamma where p is a power of two; else a step more (see
 *           reduce_scatter/03_recursive.c).
 * Wants     a long vector: there are twice as many messages. Another root than rank 0 rotates the vector once more.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/collectives/gather/gather.h"
#include "mpi/collectives/reduce_scatter/reduce_scatter.h"
#include "reduce.h"

void
reduce_scatter_gather(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op, int root)
{
    void *mine = workspace_outer(chunk_of(n, comm->size, comm->rank).count * element_size(type));
    reduce_scatter_recursive(comm, x, mine, n, type, op);
    gather_binomial(comm, mine, y, n, type, root);
}
