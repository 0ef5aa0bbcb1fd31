/* A thread that looks whether any rank of this machine still moves. It uses no MPI: all ranks may be blocked inside it.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_WATCHDOG_H
#define MPI_WATCH_WATCHDOG_H

enum { WATCHDOG_STATUS = 3 }; /* the exit status of a run that it ended */

/* All ranks of MPI_COMM_WORLD call, after MPI has begun. From then on doing_mine is seen by all ranks of this machine. One
 * thread, of its lowest rank, ends the run when none of them has moved for `seconds`, and for one second more for every 10 MB
 * of the longest message that is waited for. It only tells, once, what it sees if it cannot be sure that they are stuck: while
 * a collective of the library has all its members, or if ranks of other machines may move. The records lie in a file in
 * /dev/shm that has no name any more; hosts that are one machine but have a /dev/shm each (mpi/cluster/) see each other's ranks
 * if RUNGS_WATCH_FOLDER names a folder that they share. */
void watchdog_start(double seconds);

/* After MPI has ended. Without watchdog_start it does nothing. */
void watchdog_stop(void);

#endif
