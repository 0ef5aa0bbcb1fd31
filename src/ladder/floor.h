/* Floors: how much faster than another row the rungs must be, and whether they are.
 *
 *     openblas=1.00           the fastest of our rungs is no slower than the row openblas, at every size and number of threads
 *     peer=0.95               .. than the fastest peer; best: than our fastest rung
 *     mean:peer=1.10          the geometric mean over the sizes, for each number of threads
 *     ring/naive=1M:2.5       the rung ring, from 1 MiB on; a+b: the faster of the two; each: every rung of ours
 *     peer=1,64K:1.2,4M:2     floors that change with the size in bytes
 *     bound=0.90              a column of the table (ladder.h) of that rung
 *     each/predicted=0.75     1 - |predicted - time| / time of each rung, the median over the sizes
 *     order=0.91              of two rungs that are predicted to differ by more than 10 %, the faster one beside the other
 *
 * ok: at the floor or above. below: with its whole interval below. unsure: below, but the interval holds the floor; or above, but
 * the interval, wider than LADDER_NOISE, does.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_FLOOR_H
#define LADDER_FLOOR_H

#include "ladder/ladder.h"

enum { FLOOR_STEPS = 8 };

typedef struct Floor {
    const char *text; /* as it was given; it must live as long */
    char subject[128], row[64];
    bool mean;
    int steps;
    struct {
        double from, ratio; /* for sizes of `from` bytes or more */
    } step[FLOOR_STEPS];
} Floor;

/* False with a sentence: no floor, no such row, or one that is not selected (NULL: all are). */
bool floor_parse(const Ladder *ladder, const bool *selected, const char *text, Floor *floor, Error *error);

/* Prints a line for each verdict. False if one is below, or if nothing was measured that could be judged; a peer that is not on
 * this machine is said and is no failure. */
bool floor_judge(const Floor *floor, LadderTable *const *tables, int count, FILE *out);

#endif
