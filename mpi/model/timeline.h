/* A step of training as a picture: what is computed and what is sent, and when. Timelines stand one above the other on the same
 * axis, so that a measured step can be compared with a predicted one:
 *
 *     measured, 19.7 ms     forward    [  forward  ]
 *                           backward                [4][ 3 ][  2   ][   1    ]
 *                           all-reduce                      [    4 3    ]     [  2 1   ]
 *                           update                                                      [u]
 *     predicted, 19.5 ms    ..
 *     milliseconds          0        5        10        15       20
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_TIMELINE_H
#define MPI_MODEL_TIMELINE_H

#include "core/error.h"
#include "mpi/model/merge.h"
#include <stdbool.h>

typedef enum TimelineRow {
    TIMELINE_FORWARD,
    TIMELINE_BACKWARD,
    TIMELINE_ALL_REDUCE,
    TIMELINE_UPDATE,
    TIMELINE_ROWS
} TimelineRow;

enum { TIMELINE_LABEL = 32 }; /* bytes, with the 0 at the end; longer labels are cut */

typedef struct TimelineSpan {
    TimelineRow row;
    double begin, end; /* seconds of any clock, the same one in a timeline; end >= begin */
    char label[TIMELINE_LABEL];
} TimelineSpan;

/* Begin with Timeline t = {.name = "measured"}; the name stays the caller's. */
typedef struct Timeline {
    const char *name;
    int count;
    TimelineSpan *span; /* [count], in the order of timeline_add */
    int room;
} Timeline;

/* One more span; the label as printf. */
void timeline_add(Timeline *timeline, TimelineRow row, double begin, double end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void timeline_free(Timeline *timeline);

/* From the first begin to the last end: 0 without spans. */
double timeline_seconds(const Timeline *timeline);

/* The spans of a predicted step: forward, layers L .. 1, the groups that are sent, update. names[l - 1] is layer l's; NULL: their
 * numbers. A span of no seconds, as of a layer without weights, is left out. */
void timeline_of_step(Timeline *timeline, const Step *step, const char *const *names);

/* Draws count >= 1 timelines from their first spans on. A dashed line stands where backward ends: communication right of it is
 * not overlapped. A span that is too narrow for its label has none. Needs gnuplot; false with a sentence. */
bool timeline_svg(const Timeline *timelines, int count, const char *title, const char *path, Error *error);

#endif
