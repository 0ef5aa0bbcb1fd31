/* Whether any rank of this machine still moves. A thread in each rank sends heartbeats, which tell a process that is stopped
 * from one that waits or computes; that of the lowest rank looks at all of them, or of the next if that is stopped. It uses no
 * MPI: all ranks may be blocked inside it.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_WATCHDOG_H
#define MPI_WATCH_WATCHDOG_H

enum { WATCHDOG_STATUS = 3 }; /* the exit status of a run that it ended */

/* All ranks of MPI_COMM_WORLD call, after MPI has begun. From then on all ranks of this machine see activity_mine. The thread
 * ends the run when none of them has moved for `seconds`, and for one second more for every 10 MB of the longest message that is
 * waited for. It only tells, once, what it sees if it cannot be sure that they are stuck: while a collective of the library has all
 * its members, or if ranks of other machines may move.
 *
 * A rank that is stopped (SIGSTOP) is told of within seconds; the run ends when it has been so, and no other rank of the machine
 * has moved, for `stopped` seconds (0: never). SIGCONT before that, and it goes on. Nor does it end while a debugger holds the
 * rank. Of a process in another PID namespace, that it is stopped is known only from its heartbeat: after 10 s.
 *
 * The records are in a file in /dev/shm that has no name any more; hosts that are one machine but have a /dev/shm each
 * (mpi/cluster/) see each other's ranks if RUNGS_WATCH_FOLDER names a folder that they share. Of other machines nothing is seen: a
 * stopped rank is told of by those of its own machine. */
void watchdog_start(double seconds, double stopped);

/* After MPI has ended. Without watchdog_start it does nothing. */
void watchdog_stop(void);

#endif
