/* reduce_scatter, rung 2: ring.
 * Idea      for each chunk a sum goes around the ring: every rank that it visits adds its own chunk, and it ends where it
 *           belongs. All p sums travel at the same time, each rank sends one and receives another.
 *
 *               p = 4     0       1       2       3      which chunk a rank sends to the next one, and which ranks are in it
 *               step 1    3:0     0:1     1:2     2:3
 *               step 2    2:30    3:01    0:12    1:23
 *               step 3    1:230   2:301   3:012   0:123
 *               then      0       1       2       3      each adds its own chunk to what it received
 *
 * Before    rank 0 received p - 1 vectors, and reduced them all.
 * Cost      (p - 1) alpha + n (p - 1) / p (beta + gamma): the fewest bytes that are possible, with every link and every rank
 *           busy.
 * Wants     a long vector: p - 1 steps, one after the other.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/ring.h"
#include "reduce_scatter.h"

void
reduce_scatter_ring(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const int p = comm->size, r = ring_place(comm), next = ring_rank(comm, r + 1), before = ring_rank(comm, r - 1);
    const size_t longest = chunk_of(n, p, 0).count * element_size(type);
    char *buffers = workspace(2 * longest); /* one goes out while the other comes in */

    Chunk out = chunk_of(n, p, before);
    const void *sum = element_at(x, type, out.first);
    for (int step = 1; step < p; step++) {
        const Chunk in = chunk_of(n, p, ring_rank(comm, r - 1 - step)); /* ends with mine */
        void *incoming = buffers + (step % 2 != 0 ? longest : 0);
        point_exchange(comm, next, sum, out.count, before, incoming, in.count, type);
        void *larger = step == p - 1 ? y : incoming;
        combine(op, type, in.count, incoming, element_at(x, type, in.first), larger);
        sum = larger;
        out = in;
    }
    if (p == 1)
        collective_copy(x, y, n, type);
}
