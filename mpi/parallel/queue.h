/* The queue that owns MPI: the computing thread submits an operation and goes on; threads of the queue carry it out; a thread
 * that needs the result waits for its ticket.
 *
 *     Ticket sum = queue_allreduce(queue, data, collectives, x, x, n, ELEMENT_FLOAT, REDUCTION_SUM);
 *     Ticket out = queue_send(queue, pipeline, next, tag, y, bytes);
 *     .. compute ..
 *     queue_wait(queue, sum);
 *
 *     computing    forward | submits 0 | backward | submits 1, 2 | backward | waits ....... | goes on
 *     lane "data"  sleeps  | all-reduce 0 ........ | all-reduce 2 ................. | sleeps
 *     lane of messages                | send 1 ......... | sleeps
 *
 * Order. A lane for each communicator carries out its collectives one after the other, in the order submitted: the k-th
 * collective of a rank meets the k-th of the others, so all ranks of a communicator must submit the same ones in the same
 * order. One more lane has all sends and receives: each is posted at once, non-blocking, in the order submitted, and none waits
 * for another. Between two ranks messages of one communicator and tag arrive in the order in which they were sent. Lanes do not
 * wait for each other. So ranks may send first and then receive, whatever the size, and may submit operations of different
 * communicators, or messages and collectives, in any order. Only a collective of the MPI library itself (--collectives mpi in
 * anything but an all-reduce) holds up the other lanes while it waits.
 *
 * MPI is told to expect one thread at a time (MPI_THREAD_SERIALIZED). A lane holds a lock while it calls MPI, and lets go of it
 * between two polls of a message that is not there (comm_poll). As long as anything is under way MPI and the communicators may
 * be used through the queue only; queue_call takes any function.
 *
 * A waiting thread does the work of the lane itself if no thread is at it: a thread that has just been woken may have to wait
 * for a core, and the waiting one has one. If there is one lane alone it blocks in MPI. The threads may use all cores of the
 * process, and back off exponentially between polls while the rank computes. For the watchdog (mpi/watch) a rank that waits
 * here waits for the rank or the collective that its ticket needs.
 *
 * Several queues may exist, but only one be at work at a time. Ranks of one communicator must use their queues alike: whether a
 * collective polls depends on whether the queue has other lanes, or threads, and it decides what is called of MPI.
 *
 * Several threads may submit; those that are the first to use a communicator may not do so while another waits.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_QUEUE_H
#define MPI_PARALLEL_QUEUE_H

#include "mpi/collectives/collectives.h"
#include <stdint.h>

typedef struct Queue Queue;

/* A submitted operation; it is good for ever. (Ticket){0} is one that is done. */
typedef struct Ticket {
    struct Lane *lane;
    uint64_t number;
} Ticket;

/* No thread before it is needed. */
Queue *queue_create(void);

/* Waits for all that was submitted, and ends the threads. Before the communicators are freed. NULL is allowed. */
void queue_free(Queue *queue);

/* Messages of any length, of tags 0, 1, .. (below 32767). The buffer must stay, unchanged or unread, until the operation is done:
 * a completed send does not imply that it was received. The receiver must expect the number of bytes that is sent. */
Ticket queue_send(Queue *queue, Comm *comm, int to, int tag, const void *buffer, size_t bytes);
Ticket queue_receive(Queue *queue, Comm *comm, int from, int tag, void *buffer, size_t bytes);

/* Collectives (mpi/collectives/collectives.h). All ranks of comm submit. */
Ticket queue_allreduce(Queue *queue, Comm *comm, const Collectives *collectives, const void *x, void *y, size_t n,
                       Element type, Reduction op);
Ticket queue_broadcast(Queue *queue, Comm *comm, const Collectives *collectives, void *x, size_t n, Element type,
                       int root);

/* work(context) in its turn among the collectives of comm: it may communicate on comm, and on no other. */
typedef void QueueWork(void *context);
Ticket queue_call(Queue *queue, Comm *comm, QueueWork *work, void *context);

/* The same by the caller himself: submits and waits, but wakes no thread. For operations that do not overlap with computation. */
void queue_run(Queue *queue, Comm *comm, QueueWork *work, void *context);

/* Whether it is done: what it wrote is then seen by the caller. */
bool queue_done(Queue *queue, Ticket ticket);

/* Until it is done. */
void queue_wait(Queue *queue, Ticket ticket);

#endif
