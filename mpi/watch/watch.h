/* Watching messages. The program defines MPI_Send and its like itself, through MPI's profiling interface: each wrapper notes what is
 * done and calls PMPI_Send. Nobody needs to call anything for that; what is not watched costs one test.
 *
 *     counting   watch_begin(); .. WatchCounts counts = watch_end(MPI_COMM_WORLD);
 *     picture    watch_svg("ring.svg", &error) of what was counted last
 *     watchdog   RUNGS_WATCHDOG=5 (seconds; default 20, 0 turns it off): when no rank of this machine has moved for so long, all being
 *                in calls of MPI or at their end, it says who waits for whom and ends the run with status 3
 *     strict     RUNGS_STRICT=1: every send waits for its receiver, as MPI allows. What deadlocks only for long messages
 *                deadlocks always.
 *
 * Steps. A rank sends one message and receives one at a time, both at once if it likes. A message takes one step, or alpha + n beta.
 *
 *     rank 0  --1--.--2--.                     two sends one after the other: steps 1 and 2
 *     rank 1        `     `--2-------.--3--    it receives the second at step 2, then sends: step 3
 *     rank 2         `--1----------.  `--3--
 *     rank 3  --1------------------`--2--      two messages to rank 2 that would end at step 1: the later one ends at step 2
 *
 *     send     begins when the rank has come to it and its port is free; ends a step later
 *     receive  ends when the message has been sent, and at the earliest a step after the last receive ended
 *     wait     ends with the latest message that it waits for; computing costs nothing
 *
 * The k-th message from a to b with a tag on a communicator is the k-th that b receives there. The steps of a run are the end of the last
 * message: the longest chain of messages of which each had to wait for the one before. A collective of the library counts as a
 * call; its messages are its own and take no step.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_H
#define MPI_WATCH_H

#include "core/error.h"
#include <mpi.h>
#include <stdint.h>

typedef struct WatchTraffic {
    int64_t sent, received;             /* messages */
    int64_t sent_bytes, received_bytes; /* without envelopes */
    int64_t collectives;                /* calls of the library's own */
} WatchTraffic;

typedef struct WatchCounts {
    WatchTraffic mine, busiest, total; /* busiest: the largest of all ranks, each number by itself */
    int64_t steps;                     /* -1: more messages than the log holds */
} WatchCounts;

/* Forgets what was counted, and begins. */
void watch_begin(void);

/* Ends counting. All ranks of `comm` call, and messages to others count but take no step. The same steps on all ranks. */
WatchCounts watch_end(MPI_Comm comm);

/* Seconds that the messages counted last would take, alpha seconds each and beta a byte. Every rank may ask by itself. */
double watch_replay(double alpha, double beta);

/* Draws the messages counted last: a lane for each rank, time to the right, an arrow for each message. One rank calls. Needs gnuplot. */
bool watch_svg(const char *path, const char *title, Error *error);

/* What begins now, for the watchdog to tell: printf of at most 95 characters. */
void watch_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));

void watch_strict(bool strict);

#endif
