/* SPDX-License-Identifier: MIT */
#include "mpi/model/timeline.h"
#include "core/array.h"
#include "core/gnuplot.h"
#include "core/units.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 960, ROW_HEIGHT = 30, ABOVE = 40, BELOW = 50, FONT = 11, LETTER = 7 /* pixels */ };

/* The axis, in fractions of the width. */
static const double left = 0.11, right = 0.97;

/* Of those that people with colour blindness can tell apart (Okabe and Ito 2008) the ones on which black can be read. */
static const struct {
    const char *name, *colour;
} rows[TIMELINE_ROWS] = {
    {"forward", "#56b4e9"}, {"backward", "#e69f00"}, {"all-reduce", "#009e73"}, {"update", "#cc79a7"}};

void
timeline_add(Timeline *timeline, TimelineRow row, double begin, double end, const char *format, ...)
{
    if (timeline->count == timeline->room) {
        timeline->room = 2 * timeline->room + 16;
        TimelineSpan *more = ARRAY(TimelineSpan, (size_t)timeline->room);
        if (timeline->count > 0)
            memcpy(more, timeline->span, (size_t)timeline->count * sizeof *more);
        array_free(timeline->span);
        timeline->span = more;
    }
    TimelineSpan *span = &timeline->span[timeline->count++];
    *span = (TimelineSpan){.row = row, .begin = begin, .end = end};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(span->label, sizeof span->label, format, arguments);
    va_end(arguments);
}

void
timeline_free(Timeline *timeline)
{
    array_free(timeline->span);
    timeline->span = NULL;
    timeline->count = timeline->room = 0;
}

static double
timeline_begin(const Timeline *timeline)
{
    double begin = timeline->count > 0 ? timeline->span[0].begin : 0;
    for (int i = 1; i < timeline->count; i++)
        begin = fmin(begin, timeline->span[i].begin);
    return begin;
}

double
timeline_seconds(const Timeline *timeline)
{
    const double begin = timeline_begin(timeline);
    double seconds = 0;
    for (int i = 0; i < timeline->count; i++)
        seconds = fmax(seconds, timeline->span[i].end - begin);
    return seconds;
}

/* "fc1", or the layer's number. */
static const char *
layer_name(const char *const *names, int layer, char number[TIMELINE_LABEL])
{
    snprintf(number, TIMELINE_LABEL, "%d", layer);
    return names != NULL ? names[layer - 1] : number;
}

void
timeline_of_step(Timeline *timeline, const Step *step, const char *const *names)
{
    char one[TIMELINE_LABEL], other[TIMELINE_LABEL];
    timeline_add(timeline, TIMELINE_FORWARD, 0, step->forward_end, "forward");
    for (int l = step->layers; l >= 1; l--)
        if (step->backward_end[l - 1] > step->backward_begin[l - 1])
            timeline_add(timeline, TIMELINE_BACKWARD, step->backward_begin[l - 1], step->backward_end[l - 1], "%s",
                         layer_name(names, l, one));
    for (int g = 0; g < step->groups; g++) {
        const StepGroup *group = &step->group[g];
        if (group->end > group->begin)
            timeline_add(timeline, TIMELINE_ALL_REDUCE, group->begin, group->end, "%s%s%s",
                         layer_name(names, group->last, one),
                         group->last > group->first + 1 ? " .. "
                         : group->last > group->first   ? " "
                                                        : "",
                         group->last > group->first ? layer_name(names, group->first, other) : "");
    }
    if (step->seconds > step->update_begin)
        timeline_add(timeline, TIMELINE_UPDATE, step->update_begin, step->seconds, "update");
}

/* ---- the picture: a row is 1 high; row r of timeline t lies at t (TIMELINE_ROWS + 1) + r, downwards ---- */

static int
place(int timeline, int row)
{
    return timeline * (TIMELINE_ROWS + 1) + row;
}

/* A label within the quotes of a data block. */
static void
write_label(FILE *out, const char *label)
{
    fputc('"', out);
    for (; *label != '\0'; label++)
        fputc(*label == '"' || *label == '\\' || *label == '\n' ? ' ' : *label, out);
    fputc('"', out);
}

