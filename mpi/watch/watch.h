/* Watching messages. The program defines MPI_Send and its like itself, through MPI's profiling interface: each wrapper notes what
 * is done and calls PMPI_Send. Nothing needs to be called for that; a call that is not watched costs one test.
 *
 *     counting   watch_begin(); .. WatchCounts counts = watch_end(MPI_COMM_WORLD);
 *     picture    watch_svg("ring.svg", &error) of what was counted last
 *     watchdog   RUNGS_WATCHDOG=5 (seconds; default 20, 0 turns it off): when no rank has moved for that time, all being in
 *                calls of MPI or at their end, it says who waits for whom and ends the run with status 3. A rank that computes,
 *                or polls with MPI_Test, is not stuck (but see watch_idle), nor is a collective of the library that all its
 *                members have called: long ones take their time. It sees the ranks of its own machine only.
 *     stopped    RUNGS_STOPPED=300 (seconds; default 60, 0: never): a rank that is stopped (SIGSTOP) is named within 5 s, and
 *                when no other has moved for that time, the run ends with status 3. SIGCONT before that, and it goes on.
 *     strict     RUNGS_STRICT=1: every send waits for its receiver, as MPI allows. What deadlocks only for long messages
 *                deadlocks always.
 *
 * Steps. A rank sends one message at a time and receives one at a time, both at once if it likes. A message takes a step, or
 * alpha + n beta seconds; computing takes none.
 *
 *     time      0         1         2         3
 *     rank 0    [ a to 2 ][ b to 1 ]                  one after the other
 *     rank 1                       b[ c to 2 ]        c had to wait for b
 *     rank 2              a         d         c       a and d are sent at the same time: d is received after a
 *     rank 3    [ d to 2 ]                            4 messages, 3 steps
 *
 *     send     begins when the rank has come to it and has sent what it began before
 *     receive  ends when the message is sent, and at the earliest a step after the message that came in before it
 *     wait     ends with the latest of the messages that it waits for
 *
 * The k-th message from a to b with a tag on a communicator is the k-th that b receives there. The steps of a run are the end
 * of the last message: the longest chain of messages of which each had to wait for the one before. A collective of the library
 * counts as a call; its messages are its own and take no step. Not watched: MPI_Waitsome, MPI_Testany, MPI_Testsome,
 * persistent requests, windows. A rank that waits for a flag in memory that ranks share
 * (mpi/window.h) waits for the rank that sets it, after some milliseconds. Where threads communicate beside computing ones
 * (mpi/parallel/queue.h), their calls are the rank's; while they poll it counts as computing, and from when the rank only waits for
 * them, as waiting. One thread at a time calls MPI, or records would mix.
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

/* Draws the messages counted last: a lane for each rank, time to the right, an arrow for each message. One rank calls. It needs
 * gnuplot. */
bool watch_svg(const char *path, const char *title, Error *error);

/* What begins now, for the watchdog to tell: printf of at most 95 characters. */
void watch_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));

void watch_strict(bool strict);

/* From here on, or no longer: the rank has nothing to do but to wait for what it polls. For the watchdog a test in vain is then a
 * wait for that message, until the rank's next move. */
void watch_idle(bool idle);

#endif
