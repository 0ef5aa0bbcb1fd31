/* Results as a figure: rate against size.
 * SPDX-License-Identifier: MIT */
#include "ladder/figure.h"
#include <math.h>

enum { PANEL_WIDTH = 560, HEIGHT = 460, OURS = 16, PEERS = 8, FIRST_PEER = 21 };

int
figure_threads(const LadderReport *report, int threads[FIGURE_PANELS])
{
    int count = 0;
    for (int t = 0; t < report->count; t++) {
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || threads[i] == report->tables[t]->threads;
        if (!known && count < FIGURE_PANELS)
            threads[count++] = report->tables[t]->threads;
    }
    return count;
}

/* Colours that people with colour blindness can tell apart (Okabe and Ito 2008, and shades of them); colour and shape of the points
 * together are no other line's. */
void
figure_linetypes(Gnuplot *plot)
{
    static const struct {
        const char *colour;
        int point;
    } ours[OURS] = {{"#999999", 1},  {"#e69f00", 2},  {"#cc79a7", 3},  {"#56b4e9", 9}, {"#b8a000", 11}, {"#0072b2", 5},
                    {"#009e73", 13}, {"#d55e00", 7},  {"#7b4fa3", 15}, {"#66451a", 4}, {"#e60073", 6},  {"#004d40", 8},
                    {"#999999", 12}, {"#e69f00", 10}, {"#56b4e9", 5},  {"#cc79a7", 7}},
      peers[PEERS] = {{"#000000", 6},  {"#000000", 4}, {"#000000", 8}, {"#000000", 12},
                      {"#000000", 10}, {"#555555", 5}, {"#555555", 7}, {"#555555", 9}};
    for (int i = 0; i < OURS; i++)
        fprintf(plot->script, "set linetype %d linecolor '%s' linewidth 2 pointtype %d pointsize 0.6\n", i + 1,
                ours[i].colour, ours[i].point);
    for (int i = 0; i < PEERS; i++)
        fprintf(plot->script, "set linetype %d linecolor '%s' linewidth 1.5 dashtype %d pointtype %d pointsize 0.6\n",
                FIRST_PEER + i, peers[i].colour, i + 2, peers[i].point);
}

void
figure_size_ticks(Gnuplot *plot, double least, double most)
{
    enum { TICKS = 9 };
    const int first = (int)ceil(log2(least) - 1e-9), last = (int)floor(log2(most) + 1e-9);
    const int step = 1 + (last - first) / TICKS;
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    const char *separator = "";
    /* A little more: gnuplot leaves out a tick at the very end of a logarithmic axis. */
    fprintf(plot->script, "set xrange [%.9g:%.9g]\nset xtics (", 0.95 * least, 1.05 * most);
    for (int power = first; power <= last; power += step) {
        const int unit = power < 0 ? 0 : power / 10 < 4 ? power / 10 : 4;
        fprintf(plot->script, "%s'%g %s' %.0f", separator, ldexp(1, power - 10 * unit), units[unit], ldexp(1, power));
        separator = ", ";
    }
    fprintf(plot->script, ")\n");
}

int
figure_legend_lines(int entries, int width)
{
    enum { ENTRY = 280 }; /* pixels of the longest: a sample of the line and "mpi:recursive_doubling" */
    const int columns = width / ENTRY > 0 ? width / ENTRY : 1;
    return (entries + columns - 1) / columns;
}

int
figure_linetype_of(bool peer, int place)
{
    return peer ? FIRST_PEER + place % PEERS : 1 + place % OURS;
}

int
figure_linetype(const LadderTable *table, int row)
{
    int ours = 0, peers = 0;
    const Rung *rung = table->rows[row].rung;
    for (const Rung *other = table->ladder->rungs; other < rung; other++)
        *(other->peer ? &peers : &ours) += 1;
    return figure_linetype_of(rung->peer, rung->peer ? peers : ours);
}

/* A size for a narrow place: one number if all dimensions are the same. */
static const char *
short_size(const LadderTable *table, char text[64])
{
    const Operation *operation = &table->ladder->operation;
    bool same = operation->variants == NULL || table->size[operation->dimension_count] == 0;
    for (int i = 1; i < operation->dimension_count; i++)
        same = same && table->size[i] == table->size[0];
    if (!same)
        return ladder_size_text(table->ladder, table->size, text);
    snprintf(text, 64, "%d", table->size[0]);
    return text;
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
        fprintf(plot->script, "\"%s\" %.9g", short_size(table, size), table->flops / table->bound / 1e9);
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
                i + 3, figure_linetype(table, i));
        gnuplot_text(plot, table->rows[i].rung->name);
        separator = ", ";
    }
    fprintf(plot->script, "%s\n", separator[0] == '\0' ? "NaN notitle" : "");
}

bool
report_svg(const LadderReport *report, const char *path, Error *error)
{
    int threads[FIGURE_PANELS], panels = figure_threads(report, threads);
    if (panels == 0)
        return error_set(error, "there is nothing to draw in %s: no size was measured", path);
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, PANEL_WIDTH * panels, HEIGHT, error))
        return false;
    figure_linetypes(&plot);
    fprintf(plot.script, "set multiplot layout 1,%d title ", panels);
    char title[256];
    snprintf(title, sizeof title, "%s: %s", report->ladder->operation.name, report->ladder->operation.formula);
    gnuplot_text(&plot, title);
    fprintf(plot.script, "\nset xlabel ");
    snprintf(title, sizeof title, "size %s", report->ladder->operation.dimensions);
    gnuplot_text(&plot, title);
    fprintf(plot.script, "\nset ylabel 'operations (GFLOP/s)'\nset yrange [0:*]\nset xtics rotate by -35\n"
                         "set key outside below center horizontal height 1 noenhanced\nset datafile missing 'nan'\n");
    for (int i = 0; i < panels; i++)
        write_panel(&plot, report, threads[i]);
    fprintf(plot.script, "unset multiplot\n");
    return gnuplot_close(&plot, error);
}
