/* allreduce, rung 9: two-dimensional.
 * Idea      nodes are rows and places are columns. Reduce-scatter along the rows, so that each place has a chunk of its node's
 *           sum; all-reduce each chunk along its column, all columns at the same time; all-gather along the rows.
 *
 *                         place 0   place 1   place 2
 *               node 0       0 ------- 1 ------- 2        1. reduce-scatter in the row: place i has chunk i of 3
 *                            |         |         |        2. all-reduce in the column: n / 3 bytes each
 *               node 1       3 ------- 4 ------- 5        3. all-gather in the row
 *                            |         |         |
 *               node 2       6 ------- 7 ------- 8
 *
 *           Nodes need not be equally large: the smallest one determines the number of columns, and a rank beyond them gives
 *           its vector to one that is in a column, and gets the result.
 * Before    hierarchical: one leader of each node sends the whole vector while its neighbours wait.
 * Cost      for nodes of k ranks: 2 (k - 1) alpha + 2 n (k - 1) / k beta with the alpha and beta of a node, and for the network a
 *           ring of p / k ranks with n / k bytes: 2 (p / k - 1) steps, where the flat ring has 2 (p - 1).
 * Wants     nodes of the same size, and a network that serves all ranks of a node at once. Without nodes it is the ring.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/workspace.h"
#include "mpi/collectives/all_gather/all_gather.h"
#include "mpi/collectives/reduce_scatter/reduce_scatter.h"

/* Adds what the ranks beyond the columns send to mine: place i of k columns hears from i + k, i + 2 k, .. Returns where the sum
 * stands. */
static const void *
take_in_guests(const Comm *row, Comm *node, const void *x, void *y, size_t n, Element type, Reduction op)
{
    for (int guest = row->rank + row->size; guest < node->size; guest += row->size) {
        void *incoming = workspace(n * element_size(type));
        point_receive(node, guest, incoming, n, type);
        combine(op, type, n, x, incoming, y);
        x = y;
    }
    return x;
}

static void
in_columns(Comm *comm, Comm *row, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const Chunk part = chunk_of(n, row->size, row->rank);
    void *mine = element_at(y, type, part.first);
    reduce_scatter_ring(row, x, mine, n, type, op);
    allreduce_ring(comm->across, mine, mine, part.count, type, op);
    all_gather_ring(row, mine, y, n, type);
}

void
allreduce_two_dimensional(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    Comm *node = comm->node;
    if (node == NULL) {
        allreduce_ring(comm, x, y, n, type, op);
        return;
    }
    Comm row = *node; /* the first places of the node, which all nodes have */
    row.size = comm->node_smallest;
    if (row.rank >= row.size) {
        point_send(node, row.rank % row.size, x, n, type);
        point_receive(node, row.rank % row.size, y, n, type);
        return;
    }
    x = take_in_guests(&row, node, x, y, n, type, op);
    in_columns(comm, &row, x, y, n, type, op);
    for (int guest = row.rank + row.size; guest < node->size; guest += row.size)
        point_send(node, guest, y, n, type);
}
