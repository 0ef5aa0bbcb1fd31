/* Results as a roofline: see report.h. Each panel is one number of threads:
 *
 *      GFLOP/s  |          L1   L2    L3    memory
 *               |         /    /     /     /
 *               |--------/----/-----/-----/---------  multiply-adds on the widest vectors
 *               |-------/----/-----/-----/----------  on half of them
 *               |      /    / x   /     /             a rung: what it reached, at the FLOP for each byte that it moves through the
 *               |     /    /     /     /              level which takes longest for them
 *               +------------------------------------ FLOP/byte
 *
 * SPDX-License-Identifier: MIT */
#include "ladder/figure.h"
#include <math.h>

enum { PANEL_WIDTH = 620, HEIGHT = 520 };

/* The corners of a panel; the axes end at a power of two and of ten. */
typedef struct Axes {
    double x_low, x_high, y_low, y_high;
} Axes;

static double
intensity(const LadderReport *report, const LadderTable *table, const LadderRow *row)
{
    const Rung *rung = row->rung;
    const double bytes =
        rung->traffic != NULL ? rung->traffic(table->size, table->threads, report->machine).bytes : table->bytes;
    return table->flops / bytes;
}

static double
rate(const LadderTable *table, const LadderRow *row)
{
    return table->flops / row->time.median / 1e9;
}

/* A point needs an operation, a byte, and a time. */
static bool
has_point(const LadderReport *report, const LadderTable *table, const LadderRow *row)
{
    return row->state == ROW_MEASURED && table->flops > 0.0 && isfinite(intensity(report, table, row));
}

/* The roofs of this operation: one on narrow numbers has a higher one. */
static MachinePeaks
peaks_of(const LadderReport *report, int threads)
{
    const double times = report->ladder->operation.times_peak;
    MachinePeaks peaks = threads > 1 ? report->machine->all : report->machine->one;
    peaks.fma *= times > 0.0 ? times : 1.0;
    peaks.fma256 *= times > 0.0 ? times : 1.0;
    return peaks;
}

/* From the lowest point to the highest roof, and from the leftmost point or ridge to the rightmost. */
static Axes
axes_of(const LadderReport *report)
{
    const MachinePeaks all = peaks_of(report, 2), one = peaks_of(report, 1);
    Axes axes = {.x_low = one.fma / one.read[MACHINE_L1], .x_high = one.fma / one.read[MACHINE_MEMORY]};
    axes.y_high = axes.y_low = all.fma / 1e9;
    for (int t = 0; t < report->count; t++)
        for (int i = 0; i < report->tables[t]->count; i++) {
            const LadderTable *table = report->tables[t];
            const LadderRow *row = &table->rows[i];
            if (!has_point(report, table, row))
                continue;
            axes.x_low = fmin(axes.x_low, intensity(report, table, row));
            axes.x_high = fmax(axes.x_high, intensity(report, table, row));
            axes.y_low = fmin(axes.y_low, rate(table, row));
        }
    axes.x_low = exp2(floor(log2(axes.x_low) - 0.5));
    axes.x_high = exp2(ceil(log2(axes.x_high) + 0.5));
    axes.y_low = pow(10.0, floor(log10(axes.y_low)));
    axes.y_high *= 1.6;
    return axes;
}

/* Flat roofs, with their names at the right end. */
static void
write_flat_roofs(Gnuplot *plot, const MachinePeaks *peaks, const Axes *axes)
{
    const double rates[2] = {peaks->fma / 1e9, peaks->fma256 / 1e9}, widest = peaks->read[MACHINE_L1] / 1e9;
    const int count = rates[1] < 0.9 * rates[0] ? 2 : 1;
    for (int i = 0; i < count; i++) {
        fprintf(plot->script, "set arrow from %g,%g to %g,%g nohead linecolor '#888888' linewidth 1.5\n",
                fmax(rates[i] / widest, axes->x_low), rates[i], axes->x_high, rates[i]);
        fprintf(plot->script, "set label '%s: %.0f GFLOP/s' at %g,%g right offset 0,%g textcolor '#555555'\n",
                i == 0 ? "multiply-adds" : "on 256 bit", rates[i], axes->x_high, rates[i], i == 0 ? 0.6 : -0.6);
    }
}

