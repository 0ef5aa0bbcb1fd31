/* reduce, rung 1: naive.
 * Idea      every rank sends its vector to the root, which reduces them one after the other.
 * Cost      (p - 1) (alpha + n beta + n gamma): the root receives and reduces every byte, the others wait.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "reduce.h"

void
reduce_naive(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op, int root)
{
    if (comm->rank != root) {
        point_send(comm, root, x, n, type);
        return;
    }
    collective_copy(x, y, n, type);
    void *incoming = workspace(n * element_size(type));
    for (int from = 0; from < comm->size; from++) {
        if (from == root)
            continue;
        point_receive(comm, from, incoming, n, type);
        combine(op, type, n, y, incoming, y);
    }
}
