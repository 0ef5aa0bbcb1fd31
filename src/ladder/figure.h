/* What the figures of a report have in common. SPDX-License-Identifier: MIT */
#ifndef LADDER_FIGURE_H
#define LADDER_FIGURE_H

#include "core/gnuplot.h"
#include "ladder/report.h"

enum { FIGURE_PANELS = 16 };

/* The different numbers of threads, in the order of the tables: a panel for each. Returns how many. */
int figure_threads(const LadderReport *report, int threads[FIGURE_PANELS]);

/* Line types: rungs of ours in colours, peers black and dashed. A rung has the same in every figure, whatever stands beside it. */
void figure_linetypes(Gnuplot *plot);
int figure_linetype(const LadderTable *table, int row);
int figure_linetype_of(bool peer, int place); /* place: how many of its kind stand before it on the ladder */

/* How many lines a legend of `entries` entries takes below a panel of `width` pixels. */
int figure_legend_lines(int entries, int width);

#endif
