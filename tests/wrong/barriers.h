/* Deliberately broken barriers: tests/mpi/barrier_case.h must catch every one of them. They are included, not linked.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_BARRIERS_H
#define TESTS_WRONG_BARRIERS_H

#include "mpi/collectives/barrier/barrier.h"

static void
wrong_barrier_nothing(Comm *comm)
{
    (void)comm;
}

/* Rank 0 waits for all, the others only tell it. */
static void
wrong_barrier_in_only(Comm *comm)
{
    for (int from = 1; comm->rank == 0 && from < comm->size; from++)
        barrier_receive(comm, from);
    if (comm->rank != 0)
        barrier_send(comm, 0);
}

/* All wait for rank 0, which does not wait. */
static void
wrong_barrier_out_only(Comm *comm)
{
    for (int to = 1; comm->rank == 0 && to < comm->size; to++)
        barrier_send(comm, to);
    if (comm->rank != 0)
        barrier_receive(comm, 0);
}

/* The dissemination's last step is missing. */
static void
wrong_barrier_short(Comm *comm)
{
    const int p = comm->size, r = comm->rank;
    for (int step = 1; 2 * step < p; step *= 2)
        point_exchange(comm, (r + step) % p, NULL, 0, (r + p - step) % p, NULL, 0, ELEMENT_BYTE);
}

static const struct {
    const char *name;
    Barrier *function;
} wrong_barriers[] = {
    {"nothing", wrong_barrier_nothing},
    {"in only", wrong_barrier_in_only},
    {"out only", wrong_barrier_out_only},
    {"a step short", wrong_barrier_short},
};
enum { WRONG_BARRIERS = sizeof(wrong_barriers) / sizeof(wrong_barriers[0]) };

#endif
