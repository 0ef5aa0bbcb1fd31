/* The space-time diagram of what was watched.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/gnuplot.h"
#include "mpi/watch/replay.h"

enum { COLOURS = 5 }; /* line types of core/gnuplot.h */

/* Lanes from rank 0 at the top, each rank's messages in a colour of its own; time in steps, so that the diagram shows the order
 * and not the speed of a machine. */
static void
write_script(Gnuplot *plot, const Arrows *arrows, int ranks, int steps, const char *title)
{
    FILE *out = plot->script;
    fprintf(out, "set title ");
    gnuplot_text(plot, title);
    fprintf(out, "\nset xlabel 'step'\nunset key\nset border 0\nset tics scale 0\nset xrange [-0.3:%d.3]\n", steps);
    fprintf(out, "set yrange [%d.5:-0.5]\nset xtics 0,%d\nset ytics (", ranks - 1, 1 + steps / 24);
    for (int r = 0; r < ranks; r++)
        fprintf(out, "%s'rank %d' %d", r ? ", " : "", r, r);
    fprintf(out, ")\n");
    for (int i = 1; i <= COLOURS; i++)
        fprintf(out, "set style arrow %d head filled size graph 0.015,18 linetype %d\n", i, i);
    fprintf(out, "$messages << END\n");
    for (int i = 0; i < arrows->count; i++) {
        const Arrow *arrow = &arrows->arrow[i];
        fprintf(out, "%g %d %g %d %d\n", arrow->begin, arrow->from, arrow->end - arrow->begin, arrow->to - arrow->from,
                1 + arrow->from % COLOURS);
    }
    fprintf(out, "END\nplot ");
    for (int r = 0; r < ranks; r++)
        fprintf(out, "%d with lines linecolor '#999999' linewidth 1.5, ", r);
    fprintf(out, "$messages using 1:2:3:4:5 with vectors arrowstyle variable\n");
}

bool
replay_svg(const Logs *logs, const char *path, const char *title, Error *error)
{
    int events = 0;
    for (int r = 0; r < logs->ranks; r++)
        events += logs->count[r];
    Arrows arrows = {ARRAY(Arrow, (size_t)events), 0};
    const int steps = (int)replay(logs, 1, 0, &arrows);
    Gnuplot plot;
    bool drawn = false;
    if (arrows.count == 0)
        error_set(error,
                  "no message was watched, so there is nothing to draw: watch_begin() comes before the messages");
    else if (gnuplot_open(&plot, path, 160 + 60 * (steps < 20 ? steps : 20), 90 + 60 * logs->ranks, error)) {
        write_script(&plot, &arrows, logs->ranks, steps, title);
        drawn = gnuplot_close(&plot, error);
    }
    array_free(arrows.arrow);
    return drawn;
}
