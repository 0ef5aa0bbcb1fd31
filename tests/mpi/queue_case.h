/* What the tests of the queue share. SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_QUEUE_CASE_H
#define TESTS_MPI_QUEUE_CASE_H

#include "core/array.h"
#include "mpi/parallel/queue.h"
#include "tests/mpi/all_agree.h"
#include "tests/testing.h"
#include <time.h>

static inline void
pause_for(double seconds)
{
    nanosleep(&(struct timespec){0, (long)(seconds * 1e9)}, NULL);
}

/* Whether it is done within half a minute, without anybody waiting for it. */
static inline bool
becomes_done(Queue *queue, Ticket ticket)
{
    for (int i = 0; i < 30000 && !queue_done(queue, ticket); i++)
        pause_for(0.001);
    return queue_done(queue, ticket);
}

static inline const Collectives *
ring(void)
{
    return collectives_named("ring", &error);
}

/* The ranks of the world with this color, in their order. */
static inline Comm *
part_of_world(int color)
{
    int rank;
    MPI_Comm part;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, color, rank, &part));
    Comm *comm = comm_create(part, 0);
    CHECK_MPI(MPI_Comm_free(&part));
    return comm;
}

#endif
