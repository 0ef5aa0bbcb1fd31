/* What each rank is activity: one record a rank, in memory that the ranks of a machine share, so that a watchdog sees all of them
 * although they are blocked.
 *
 *     rank 0   moves 17  in MPI_Recv from rank 1 ..     odd: inside a call
 *     rank 1   moves 42  (MPI_Send to rank 0 ..)        even: outside, computing
 *
 * A call costs a few stores and no system call: the time is taken by the watchdog, which looks at `moves` again and again.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_ACTIVITY_H
#define MPI_WATCH_ACTIVITY_H

#include "mpi/watch/calls.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum WaitKind { WAIT_TO, WAIT_FROM, WAIT_ANY, WAIT_ALL } WaitKind;

/* What a call waits for. Ranks are those of MPI_COMM_WORLD. */
typedef struct Wait {
    WatchCall call;
    WaitKind
        kind; /* TO: that peer receives; FROM: its message; ANY: one of several things; ALL: all members call too */
    int peer, tag;           /* TO, FROM; tag MPI_ANY_TAG is -1 here */
    uint32_t collective;     /* ALL: its number among the collectives of the group */
    uint64_t bytes;          /* TO, FROM */
    uint64_t group, members; /* group.h */
} Wait;

/* ELSEWHERE: on another machine, or not begun. The watchdog itself finds out who is STOPPED by a signal or held by a debugger. */
typedef enum State { STATE_ELSEWHERE, STATE_RUNNING, STATE_ENDED, STATE_STOPPED, STATE_HELD } State;

enum { PHASE_SIZE = 96 };

typedef struct Activity {
    _Alignas(64) _Atomic uint64_t moves; /* one more at the beginning and at the end of each call */
    Wait wait;
    State state;
    _Atomic uint64_t beats; /* of the rank's own watchdog thread, some a second: none while the process is stopped */
    long process;           /* its number, */
    uint64_t process_space; /* and the PID namespace in which that is its number */
    uint64_t phase_began;   /* moves at the beginning of the phase */
    char phase[PHASE_SIZE];
} Activity;

enum { WATCH_LOG = 1, WATCH_ACTIVITY = 2, WATCH_STRICT = 4 };
extern int watch_on;            /* what is watched: a wrapper's one test */
extern Activity *activity_mine; /* of this rank; never NULL */

/* No other thread writes to this record, so no atomic addition is needed. The watchdog reads a record whose moves have stood
 * still for seconds: what stands in it has long arrived. */
static inline void
activity_move(void)
{
    const uint64_t moves = atomic_load_explicit(&activity_mine->moves, memory_order_relaxed);
    atomic_store_explicit(&activity_mine->moves, moves + 1, memory_order_release);
}

/* A rank with nothing else to do has polled in vain (watch_idle): until its next move it is inside that call. */
extern bool activity_parked;

static inline void
activity_unpark(void)
{
    if (activity_parked)
        activity_move();
    activity_parked = false;
}

static inline void
activity_begin(Wait wait)
{
    activity_unpark();
    activity_mine->wait = wait;
    activity_move();
}

static inline void
activity_end(void)
{
    activity_move();
}

#endif
