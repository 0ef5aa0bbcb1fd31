/* gather, rung 2: binomial tree.
 * Idea      the tree of the reduce, but what comes in is put behind what is there: a rank collects the chunks of its subtree,
 *           which are contiguous, and forwards them as one message.
 *
 *               p = 4   0     1     2     3      relative ranks: the root is 0
 *               step 1  01 <- 1     23 <- 3
 *               step 2  0123  <---- 23
 *
 * Before    the root received p - 1 messages.
 * Cost      ceil(lg p) alpha + n (p - 1) / p beta: the same bytes at the root, in fewer messages.
 * Wants     short chunks: chunks from far down the tree travel several times. Another root than rank 0 copies the vector once
 *           more, since chunks come in counted from the root.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "gather.h"
#include "mpi/collectives/tree.h"

void
gather_binomial(Comm *comm, const void *x, void *y, size_t n, Element type, int root)
{
    const int p = comm->size, v = relative_rank(comm, root), span = tree_span(comm, v), reach = tree_reach(comm, v);
    const size_t mine = relative_first(comm, n, root, v);
    const size_t held_count = relative_first(comm, n, root, v + span) - mine;
    if (v != 0 && span == 1) { /* a leaf */
        point_send(comm, absolute_rank(comm, v - reach, root), x, held_count, type);
        return;
    }
    void *held = v == 0 && root == 0 ? y : workspace(held_count * element_size(type));
    collective_copy(x, held, relative_first(comm, n, root, v + 1) - mine, type);
    for (int bit = 1; bit < reach && v + bit < p; bit *= 2) {
        const size_t first = relative_first(comm, n, root, v + bit);
        const size_t end = relative_first(comm, n, root, v + bit + tree_span(comm, v + bit));
        point_receive(comm, absolute_rank(comm, v + bit, root), element_at(held, type, first - mine), end - first,
                      type);
    }
    if (v != 0)
        point_send(comm, absolute_rank(comm, v - reach, root), held, held_count, type);
    else if (root != 0)
        rotate_copy(held, n - chunk_of(n, p, root).first, y, n, type);
}
