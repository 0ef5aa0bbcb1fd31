/* Who waits for whom, told from the ranks' records. Nothing here communicates.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_WAITS_H
#define MPI_WATCH_WAITS_H

#include "mpi/watch/activity.h"
#include <stdio.h>

/* Its process is stopped by a signal, or held by a debugger: it takes part in nothing. */
bool waits_stopped(const Activity *activity);

/* No rank of these moves: each is elsewhere, has ended, or is inside a call. */
bool waits_all(const Activity *ranks, int p);

/* A rank that `rank` surely waits for, or -1: it may be any, or it is not known. */
int waits_for(const Activity *ranks, int p, int rank);

/* Some ranks are in a collective from which none of its members is missing: the library moves data, unseen, for as long as it
 * takes, and ranks that wait for one of these may have to wait as long. */
bool waits_collective_runs(const Activity *ranks, int p);

/* Ranks each of which waits for the next, and the last for the first, from the smallest on. Returns how many: 0 if there are
 * none. */
int waits_cycle(const Activity *ranks, int p, int *cycle);

/* One line for each rank; then the deadlock, or who waits for a rank that has ended or is stopped. seconds[r]: since when r has not
 * moved, or has been stopped. */
void waits_print(FILE *out, const Activity *ranks, const double *seconds, int p);

#endif
