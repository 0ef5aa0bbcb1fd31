/* Time that only goes forward.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

/* Seconds since some fixed moment (CLOCK_MONOTONIC). */
double clock_now(void);

/* "2026-11-21T09:30:00Z" into text[32]: for results and checkpoints, never for measuring. */
void clock_date(char text[32]);

#endif
