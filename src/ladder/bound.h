/* The least time that a machine needs for a problem, by the roofline.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_BOUND_H
#define LADDER_BOUND_H

#include "ladder/ladder.h"
#include <stdbool.h>

/* Whether the triad bounds the table: an operation of streams (ladder.h), from memory. */
bool bound_is_triad(const LadderTable *table, const Machine *machine);

/* Seconds: the operations at the peak rate, or the bytes from where they fit, whichever takes longer. Where the triad bounds, its
 * rate is the median of those measured by turns with the rungs, in table->triad, if there are any. NaN: not known. */
double bound_seconds(const LadderTable *table, const Machine *machine);

#endif
