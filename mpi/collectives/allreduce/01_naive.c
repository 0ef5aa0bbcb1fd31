/* allreduce, rung 1: naive.
 * Idea      every rank sends its vector to rank 0, which reduces them one by one and sends the result to every rank.
 * Cost      2 (p - 1) (alpha + n beta) + (p - 1) n gamma: rank 0 receives and sends every byte, the others wait.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/collectives/allreduce/allreduce.h"

/* EXERCISE 06.1  Naive (15 min, about 14 lines)
 * Every rank but 0 sends its x to rank 0 and receives the result into y. Rank 0 begins with its own vector, combines the others'
 * with it as they come, rank 1 first, and sends the result to all. x may be y; rank 0 needs memory for one vector that comes in,
 * and workspace(bytes) has some. mpi/point.h has the messages, mpi/element.h combine(). */
void
allreduce_naive(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    /* BEGIN SOLUTION 06.1 */
    if (comm->rank != 0) {
        point_send(comm, 0, x, n, type);
        point_receive(comm, 0, y, n, type);
        return;
    }
    collective_copy(x, y, n, type);
    void *incoming = workspace(n * element_size(type));
    for (int from = 1; from < comm->size; from++) {
        point_receive(comm, from, incoming, n, type);
        combine(op, type, n, y, incoming, y);
    }
    for (int to = 1; to < comm->size; to++)
        point_send(comm, to, y, n, type);
    /* END SOLUTION */
}
