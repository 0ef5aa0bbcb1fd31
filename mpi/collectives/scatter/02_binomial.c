/* scatter, rung 2: binomial tree.
 * Idea      the root sends the second half of its chunks to a rank that forwards them, then the second half of the rest, and so
 *           on.
 *
 *               p = 4   0     1     2     3      relative ranks: the root is 0
 *               step 1  0123  ----> 23
 *               step 2  01 -> 1     23 -> 3
 *
 * Before    the root sent p - 1 messages.
 * Cost      ceil(lg p) alpha + n (p - 1) / p beta: the same bytes from the root, in fewer messages.
 * Wants     short chunks: chunks for far down the tree travel several times. Another root than rank 0 copies the vector once
 *           more, since chunks go out counted from the root.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/collectives/tree.h"
#include "scatter.h"

/* What v sends: the root its own vector, rotated so that its own chunk comes first; others what they receive from their parent. */
static const void *
held_by(Comm *comm, int v, const void *x, size_t n, Element type, int root)
{
    if (v == 0 && root == 0)
        return x;
    const size_t first = relative_first(comm, n, root, v);
    const size_t count = relative_first(comm, n, root, v + tree_span(comm, v)) - first;
    void *held = workspace(count * element_size(type));
    if (v == 0)
        rotate_copy(x, chunk_of(n, comm->size, root).first, held, n, type);
    else
        point_receive(comm, absolute_rank(comm, v - tree_reach(comm, v), root), held, count, type);
    return held;
}

void
scatter_binomial(Comm *comm, const void *x, void *y, size_t n, Element type, int root)
{
    const int v = relative_rank(comm, root), reach = tree_reach(comm, v);
    const size_t mine = relative_first(comm, n, root, v), count = relative_first(comm, n, root, v + 1) - mine;
    if (v != 0 && tree_span(comm, v) == 1) { /* a leaf */
        point_receive(comm, absolute_rank(comm, v - reach, root), y, count, type);
        return;
    }
    const void *held = held_by(comm, v, x, n, type, root);
    for (int bit = reach / 2; bit > 0; bit /= 2) {
        if (v + bit >= comm->size)
            continue;
        const size_t first = relative_first(comm, n, root, v + bit);
        const size_t end = relative_first(comm, n, root, v + bit + tree_span(comm, v + bit));
        point_send(comm, absolute_rank(comm, v + bit, root), element_at(held, type, first - mine), end - first, type);
    }
    collective_copy(held, y, count, type);
}
