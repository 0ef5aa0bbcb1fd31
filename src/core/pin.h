/* A core for each OpenMP thread.
 *
 * Why: a thread that waits at a barrier spins. If the scheduler has put the thread that it waits for on the same core, that one
 * does not run until the time slice of the spinning one ends: a step of 30 microseconds then takes 4 milliseconds. Pinned to
 * different cores, they cannot meet.
 *
 * Only where it cannot do harm: when there are as many threads as cores that this process may use (fewer could all be pinned to
 * the first cores by several programs), when it is not one of several ranks (their launcher places them), and when OMP_PROC_BIND
 * or OMP_PLACES do not say otherwise. Linux only; elsewhere nothing happens.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_PIN_H
#define CORE_PIN_H

#include <stdbool.h>

/* Pins the first `threads` OpenMP threads, the caller included, or releases them where the conditions above do not hold.
 * Returns whether they are pinned now. Call it outside parallel regions; host_set_threads() does. */
bool pin_threads(int threads);

/* Lets the calling thread use all the cores again that the process had at its start: for a child before it becomes another
 * program, which would inherit the one core. */
void pin_release(void);

#endif
