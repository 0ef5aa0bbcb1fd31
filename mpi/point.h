/* Messages between two ranks, of any length: MPI counts elements in an int, and what is longer goes in several messages.
 * A failure ends all ranks with a sentence (core/checked.h).
 * SPDX-License-Identifier: MIT */
#ifndef MPI_POINT_H
#define MPI_POINT_H

#include "mpi/comm.h"

/* Returns when x may be changed, which does not imply that it was received. MPI may wait for the receiver: two ranks that both
 * send first wait for each other, where the message is long. n = 0 sends an empty message. */
void point_send(Comm *comm, int to, const void *x, size_t n, Element type);

/* The sender must have sent the same number of elements. */
void point_receive(Comm *comm, int from, void *y, size_t n, Element type);

/* The same from whichever rank's message is there first; returns that rank. It takes any message on comm, also one that belongs to
 * a collective which its sender has come to sooner: where that can be, such messages need a communicator of their own. */
int point_receive_any(Comm *comm, void *y, size_t n, Element type);

/* Sends and receives at the same time, so that a ring of ranks that all call this moves on. x and y must not overlap. */
void point_exchange(Comm *comm, int to, const void *x, size_t n, int from, void *y, size_t m, Element type);

/* A message under way: begin, compute something else, wait. */
typedef struct Pending {
    Comm *comm;
    MPI_Request *request; /* [count], one for each message */
    int count;
    MPI_Request one; /* where the one request of a short message stands */
} Pending;

/* pending is filled, and must stay where it is until point_wait; so must x, unchanged, and y, unread. */
void point_begin_send(Comm *comm, int to, const void *x, size_t n, Element type, Pending *pending);
void point_begin_receive(Comm *comm, int from, void *y, size_t n, Element type, Pending *pending);

/* With a tag of their own, from 1 on: they never meet messages without, such as those of a collective. */
void point_begin_send_tagged(Comm *comm, int to, int tag, const void *x, size_t n, Element type, Pending *pending);
void point_begin_receive_tagged(Comm *comm, int from, int tag, void *y, size_t n, Element type, Pending *pending);

void point_wait(Pending *pending);

/* Lets MPI move the message on, which it may do in its calls only. Whether it is done: point_wait then returns at once, and must
 * still be called. */
bool point_test(Pending *pending);

/* Elements of the longest message; the rest follows in others. For tests, which have no vectors of 2^31 elements: 0 restores
 * INT_MAX. The same on all ranks. */
void point_set_limit(size_t elements);

#endif
