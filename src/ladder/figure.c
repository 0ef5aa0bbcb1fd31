/* Results as a figure: rate against size.
 * SPDX-License-Identifier: MIT */
#include "core/gnuplot.h"
#include "ladder/report.h"
#include <math.h>

enum { PANEL_WIDTH = 560, HEIGHT = 460, PANELS = 16 };

/* The different numbers of threads, in the order of the tables. */
static int
thread_counts(const LadderReport *report, int threads[PANELS])
{
    int count = 0;
    for (int t = 0; t < report->count; t++) {
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || threads[i] == report->tables[t]->threads;
        if (!known && count < PANELS)
            threads[count++] = report->tables[t]->threads;
    }
    return count;
}

/* A block of gnuplot data: a line for each size with the bound and then each rung's rate, NaN where there is none. Returns how many
 * sizes. */
static int
write_data(Gnuplot *plot, const LadderReport *report, int threads)
{
    char size[64];
    int sizes = 0;
    fprintf(plot->script, "$data%d << END\n", threads);
    for (int t = 0; t < report->count; t++) {
        const LadderTable *table = report->tables[t];
        if (table->threads != threads)
            continue;
        sizes++;
        fprintf(plot->script, "\"%s\" %.9g", ladder_size_text(table->ladder, table->size, size),
                table->flops / table->bound / 1e9);
        for (int i = 0; i < table->count; i++)
            fprintf(plot->script, " %.9g",
                    table->rows[i].state == ROW_MEASURED ? table->flops / table->rows[i].time.median / 1e9 : NAN);
        fprintf(plot->script, "\n");
    }
    fprintf(plot->script, "END\n");
    return sizes;
}

/* gnuplot complains of a line without a single point. */
static bool
has_rate(const LadderReport *report, int threads, int row)
{
    for (int t = 0; t < report->count; t++)
        if (report->tables[t]->threads == threads && report->tables[t]->rows[row].state == ROW_MEASURED)
            return true;
    return false;
}

static void
write_panel(Gnuplot *plot, const LadderReport *report, int threads)
{
    const LadderTable *table = report->tables[0]; /* all tables have the same rows */
    int sizes = write_data(plot, report, threads);
    fprintf(plot->script, "set title '%d thread%s'\nset xrange [-0.2:%g]\nplot ", threads, threads > 1 ? "s" : "",
            sizes - 0.8);
    const char *separator = "";
    if (report->machine != NULL) {
        fprintf(plot->script,
                "$data%d using 0:2:xtic(1) with lines dashtype 2 linewidth 2 linecolor '#999999' title 'bound'",
                threads);
        separator = ", ";
    }
    for (int i = 0; i < table->count; i++) {
        if (!has_rate(report, threads, i))
            continue;
        fprintf(plot->script, "%s$data%d using 0:%d:xtic(1) with linespoints linetype %d title ", separator, threads,
                i + 3, i + 1);
        gnuplot_text(plot, table->rows[i].rung->name);
        separator = ", ";
    }
    fprintf(plot->script, "%s\n", separator[0] == '\0' ? "NaN notitle" : "");
}

bool
report_svg(const LadderReport *report, const char *path, Error *error)
{
    int threads[PANELS], panels = thread_counts(report, threads);
    if (panels == 0)
        return error_set(error, "there is nothing to draw in %s: no size was measured", path);
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, PANEL_WIDTH * panels, HEIGHT, error))
        return false;
    fprintf(plot.script,
            "set linetype 6 linecolor '#e69f00' linewidth 2 pointtype 11 pointsize 0.6\n"
            "set linetype 7 linecolor '#56b4e9' linewidth 2 pointtype 3 pointsize 0.6\n"
            "set multiplot layout 1,%d title ",
            panels);
    char title[256];
    snprintf(title, sizeof title, "%s: %s", report->ladder->operation.name, report->ladder->operation.formula);
    gnuplot_text(&plot, title);
    fprintf(plot.script, "\nset xlabel ");
    snprintf(title, sizeof title, "size %s", report->ladder->operation.dimensions);
    gnuplot_text(&plot, title);
    fprintf(plot.script, "\nset ylabel 'operations (GFLOP/s)'\nset yrange [0:*]\nset xtics rotate by -35\n"
                         "set key outside below center horizontal height 1\nset datafile missing 'nan'\n");
    for (int i = 0; i < panels; i++)
        write_panel(&plot, report, threads[i]);
    fprintf(plot.script, "unset multiplot\n");
    return gnuplot_close(&plot, error);
}
