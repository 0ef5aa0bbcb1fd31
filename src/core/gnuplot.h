/* Figures: SVG files that the program gnuplot draws.
 *
 *     Gnuplot plot;
 *     if (!gnuplot_open(&plot, "loss.svg", 640, 400, &error))
 *         ...
 *     fprintf(plot.script, "$data << END\n1 0.5\n2 0.25\nEND\nplot $data using 1:2 with lines\n");
 *     gnuplot_close(&plot, &error);
 *
 * The script is collected in a temporary file and passed when it is complete, so a gnuplot that stops early cannot stop us.
 * It runs without the user's start-up files: the same script gives the same figure everywhere.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_GNUPLOT_H
#define CORE_GNUPLOT_H

#include "core/atomic_file.h"

typedef struct Gnuplot {
    FILE *script;    /* write commands here */
    AtomicFile file; /* where the figure goes */
} Gnuplot;

/* True if gnuplot can be run here; otherwise a sentence that says what to do. */
bool gnuplot_is_here(Error *error);

/* Begins a figure of width x height pixels. The script already chose the SVG terminal, a white ground, the font, and line
 * types 1 .. 5 in colours that people with colour blindness can tell apart (Okabe and Ito 2008). */
bool gnuplot_open(Gnuplot *plot, const char *path, int width, int height, Error *error);

/* Draws; the file appears whole, or not at all if gnuplot refused the script (what it said is on stderr). */
bool gnuplot_close(Gnuplot *plot, Error *error);

/* Writes text as a gnuplot string, with its quotes: 'it''s'. A newline becomes a space. */
void gnuplot_text(Gnuplot *plot, const char *text);

#endif