/* Slanted roofs, y = x bandwidth, up to the flat one, each with its name along it. */
static void
write_slanted_roofs(Gnuplot *plot, const MachinePeaks *peaks, const Axes *axes)
{
    const double top = peaks->fma / 1e9;
    /* Pixels of a decade, roughly, in width and height: they give the angle of the labels. */
    const double wide = 0.83 * PANEL_WIDTH / log10(axes->x_high / axes->x_low);
    const double high = 0.54 * HEIGHT / log10(axes->y_high / axes->y_low),
                 angle = atan2(high, wide) * 180.0 / acos(-1.0);
    for (int level = 0; level < MACHINE_LEVELS; level++) {
        const double slope = peaks->read[level] / 1e9, from = fmax(axes->x_low, axes->y_low / slope), to = top / slope;
        if (from >= to)
            continue;
        fprintf(plot->script, "set arrow from %g,%g to %g,%g nohead linecolor '#888888' linewidth 1.5\n", from,
                from * slope, to, top);
        fprintf(plot->script, "set label '%s: %.0f GB/s' at %g,%g rotate by %.0f offset 0.8,0.9 textcolor '#555555'\n",
                machine_level_name(level), slope, from, from * slope, angle);
    }
}

/* A rung's points: intensity, rate. Returns how many. */
static int
write_points(Gnuplot *plot, const LadderReport *report, int threads, int row_index)
{
    int count = 0;
    fprintf(plot->script, "$points%d_%d << END\n", threads, row_index);
    for (int t = 0; t < report->count; t++) {
        const LadderTable *table = report->tables[t];
        const LadderRow *row = &table->rows[row_index];
        if (table->threads != threads || !has_point(report, table, row))
            continue;
        fprintf(plot->script, "%.9g %.9g\n", intensity(report, table, row), rate(table, row));
        count++;
    }
    fprintf(plot->script, "END\n");
    return count;
}

static void
write_panel(Gnuplot *plot, const LadderReport *report, int threads, const Axes *axes)
{
    const LadderTable *table = report->tables[0]; /* all tables have the same rows */
    int points[LADDER_RUNGS];
    for (int i = 0; i < table->count; i++)
        points[i] = write_points(plot, report, threads, i);
    fprintf(plot->script, "unset arrow\nunset label\n");
    const MachinePeaks peaks = peaks_of(report, threads);
    write_flat_roofs(plot, &peaks, axes);
    write_slanted_roofs(plot, &peaks, axes);
    fprintf(plot->script, "set title '%d thread%s'\nplot ", threads, threads > 1 ? "s" : "");
    const char *separator = "";
    for (int i = 0; i < table->count; i++) {
        if (points[i] == 0)
            continue;
        fprintf(plot->script, "%s$points%d_%d using 1:2 with points linetype %d pointsize 1.2 title ", separator,
                threads, i, figure_linetype(table, i));
        gnuplot_text(plot, table->rows[i].rung->name);
        separator = ", ";
    }
    fprintf(plot->script, "%s\n", separator[0] == '\0' ? "NaN notitle" : "");
}

bool
report_roofline(const LadderReport *report, const char *path, Error *error)
{
    int threads[FIGURE_PANELS], panels = figure_threads(report, threads);
    if (panels == 0 || report->machine == NULL)
        return error_set(error, "there is nothing to draw in %s: no size was measured", path);
    const Axes axes = axes_of(report);
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, PANEL_WIDTH * panels, HEIGHT, error))
        return false;
    figure_linetypes(&plot);
    fprintf(plot.script, "set multiplot layout 1,%d title ", panels);
    char title[256], size[64];
    snprintf(title, sizeof title, "%s: roofline%s%s", report->ladder->operation.name,
             report->count == panels ? ", " : "",
             report->count == panels ? ladder_size_text(report->ladder, report->tables[0]->size, size) : "");
    gnuplot_text(&plot, title);
    fprintf(plot.script,
            "\nset logscale x 2\nset logscale y 10\nset xrange [%g:%g]\nset yrange [%g:%g]\n"
            "set xlabel 'operations for each byte moved (FLOP/byte); peers as if each were moved once'\n"
            "set ylabel 'operations (GFLOP/s)'\nset format x '%%g'\n"
            "set key outside below center horizontal height 1 noenhanced\n",
            axes.x_low, axes.x_high, axes.y_low, axes.y_high);
    for (int i = 0; i < panels; i++)
        write_panel(&plot, report, threads[i], &axes);
    fprintf(plot.script, "unset multiplot\n");
    return gnuplot_close(&plot, error);
}
