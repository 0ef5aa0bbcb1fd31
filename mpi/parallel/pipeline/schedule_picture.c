/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/schedule_picture.h"
#include "core/array.h"
#include "core/gnuplot.h"
#include <math.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------------------------------ */

/* "F0,3": the label with its stage. */
static void
slide_label(const PipelineSchedule *schedule, int stage, PipelineInstruction what, char text[2 * PIPELINE_LABEL])
{
    char label[PIPELINE_LABEL];
    pipeline_label(schedule, what, label);
    snprintf(text, 2 * PIPELINE_LABEL, what.kind == PIPELINE_U ? "%c" : "%c%d,%s", label[0], stage, label + 1);
}

/* Characters for one unit of time, so that the shortest instruction has room for its label and a space; 0 if none takes time. */
static double
text_scale(const PipelineSchedule *schedule, const PipelineRun *run)
{
    char text[2 * PIPELINE_LABEL];
    double scale = 0;
    for (int i = 0; i < run->stages; i++)
        for (int k = 0; k < run->stage[i].done; k++) {
            const double seconds = run->stage[i].end[k] - run->stage[i].start[k];
            slide_label(schedule, i, schedule->stage[i].instruction[k], text);
            if (seconds > 0)
                scale = fmax(scale, (double)(strlen(text) + 1) / seconds);
        }
    return scale;
}

/* The row of a stage into row[columns]: instructions that take no time (U) stand in the space before the next one. */
static void
text_row(const PipelineSchedule *schedule, const PipelineRun *run, int stage, double scale, int columns, char *row)
{
    const PipelineStageRun *line = &run->stage[stage];
    memset(row, '.', (size_t)columns);
    for (int k = 0; k < line->done; k++) {
        const double begin = round(line->start[k] * scale), end = round(line->end[k] * scale);
        char text[2 * PIPELINE_LABEL];
        slide_label(schedule, stage, schedule->stage[stage].instruction[k], text);
        const size_t length = strlen(text);
        if (end > begin)
            for (double at = begin; at < end && at < columns; at++)
                row[(size_t)at] = at - begin < (double)length ? text[(size_t)(at - begin)] : at + 1 < end ? '-' : ' ';
        else if (begin >= 1 && begin <= columns)
            row[(size_t)begin - 1] = text[0];
    }
}

void
pipeline_picture_text(const PipelineSchedule *schedule, const PipelineRun *run, int columns, FILE *out)
{
    enum { MARGIN = 11, LEAST = 20 };
    const double scale = text_scale(schedule, run), wanted = ceil(run->length * scale);
    const int room = columns - MARGIN > LEAST ? columns - MARGIN : LEAST, width = wanted < room ? (int)wanted : room;
    char *row = ARRAY(char, (size_t)width + 1);
    for (int i = 0; i < run->stages; i++) {
        text_row(schedule, run, i, scale, width, row);
        int length = width;
        while (length > 0 && row[length - 1] == ' ')
            length--;
        fprintf(out, "  stage %-3d%.*s\n", i, length, row);
    }
    if (width < wanted)
        fprintf(out, "  (cut at time %g of %g: --columns %.0f shows all of it, --svg draws it)\n", floor(width / scale),
                run->length, wanted + MARGIN);
    array_free(row);
}

/* ---- figure ---------------------------------------------------------------------------------------------------------------- */

enum {
    WIDTH = 1100,
    ROW = 26,
    MEMORY_ROW = 22,
    ABOVE = 76,
    BETWEEN = 60,
    BELOW = 55,
    FONT = 9,
    LETTER = 6 /* pixels */
};

static const double left = 0.1, right = 0.985; /* the axis, in fractions of the width */

/* Of Okabe and Ito's (2008) colours those on which black can be read. */
static const struct {
    const char *name, *colour;
} kinds[PIPELINE_KINDS] = {
    {"F forward", "#56b4e9"}, {"B backward", "#e69f00"}, {"W weights", "#009e73"}, {"U update", "#cc79a7"}};

/* Boxes of a kind: begin, end, stage, micro-batch (with .chunk), if it fits. Returns how many. */
static int
write_boxes(FILE *out, const PipelineSchedule *schedule, const PipelineRun *run, PipelineKind kind)
{
    int boxes = 0;
    fprintf(out, "$kind%d << END\n", (int)kind);
    for (int i = 0; i < run->stages; i++)
        for (int k = 0; k < run->stage[i].done; k++) {
            const PipelineInstruction what = schedule->stage[i].instruction[k];
            char label[PIPELINE_LABEL];
            if (what.kind != kind)
                continue;
            const double begin = run->stage[i].start[k], end = run->stage[i].end[k];
            const char *number = pipeline_label(schedule, what, label) + 1;
            const bool fits = LETTER * (double)strlen(number) <= (end - begin) / run->length * (right - left) * WIDTH;
            fprintf(out, "%.9g %.9g %d \"%s\"\n", begin, end, i, fits ? number : "");
            boxes++;
        }
    fprintf(out, "END\n");
    return boxes;
}

