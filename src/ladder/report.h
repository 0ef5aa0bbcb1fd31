/* What was measured, as text for people, as CSV and JSON for programs, and as a figure.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_REPORT_H
#define LADDER_REPORT_H

#include "ladder/ladder.h"
#include <stdio.h>

/* All tables of one run. */
typedef struct LadderReport {
    const Ladder *ladder;
    const Machine *machine; /* NULL: not measured */
    uint64_t seed;
    int count;
    LadderTable *const *tables; /* [count] */
} LadderReport;

/* The machine, the build, the selected peers (NULL: all) and the peaks that the tables below are to be read with.
 * ladder/report.c. */
void report_machine(const Ladder *ladder, const bool *selected, const Machine *machine, FILE *out);

/* What the columns of the tables mean. */
void report_legend(const Ladder *ladder, FILE *out);

/* The operation's columns, or those of all that compute. */
const Column *report_columns(const Operation *operation);

/* Values of columns: FLOP/s, and the bound as a share of the time. */
double report_operations(const LadderTable *table, const LadderRow *row);
double report_share_of_bound(const LadderTable *table, const LadderRow *row);

/* One table: a row for each rung. A rung that was wrong shows what was wrong in place of a time. */
void report_table(const LadderTable *table, const Machine *machine, FILE *out);

/* "1.50 [1.47, 1.52]", the interval alone if it is wide, or "too noisy to say"; whatever it is compared with. Returns text. */
const char *report_comparison(const Comparison *comparison, char text[64]);

/* Of sizes that differ in their last number alone: that at which each rung is as fast as the row, with its interval: below it the
 * rung is the faster one. Prints a line for each rung. ladder/crossing.c. */
void report_crossings(LadderTable *const *tables, int count, const char *row, FILE *out);

/* A row for each rung, size and number of threads; times in seconds, nothing for what is not known. ladder/export.c. */
bool report_csv(const LadderReport *report, const char *path, Error *error);

/* The same with the host, the peaks, and the time of every sample. */
bool report_json(const LadderReport *report, const char *path, Error *error);

/* Rate against size, a line for each rung, a panel for each number of threads, and the bound. Needs gnuplot. ladder/figure.c. */
bool report_svg(const LadderReport *report, const char *path, Error *error);

/* The roofline (Williams, Waterman, Patterson 2009), both axes logarithmic: the machine's peaks as roofs, and each rung at each
 * size as a point, its rate against the operations for each byte that it moves. Needs gnuplot and the machine.
 * ladder/roofline.c. */
bool report_roofline(const LadderReport *report, const char *path, Error *error);

#endif
