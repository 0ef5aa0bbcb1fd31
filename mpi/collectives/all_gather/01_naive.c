/* all_gather, rung 1: naive.
 * Idea      rank 0 gathers all chunks and sends the whole vector to every rank.
 * Cost      2 (p - 1) alpha + (p - 1) (n / p + n) beta: all goes through rank 0.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "mpi/collectives/broadcast/broadcast.h"
#include "mpi/collectives/gather/gather.h"

void
all_gather_naive(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    gather_naive(comm, x, y, n, type, 0);
    broadcast_naive(comm, y, n, type, 0);
}
