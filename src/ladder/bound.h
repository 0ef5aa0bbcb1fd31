/* The least time that a machine needs for a problem, by the roofline.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_BOUND_H
#define LADDER_BOUND_H

#include "ladder/ladder.h"

/* The roof that the table is under: whichever takes longer, its operations at the peak rate or its bytes from where they fit. An
 * operation of streams (ladder.h) from memory is under the triad. machine == NULL: ROOF_READ. */
Roof bound_roof(const LadderTable *table, const Machine *machine);

/* Seconds under table->roof. Its rate is the median of those interleaved with the rungs, table->roof_rate, if there are any,
 * and otherwise what the machine can. NaN: not known. */
double bound_seconds(const LadderTable *table, const Machine *machine);

#endif
