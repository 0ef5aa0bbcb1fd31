/* A rung played through on paper: round after round, which rank sends how many bytes to which, and what each then combines.
 * From that come all counts of a Cost, exact also where chunks are uneven. A round ends when its slowest message has come.
 *
 *     round 1   0 -> 1   2 -> 3       n bytes each        binomial reduce of 4 ranks
 *               1, 3 combine          n bytes each
 *     round 2   0 -> 2 ..
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_SCHEDULE_H
#define MPI_MODEL_SCHEDULE_H

#include "mpi/model/cost.h"

typedef struct Schedule Schedule;

/* Ranks that work together on a vector of n elements: member i is rank member[i], and its chunk is chunk_of(n, size, place[i]). */
typedef struct Group {
    const int *member, *place; /* [size]; place may be NULL: i */
    int size;
    size_t n;
} Group;

static inline int
group_rank(const Group *group, int member)
{
    return group->member[member];
}

static inline int
group_place(const Group *group, int member)
{
    return group->place != NULL ? group->place[member] : member;
}

/* In the round that is being filled. Messages of no bytes are messages. */
void schedule_send(Schedule *schedule, int from, int to, double bytes);
void schedule_reduce(Schedule *schedule, int rank, double bytes);

/* Every rank copies `bytes` bytes into memory that its node shares, and the same number out of it, in segments: the time of
 * messages of that size between two ranks, since one copies each in and one copies it out. moved: what it loads and stores for
 * that. */
void schedule_through(Schedule *schedule, double moved, double bytes, double pieces);

/* Bytes that a rank loads and stores besides messages and sums, outside all rounds; and waits for a flag in shared memory. */
void schedule_copy(Schedule *schedule, int rank, double moved);
void schedule_flags(Schedule *schedule, double flags);

/* Ends the round; one without messages is no step. overlapped: as in CostPhase. */
void schedule_round(Schedule *schedule, bool overlapped);

const CostCase *schedule_case(const Schedule *schedule);
double schedule_bytes(const Schedule *schedule, size_t elements);

/* An algorithm: how many rounds a group needs, and what it does in one of them. */
typedef struct Algorithm {
    int (*rounds)(const Schedule *schedule, const Group *group);
    void (*round)(Schedule *schedule, const Group *group, int round);
    bool overlapped, ring; /* ring: of all ranks, members stand in the order of mpi/ring.h */
} Algorithm;

/* Several groups do it at the same time, round by round. */
void schedule_play(Schedule *schedule, const Algorithm *algorithm, const Group *groups, int count);

/* All ranks do it as one group. */
void schedule_play_all(Schedule *schedule, const Algorithm *algorithm);

/* The ranks of each node, into nodes[p]; returns how many nodes. And the ranks at each place of a node that one of them has, into
 * columns[p]; returns how many places. Each in the order of ranks. */
int schedule_nodes(const Schedule *schedule, Group *nodes);
int schedule_columns(const Schedule *schedule, Group *columns);

/* Plays the rung of an operation. False: there is none of that name, or it cannot work here. */
bool schedule_allreduce(Schedule *schedule); /* cost_allreduce.c */
bool schedule_other(Schedule *schedule);     /* cost_others.c */

#endif
