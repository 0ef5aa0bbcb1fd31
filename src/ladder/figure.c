/* Results as a figure: rate against size.
 * SPDX-License-Identifier: MIT */
#include "ladder/figure.h"
#include "core/units.h"
#include <math.h>
#include <string.h>

enum { PANEL_WIDTH = 560, HEIGHT = 400, LEGEND_LINE = 17, OURS = 16, PEERS = 8, FIRST_PEER = 21 };

/* Sizes in bytes are those of vectors (Operation.unit): their variants have panels, and both axes are logarithmic. */
static bool
in_bytes(const LadderTable *table)
{
    return table->ladder->operation.unit > 0;
}

/* What the tables of a panel have in common. */
static int
panel_of(const LadderTable *table)
{
    return in_bytes(table) ? table->size[table->ladder->operation.dimension_count] : table->threads;
}

int
figure_threads(const LadderReport *report, int threads[FIGURE_PANELS])
{
    int count = 0;
    for (int t = 0; t < report->count; t++) {
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || threads[i] == panel_of(report->tables[t]);
        if (!known && count < FIGURE_PANELS)
            threads[count++] = panel_of(report->tables[t]);
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
    char bytes[UNITS_SIZE];
    if (in_bytes(table)) {
        snprintf(text, 64, "%s", units_bytes(bytes, table->bytes));
        return text;
    }
    bool same = operation->variants == NULL || table->size[operation->dimension_count] == 0;
    for (int i = 1; i < operation->dimension_count; i++)
        same = same && table->size[i] == table->size[0];
    if (!same)
        return ladder_size_text(table->ladder, table->size, text);
    snprintf(text, 64, "%d", table->size[0]);
    return text;
}

/* What the figure draws is the first column, a rate: of samples or the like in thousands, else in units of 10^9. */
static double
unit_of(const Column *column)
{
    return strcmp(column->unit, "/s") == 0 ? 1e3 : 1e9;
}

/* NaN: nothing to draw. */
static double
height(const LadderTable *table, const LadderRow *row)
{
    const Column *column = report_columns(&table->ladder->operation);
    const double value = row->state == ROW_MEASURED ? column->value(table, row) / unit_of(column) : NAN;
    return value > 0.0 || !in_bytes(table) ? value : NAN;
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
        if (panel_of(table) != threads)
            continue;
        sizes++;
        fprintf(plot->script, "\"%s\" %.9g", short_size(table, size), table->flops / table->bound / 1e9);
        for (int i = 0; i < table->count; i++)
            fprintf(plot->script, " %.9g", height(table, &table->rows[i]));
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
        if (panel_of(report->tables[t]) == threads && !isnan(height(report->tables[t], &report->tables[t]->rows[row])))
            return true;
    return false;
}

static void
write_panel(Gnuplot *plot, const LadderReport *report, int threads)
{
    const LadderTable *table = report->tables[0]; /* all tables have the same rows */
    int sizes = write_data(plot, report, threads);
    if (in_bytes(table))
        fprintf(plot->script, "set title '%s'\n", table->ladder->operation.variants[threads]);
    else
        fprintf(plot->script, "set title '%d thread%s'\n", threads, threads > 1 ? "s" : "");
    fprintf(plot->script, "set xrange [-0.2:%g]\nplot ", sizes - 0.8);
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
    const Operation *operation = &report->ladder->operation;
    const Column *drawn = report_columns(operation);
    const int legend = figure_legend_lines(report->tables[0]->count + 1, PANEL_WIDTH);
    if (!gnuplot_open(&plot, path, PANEL_WIDTH * panels, HEIGHT + LEGEND_LINE * legend, error))
        return false;
    figure_linetypes(&plot);
    fprintf(plot.script, "set multiplot layout 1,%d title ", panels);
    char title[256];
    snprintf(title, sizeof title, "%s: %s", operation->name, operation->formula);
    gnuplot_text(&plot, title);
    fprintf(plot.script, "\nset xlabel ");
    snprintf(title, sizeof title, "size %s", operation->dimensions);
    gnuplot_text(&plot, title);
    fprintf(
        plot.script,
        "\nset ylabel '%s (%s%s)'\n%s\nset xtics rotate by -35\n"
        "set key outside below center horizontal height 1 width 1 samplen 2 noenhanced\nset datafile missing 'nan'\n",
        drawn->name, unit_of(drawn) < 1e9 ? "k" : "G", drawn->unit,
        operation->unit > 0 ? "set logscale y" : "set yrange [0:*]");
    for (int i = 0; i < panels; i++)
        write_panel(&plot, report, threads[i]);
    fprintf(plot.script, "unset multiplot\n");
    return gnuplot_close(&plot, error);
}
