/* broadcast, rung 2: binomial tree.
 * Idea      every rank that has the vector forwards it: the number of ranks that have it doubles in each step.
 *
 *               0               step 1   0 -> 4                     (relative ranks: the root is 0)
 *             / | \             step 2   0 -> 2, 4 -> 6
 *            4  2  1            step 3   0 -> 1, 2 -> 3, 4 -> 5
 *           / \  \
 *          6   5  3
 *
 * Before    the root sent p - 1 times.
 * Cost      ceil(lg p) (alpha + n beta).
 * Wants     nothing; a long vector wastes time here: each of its bytes crosses lg p links one after the other.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "broadcast.h"
#include "mpi/collectives/tree.h"

void
broadcast_binomial(Comm *comm, void *x, size_t n, Element type, int root)
{
    const int v = relative_rank(comm, root), reach = tree_reach(comm, v);
    if (v != 0)
        point_receive(comm, absolute_rank(comm, v - reach, root), x, n, type);
    for (int bit = reach / 2; bit > 0; bit /= 2)
        if (v + bit < comm->size)
            point_send(comm, absolute_rank(comm, v + bit, root), x, n, type);
}
