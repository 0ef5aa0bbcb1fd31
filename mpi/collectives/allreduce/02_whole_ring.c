/* allreduce, rung 2: whole ring.
 * Idea      the ranks stand in a ring. Each sends its vector to the next one, then what came in from the one before, and so on:
 *           after p - 1 steps every rank has seen every vector, and no rank is a bottleneck.
 *
 *               p = 4     0     1     2     3      whose vector a rank sends to the next one
 *               step 0    x0    x1    x2    x3
 *               step 1    x3    x0    x1    x2
 *               step 2    x2    x3    x0    x1
 *
 *           The vectors come in another order at each rank. Floats added in another order make another sum, and every rank must
 *           have the same one: so all vectors are kept, and added in the order of ranks.
 * Before    rank 0 received p - 1 vectors and sent p - 1, one after the other.
 * Cost      (p - 1) (alpha + n beta + n gamma), and p n bytes of memory: half of naive's time, because all links work at once.
 *           But every rank now adds up everything itself, and each link carries p - 1 whole vectors.
 * Wants     memory: it refuses vectors of which p, on all ranks of a machine, would not fit.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/checked_mpi.h"
#include "core/host.h"
#include "core/units.h"
#include "core/workspace.h"
#include "mpi/ring.h"

/* The same on all ranks: the machine with the least memory decides for all; communicated only where it may matter. */
bool
allreduce_whole_ring_accepts(Comm *comm, size_t n, Element type, Error *reason)
{
    const double small = 256 << 20, vector = (double)n * (double)element_size(type);
    const int ranks = comm->node != NULL ? comm->node_largest : comm->size;
    const double needed = ranks * (comm->size + 2.) * vector; /* those of the caller, too */
    if (needed <= small)
        return true;
    double memory = (double)host_get()->memory;
    char text[2][UNITS_SIZE];
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_DOUBLE, MPI_MIN, comm->mpi));
    if (needed <= memory)
        return true;
    return error_set(reason,
                     "each of %d ranks of a machine keeps the vectors of all %d ranks: %s, and it has %s; take ring",
                     ranks, comm->size, units_bytes(text[0], needed), units_bytes(text[1], memory));
}

void
allreduce_whole_ring(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const int p = comm->size, r = ring_place(comm), next = ring_rank(comm, r + 1), before = ring_rank(comm, r - 1);
    void *all = workspace((size_t)p * n * element_size(type)); /* row i: the vector of rank i */
    collective_copy(x, element_at(all, type, (size_t)comm->rank * n), n, type);
    for (int step = 0; step < p - 1; step++) {
        const int out = ring_rank(comm, r - step), in = ring_rank(comm, r - 1 - step);
        point_exchange(comm, next, element_at(all, type, (size_t)out * n), n, before,
                       element_at(all, type, (size_t)in * n), n, type);
    }
    collective_copy(all, y, n, type);
    for (int i = 1; i < p; i++)
        combine(op, type, n, y, element_at(all, type, (size_t)i * n), y);
}
