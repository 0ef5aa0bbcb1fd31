/* Which ranks of a machine are stopped. The watchdog's thread of each rank beats some times a second (doing.h); a process whose
 * thread beats no more is stopped by a signal, or held by a debugger.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_HEARTS_H
#define MPI_WATCH_HEARTS_H

#include "mpi/watch/doing.h"

/* What one thread has seen of the beats of all ranks. */
typedef struct Hearts {
    int size, me;
    double interval; /* seconds between two looks */
    uint64_t *beats; /* [size] at the last look */
    double *
        silent; /* [size] seconds since they changed, counted in looks: time in which the whole run was stopped is none */
} Hearts;

/* Which ranks have stopped; of the others the least time since one moved. */
typedef struct Stopped {
    bool any;
    double stopped, held, still; /* seconds, the longest; 0: none. still: the least */
} Stopped;

Hearts hearts_create(int size, int me, double interval);
void hearts_free(Hearts *hearts);

/* Notes the number of this process. */
void hearts_begin(Doing *mine);

/* Whether all lower ranks are elsewhere, have ended or are stopped: it is then for this rank to watch. To be asked at each look. */
bool hearts_lowest(Hearts *hearts, const Doing *ranks);

/* Only if hearts_lowest. now: copies of ranks, whose state becomes STOPPED or HELD; still[size]: seconds since they moved. */
Stopped hearts_stopped(Hearts *hearts, const Doing *ranks, Doing *now, const double *still);

#endif
