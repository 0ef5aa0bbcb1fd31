/* Which ranks of a machine are stopped. The watchdog's thread of each rank beats some times a second (activity.h); a process whose
 * thread beats no more is stopped by a signal, or held by a debugger.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_HEARTBEAT_H
#define MPI_WATCH_HEARTBEAT_H

#include "mpi/watch/activity.h"

/* What one thread has seen of the beats of all ranks. */
typedef struct Heartbeats {
    int size, me;
    double interval; /* seconds between two looks */
    uint64_t *beats; /* [size] at the last look */
    double *
        silent; /* [size] seconds since they changed, counted in looks: time in which the whole run was stopped is none */
} Heartbeats;

/* Which ranks have stopped; of the others the least time since one moved. */
typedef struct Stopped {
    bool any;
    double stopped, held, still; /* seconds, the longest; 0: none. still: the least */
} Stopped;

Heartbeats heartbeat_create(int size, int me, double interval);
void heartbeat_free(Heartbeats *heartbeats);

/* Notes the number of this process. */
void heartbeat_begin(Activity *mine);

/* Whether all lower ranks are elsewhere, have ended or are stopped: it is then for this rank to watch. To be asked at each look. */
bool heartbeat_lowest(Heartbeats *heartbeats, const Activity *ranks);

/* Only if heartbeat_lowest. now: copies of ranks, whose state becomes STOPPED or HELD; still[size]: seconds since they moved. */
Stopped heartbeat_stopped(Heartbeats *heartbeats, const Activity *ranks, Activity *now, const double *still);

#endif
