/* Which ranks a communicator joins, in numbers that mean the same on all of them.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_GROUP_H
#define MPI_WATCH_GROUP_H

#include <mpi.h>
#include <stdint.h>

typedef struct Group {
    uint64_t id;          /* the same on all its ranks, and no other communicator's */
    uint64_t members;     /* bit w: rank w of MPI_COMM_WORLD belongs to it; what is beyond 64 has no bit */
    uint32_t collectives; /* begun so far */
    int size;
    int *world; /* [size]: each rank's number in MPI_COMM_WORLD */
} Group;

/* Of a communicator, found again at each call: it is kept with the communicator and ends with it. Of one that joins two groups,
 * the other one. */
Group *group_of(MPI_Comm comm);

/* comm has just been made by a call of all its ranks. Communicators of the same ranks are told apart by the order in which they
 * were made, which is the same on all of them. MPI_COMM_NULL is allowed. */
void group_born(MPI_Comm comm);

/* Rank `rank` of the group in MPI_COMM_WORLD; -1 for MPI_ANY_SOURCE. */
int group_world(const Group *group, int rank);

#endif
