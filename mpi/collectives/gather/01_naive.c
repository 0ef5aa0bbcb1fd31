/* gather, rung 1: naive.
 * Idea      every rank sends its chunk to the root, which receives them one after the other.
 * Cost      (p - 1) alpha + n (p - 1) / p beta: no byte travels twice, but the root waits for p - 1 messages.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "gather.h"

void
gather_naive(Comm *comm, const void *x, void *y, size_t n, Element type, int root)
{
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    if (comm->rank != root) {
        point_send(comm, root, x, mine.count, type);
        return;
    }
    collective_copy(x, element_at(y, type, mine.first), mine.count, type);
    for (int from = 0; from < comm->size; from++) {
        const Chunk theirs = chunk_of(n, comm->size, from);
        if (from != root)
            point_receive(comm, from, element_at(y, type, theirs.first), theirs.count, type);
    }
}