/* begin, end, row and label of the spans of a row, in all timelines. Returns how many. */
static int
write_row(FILE *out, const Timeline *timelines, int count, int row, double milliseconds)
{
    int spans = 0;
    fprintf(out, "$row%d << END\n", row);
    for (int t = 0; t < count; t++) {
        const double origin = timeline_begin(&timelines[t]);
        for (int i = 0; i < timelines[t].count; i++) {
            const TimelineSpan *span = &timelines[t].span[i];
            if ((int)span->row != row)
                continue;
            const double begin = 1e3 * (span->begin - origin), end = 1e3 * (span->end - origin);
            const double pixels = (end - begin) / milliseconds * (right - left) * WIDTH;
            const bool fits = LETTER * (double)strlen(span->label) <= pixels;
            fprintf(out, "%.9g %.9g %d ", begin, end, place(t, row));
            write_label(out, fits ? span->label : "");
            fprintf(out, "\n");
            spans++;
        }
    }
    fprintf(out, "END\n");
    return spans;
}

/* Its name and length, the names of its rows, and the end of backward. */
static void
write_frame(Gnuplot *plot, const Timeline *timeline, int t)
{
    FILE *out = plot->script;
    char text[256], seconds[UNITS_SIZE];
    const double origin = timeline_begin(timeline);
    double backward_end = -1;
    snprintf(text, sizeof text, "%s, %s", timeline->name, units_format(seconds, timeline_seconds(timeline), "s"));
    fprintf(out, "set label ");
    gnuplot_text(plot, text);
    fprintf(out, " at first 0,%d left\n", place(t, 0) - 1);
    for (int row = 0; row < TIMELINE_ROWS; row++)
        fprintf(out, "set ytics add ('%s' %d)\n", rows[row].name, place(t, row));
    for (int i = 0; i < timeline->count; i++)
        if (timeline->span[i].row == TIMELINE_BACKWARD)
            backward_end = fmax(backward_end, timeline->span[i].end - origin);
    if (backward_end >= 0)
        fprintf(out, "set arrow from %.9g,%g to %.9g,%g nohead dashtype 2 linecolor '#333333' front\n",
                1e3 * backward_end, place(t, 0) - 0.5, 1e3 * backward_end, place(t, TIMELINE_ROWS) - 0.5);
}

static void
write_script(Gnuplot *plot, const Timeline *timelines, int count, double milliseconds, const char *title)
{
    FILE *out = plot->script;
    bool any[TIMELINE_ROWS];
    fprintf(out, "set termoption noenhanced\nset title ");
    gnuplot_text(plot, title);
    fprintf(out, "\nset lmargin at screen %g\nset rmargin at screen %g\nset border 1\nset tics scale 0.5\n", left,
            right);
    fprintf(out, "unset key\nset grid noytics xtics\nset xlabel 'milliseconds (dashed: backward has ended)'\n");
    fprintf(out, "set xrange [0:%.9g]\nset yrange [%g:-1.5]\nset ytics scale 0 ()\n", milliseconds,
            place(count, 0) - 0.5);
    for (int t = 0; t < count; t++)
        write_frame(plot, &timelines[t], t);
    for (int row = 0; row < TIMELINE_ROWS; row++)
        any[row] = write_row(out, timelines, count, row, milliseconds) > 0;
    const char *separator = "plot ";
    for (int row = 0; row < TIMELINE_ROWS; row++)
        if (any[row]) { /* gnuplot complains of a block without a line */
            fprintf(out,
                    "%s$row%d using 1:3:1:2:($3-0.42):($3+0.42) with boxxyerror fillcolor '%s' fillstyle solid border "
                    "linecolor '#ffffff', $row%d using (($1+$2)/2):3:4 with labels font ',%d'",
                    separator, row, rows[row].colour, row, FONT);
            separator = ", ";
        }
    fprintf(out, "\n");
}

bool
timeline_svg(const Timeline *timelines, int count, const char *title, const char *path, Error *error)
{
    double seconds = 0;
    for (int t = 0; t < count; t++)
        seconds = fmax(seconds, timeline_seconds(&timelines[t]));
    if (!(seconds > 0))
        return error_set(error, "there is nothing to draw in %s: no span of the step takes any time", path);
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, WIDTH, ABOVE + BELOW + ROW_HEIGHT * place(count, 0), error))
        return false;
    write_script(&plot, timelines, count, 1e3 * seconds, title);
    return gnuplot_close(&plot, error);
}
