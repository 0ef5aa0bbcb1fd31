/* allreduce, rung 8: hierarchical.
 * Idea      within a node bytes are cheap, between nodes they are not. So each node reduces to its leader, the leaders
 *           all-reduce among themselves, and each broadcasts the result in its node.
 *
 *               node 0        node 1        node 2
 *              0   1   2     3   4   5     6   7   8
 *              *<--+---'     *<--+---'     *<--+---'      reduce, along the tree of each node
 *              *-----------> * ----------> *              all-reduce of the leaders, around a ring
 *              *-->+---.     *-->+---.     *-->+---.      broadcast, along the trees
 *
 * Before    a flat ring of p ranks has 2 (p - 1) steps, and each waits for the slowest link.
 * Cost      for nodes of k ranks: 2 ceil(lg k) (alpha + n beta) + ceil(lg k) n gamma with the alpha and beta of a node, and the
 *           ring of p / k leaders with those of the network.
 * Wants     nodes. On one it is the tree, without any (a communicator that is itself a node) the ring.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "mpi/collectives/broadcast/broadcast.h"
#include "mpi/collectives/reduce/reduce.h"

void
allreduce_hierarchical(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (comm->node == NULL) {
        allreduce_ring(comm, x, y, n, type, op);
        return;
    }
    reduce_binomial(comm->node, x, y, n, type, op, 0);
    if (comm->node->rank == 0)
        allreduce_ring(comm->across, y, y, n, type, op);
    broadcast_binomial(comm->node, y, n, type, 0);
}
