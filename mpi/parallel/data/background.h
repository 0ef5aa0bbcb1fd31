/* A thread that does jobs while its owner computes: job 0, 1, 2, .., one after the other, each as soon as it is handed over.
 *
 *     owner     computes | hands over 0 | computes | hands over 1, 2 | computes | waits ........ | goes on
 *     thread    sleeps   | job 0 .............. | sleeps | job 1 ........... | job 2 ........... | sleeps
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_BACKGROUND_H
#define MPI_PARALLEL_DATA_BACKGROUND_H

typedef struct Background Background;

typedef void BackgroundWork(void *context, int job);

/* Its thread may use all the cores that the process had at its start, not only the one that the owner is pinned to. Ends the
 * program if there can be no thread. */
Background *background_create(BackgroundWork *work, void *context);

/* Jobs up to number `end` - 1 may be done. What the owner wrote before is seen by the jobs. */
void background_hand_over(Background *background, int end);

/* Until all that was handed over is done, by the owner itself where the thread has not begun it: it may be waiting for a core. What
 * the jobs wrote is then seen by the owner. The next job is again number 0. */
void background_wait(Background *background);

/* Waits, and ends the thread. NULL is allowed. */
void background_free(Background *background);

#endif
