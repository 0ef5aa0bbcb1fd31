/* broadcast, rung 1: naive.
 * Idea      the root sends the vector to one rank after the other.
 * Cost      (p - 1) (alpha + n beta): all goes out through the root, the others wait.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "broadcast.h"

void
broadcast_naive(Comm *comm, void *x, size_t n, Element type, int root)
{
    if (comm->rank != root) {
        point_receive(comm, root, x, n, type);
        return;
    }
    for (int to = 0; to < comm->size; to++)
        if (to != root)
            point_send(comm, to, x, n, type);
}
