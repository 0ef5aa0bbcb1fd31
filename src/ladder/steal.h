/* Time that other virtual machines took from this one.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_STEAL_H
#define LADDER_STEAL_H

#include <stdbool.h>

/* Ticks of all processors since the start: stolen by the hypervisor for others, and in all. */
typedef struct Steal {
    double stolen, total;
} Steal;

/* Reads /proc/stat. Zeros where there is none: nothing is then known to be stolen. */
Steal steal_read(void);

/* Parses the text of /proc/stat. False if it does not begin with the line that is expected. */
bool steal_parse(const char *text, Steal *steal);

/* The share of all processors' time stolen between two readings, 0 .. 1. A tick is 10 ms, so over short times this is coarse. */
double steal_share(Steal before, Steal after);

#endif
