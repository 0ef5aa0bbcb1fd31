/* all_gather, rung 2: ring.
 * Idea      every rank sends to the next one what it received last, first its own chunk: after p - 1 steps all chunks have been
 *           everywhere.
 *
 *               p = 4     0       1       2       3      which chunk a rank sends to the next one
 *               step 1    0       1       2       3
 *               step 2    3       0       1       2
 *               step 3    2       3       0       1
 *
 * Before    rank 0 sent the whole vector p - 1 times.
 * Cost      (p - 1) alpha + n (p - 1) / p beta: the fewest bytes that are possible.
 * Wants     a long vector: p - 1 steps, one after the other.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "mpi/ring.h"

void
all_gather_ring(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    const int p = comm->size, r = ring_place(comm), next = ring_rank(comm, r + 1), before = ring_rank(comm, r - 1);
    Chunk out = chunk_of(n, p, comm->rank);
    collective_copy(x, element_at(y, type, out.first), out.count, type);
    for (int step = 1; step < p; step++) {
        const Chunk in = chunk_of(n, p, ring_rank(comm, r - step));
        point_exchange(comm, next, element_at(y, type, out.first), out.count, before, element_at(y, type, in.first),
                       in.count, type);
        out = in;
    }
}
