/* The learning rate as a function of (step, total steps) alone: a resumed run has the rates that it would have had.
 *
 *     constant             base
 *     step:SPAN:FACTOR     base FACTOR^(number of complete SPANs done)
 *     cosine[:END]         from base to END base, half a cosine     (Loshchilov and Hutter 2017, arXiv:1608.03983)
 *     linear[:END]         from base to END base, a straight line
 *     warmup:SPAN+...      a line up to base first (Goyal et al. 2017, arXiv:1706.02677); the rest has the steps that remain
 *
 * A SPAN is a number of steps ("500") or a fraction of the total ("5%"). END is a fraction, 0 if absent.
 * "warmup:5%+cosine:0.01".
 * SPDX-License-Identifier: MIT */
#ifndef NN_SCHEDULE_H
#define NN_SCHEDULE_H

#include "core/error.h"
#include <stdint.h>

typedef enum ScheduleKind { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE, SCHEDULE_LINEAR } ScheduleKind;

typedef struct ScheduleSpan {
    double value; /* 0: none */
    bool percent; /* of the total; else steps */
} ScheduleSpan;

typedef struct Schedule {
    ScheduleKind kind;
    ScheduleSpan every; /* SCHEDULE_STEP */
    double factor;      /* SCHEDULE_STEP */
    double end;         /* SCHEDULE_COSINE, SCHEDULE_LINEAR */
    ScheduleSpan warmup;
} Schedule; /* all zero is the constant schedule */

/* Reads the text above; false with a sentence if it is not one, *schedule is then unchanged. */
bool schedule_parse(const char *text, Schedule *schedule, Error *error);

/* The text that schedule_parse reads back to the same schedule, for checkpoints and messages. Returns text. */
enum { SCHEDULE_TEXT_SIZE = 128 };
const char *schedule_print(const Schedule *schedule, char text[SCHEDULE_TEXT_SIZE]);

/* The rate of step `step` (0, 1, .. total-1). Past the total it stays at the last value. */
double schedule_rate(const Schedule *schedule, double base, uint64_t step, uint64_t total);

#endif
