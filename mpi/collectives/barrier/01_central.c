/* barrier, rung 1: central.
 * Idea      every rank tells rank 0 that it has come; when all have, rank 0 tells every rank to go on.
 * Cost      2 (p - 1) alpha: rank 0 hears and tells one after the other.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "barrier.h"

void
barrier_central(Comm *comm)
{
    if (comm->rank != 0) {
        barrier_send(comm, 0);
        barrier_receive(comm, 0);
        return;
    }
    for (int from = 1; from < comm->size; from++)
        barrier_receive(comm, from);
    for (int to = 1; to < comm->size; to++)
        barrier_send(comm, to);
}
