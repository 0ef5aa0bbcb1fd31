/* reduce_scatter, rung 1: naive.
 * Idea      rank 0 reduces all vectors and scatters the chunks of the result.
 * Cost      2 (p - 1) alpha + (p - 1) (n + n / p) beta + (p - 1) n gamma: rank 0 does all the work.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/collectives/reduce/reduce.h"
#include "mpi/collectives/scatter/scatter.h"
#include "reduce_scatter.h"

void
reduce_scatter_naive(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    void *whole = comm->rank == 0 ? workspace_outer(n * element_size(type)) : NULL;
    reduce_naive(comm, x, whole, n, type, op, 0);
    scatter_naive(comm, whole, y, n, type, 0);
}
