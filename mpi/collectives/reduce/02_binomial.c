/* reduce, rung 2: binomial tree.
 * Idea      the tree of the broadcast, walked upwards: in each step half of the ranks that still take part send what they have
 *           to the other half, which reduces it.
 *
 *               0               step 1   1 -> 0, 3 -> 2, 5 -> 4     (relative ranks: the root is 0)
 *             / | \             step 2   2 -> 0, 6 -> 4
 *            4  2  1            step 3   4 -> 0
 *           / \  \
 *          6   5  3
 *
 * Before    the root reduced p - 1 vectors.
 * Cost      ceil(lg p) (alpha + n beta + n gamma).
 * Wants     nothing; with a long vector most ranks are idle.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/collectives/tree.h"
#include "reduce.h"

void
reduce_binomial(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op, int root)
{
    const int v = relative_rank(comm, root), reach = tree_reach(comm, v);
    char *incoming = workspace(2 * n * element_size(type));
    void *sum = v == 0 ? y : incoming + n * element_size(type);
    const void *have = x; /* x until something has been reduced with it */
    for (int bit = 1; bit < reach; bit *= 2)
        if (v + bit < comm->size) {
            point_receive(comm, absolute_rank(comm, v + bit, root), incoming, n, type);
            combine(op, type, n, have, incoming, sum);
            have = sum;
        }
    if (v != 0)
        point_send(comm, absolute_rank(comm, v - reach, root), have, n, type);
    else
        collective_copy(have, y, n, type);
}
