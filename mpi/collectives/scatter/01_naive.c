/* scatter, rung 1: naive.
 * Idea      the root sends its chunk to one rank after the other.
 * Cost      (p - 1) alpha + n (p - 1) / p beta: no byte travels twice, but the root sends p - 1 messages.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "scatter.h"

void
scatter_naive(Comm *comm, const void *x, void *y, size_t n, Element type, int root)
{
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    if (comm->rank != root) {
        point_receive(comm, root, y, mine.count, type);
        return;
    }
    collective_copy(element_at(x, type, mine.first), y, mine.count, type);
    for (int to = 0; to < comm->size; to++) {
        const Chunk theirs = chunk_of(n, comm->size, to);
        if (to != root)
            point_send(comm, to, element_at(x, type, theirs.first), theirs.count, type);
    }
}
