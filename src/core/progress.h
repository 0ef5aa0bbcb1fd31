/* How far, how fast, how long still. On a terminal one line is rewritten in place; in a log a plain line appears about
 * every 10 % and never more than one a second. Everything goes to stderr, so that a result on stdout stays clean.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Progress {
    const char *label, *unit;
    size_t total, done;
    double started, printed; /* clock_now() */
    size_t printed_done;
    bool terminal;
    FILE *out;
} Progress;

/* unit is plural: "images", "steps". total 0: not known. Ranks other than 0 print nothing. RUNGS_PROGRESS=off silences it,
 * =log and =terminal force a form. */
Progress progress_start(const char *label, size_t total, const char *unit);

/* note may be NULL; otherwise it stands at the end of the line ("loss 0.123"). Cheap: prints at most ten times a second. */
void progress_update(Progress *progress, size_t done, const char *note);

/* Prints the last state and ends the line. */
void progress_finish(Progress *progress, const char *note);

#endif