/* Micro-batches in flight: the corners of a staircase upwards from y = stage + 0.4; `most` of them are 0.85 high. They begin with F
 * and end with the last gradient. */
static void
write_memory(FILE *out, const PipelineSchedule *schedule, const PipelineRun *run, int stage, int most)
{
    const PipelineKind last = schedule->split ? PIPELINE_W : PIPELINE_B;
    const PipelineStageRun *line = &run->stage[stage];
    int held = 0;
    fprintf(out, "$held%d << END\n0 %g\n", stage, stage + 0.4);
    for (int k = 0; k < line->done; k++) {
        const PipelineKind kind = schedule->stage[stage].instruction[k].kind;
        if (kind != PIPELINE_F && kind != last)
            continue;
        const double at = kind == PIPELINE_F ? line->start[k] : line->end[k];
        fprintf(out, "%.9g %g\n", at, stage + 0.4 - 0.85 * held / most);
        held += kind == PIPELINE_F ? 1 : -1;
        fprintf(out, "%.9g %g\n", at, stage + 0.4 - 0.85 * held / most);
    }
    fprintf(out, "%.9g %g\nEND\n", run->length, stage + 0.4);
}

static void
write_stages(FILE *out, const PipelineSchedule *schedule, const PipelineRun *run, bool peaks)
{
    fprintf(out, "set yrange [%d.5:-0.6]\nset ytics scale 0 (", run->stages - 1);
    for (int i = 0; i < run->stages; i++)
        if (peaks)
            fprintf(out, "%s'%d: at most %g' %d", i ? ", " : "", i, (double)run->stage[i].peak / schedule->chunks, i);
        else
            fprintf(out, "%s'stage %d' %d", i ? ", " : "", i, i);
    fprintf(out, ")\n");
}

static void
write_timeline(Gnuplot *plot, const PipelineSchedule *schedule, const PipelineRun *run, const char *title)
{
    FILE *out = plot->script;
    bool any[PIPELINE_KINDS];
    fprintf(out, "set title ");
    gnuplot_text(plot, title);
    fprintf(out, " offset 0,1.2\nset key at graph 1,graph 1 right bottom horizontal samplen 1\nset format x ''\n");
    write_stages(out, schedule, run, false);
    for (int kind = 0; kind < PIPELINE_KINDS; kind++)
        any[kind] = write_boxes(out, schedule, run, (PipelineKind)kind) > 0;
    const char *separator = "plot ";
    for (int kind = 0; kind < PIPELINE_KINDS; kind++, separator = any[kind - 1] ? ", " : separator)
        if (!any[kind])
            continue;
        else if (kind == PIPELINE_U)
            fprintf(out, "%s$kind%d using 1:3 with points pointtype 7 pointsize 0.6 linecolor '%s' title '%s'",
                    separator, kind, kinds[kind].colour, kinds[kind].name);
        else
            fprintf(out,
                    "%s$kind%d using 1:3:1:2:($3-0.42):($3+0.42) with boxxyerror fillcolor '%s' fillstyle solid border "
                    "linecolor '#ffffff' title '%s', $kind%d using (($1+$2)/2):3:4 with labels font ',%d' notitle",
                    separator, kind, kinds[kind].colour, kinds[kind].name, kind, FONT);
    fprintf(out, "\n");
}

bool
pipeline_picture_svg(const PipelineSchedule *schedule, const PipelineRun *run, const char *title, const char *path,
                     Error *error)
{
    if (!(run->length > 0))
        return error_set(error, "there is nothing to draw in %s: no instruction takes any time", path);
    int most = 1;
    for (int i = 0; i < run->stages; i++)
        most = run->stage[i].peak > most ? run->stage[i].peak : most;
    const int upper = ABOVE + ROW * run->stages, height = upper + BETWEEN + MEMORY_ROW * run->stages + BELOW;
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, WIDTH, height, error))
        return false;
    FILE *out = plot.script;
    fprintf(out, "set termoption noenhanced\nset multiplot\nset border 1\nset tics scale 0.5\n");
    fprintf(out, "set lmargin at screen %g\nset rmargin at screen %g\nset xrange [0:%.9g]\n", left, right, run->length);
    fprintf(out, "set tmargin at screen %g\nset bmargin at screen %g\n", 1 - (double)ABOVE / height,
            1 - (double)upper / height);
    write_timeline(&plot, schedule, run, title);
    fprintf(out, "set tmargin at screen %g\nset bmargin at screen %g\n", 1 - (double)(upper + BETWEEN) / height,
            (double)BELOW / height);
    fprintf(out, "set title 'micro-batches in flight on each stage'\nset format x\nset xlabel 'time'\nunset key\n");
    write_stages(out, schedule, run, true);
    for (int i = 0; i < run->stages; i++)
        write_memory(out, schedule, run, i, most);
    for (int i = 0; i < run->stages; i++)
        fprintf(out, "%s$held%d using 1:2 with filledcurves y1=%g fillcolor '#0072b2' fillstyle solid 0.6 noborder",
                i ? ", " : "plot ", i, i + 0.4);
    fprintf(out, "\nunset multiplot\n");
    return gnuplot_close(&plot, error);
}
