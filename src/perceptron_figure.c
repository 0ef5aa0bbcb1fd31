/* The boundary of a perceptron with two inputs: see perceptron_figure.h.
 * SPDX-License-Identifier: MIT */
#include "perceptron_figure.h"
#include "core/csv.h"
#include "core/gnuplot.h"
#include "perceptron.h"
#include <math.h>

bool
perceptron_figure_csv(const PerceptronFigure *figure, const char *path, Error *error)
{
    Csv *csv = csv_create(path, "x1,x2,y,prediction,w0,w1,w2", error);
    if (csv == NULL)
        return false;
    for (size_t i = 0; i < figure->count; i++) {
        const double *x = &figure->X[2 * i], *w = figure->w;
        csv_add(csv, "%g %g %d %d %g %g %g\n", x[0], x[1], figure->y[i], perceptron_predict(w, x, 2), w[0], w[1], w[2]);
    }
    return csv_close(csv, error);
}

typedef struct Range {
    double low, high;
} Range;

/* Where input j (0 or 1) lies, and a tenth more on either side. */
static Range
range_of(const PerceptronFigure *figure, size_t j)
{
    Range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < figure->count; i++) {
        range.low = fmin(range.low, figure->X[2 * i + j]);
        range.high = fmax(range.high, figure->X[2 * i + j]);
    }
    double margin = range.high > range.low ? (range.high - range.low) / 10 : 1;
    return (Range){range.low - margin, range.high + margin};
}

/* Two points of the line w0 + w1 x1 + w2 x2 = 0, far enough out on either side of the picture. (w1, w2) stands upright on
 * the line, so (-w2, w1) runs along it. */
static void
line_data(FILE *script, const double w[3], Range x1, Range x2)
{
    double square = w[1] * w[1] + w[2] * w[2];
    if (square == 0)
        return; /* no line: every sample is on one side */
    double middle1 = (x1.low + x1.high) / 2, middle2 = (x2.low + x2.high) / 2;
    double away = (w[0] + w[1] * middle1 + w[2] * middle2) / square;
    double foot1 = middle1 - away * w[1], foot2 = middle2 - away * w[2]; /* the line's point nearest to the middle */
    double reach = 10 * hypot(x1.high - x1.low, x2.high - x2.low) / sqrt(square);
    fprintf(script, "%.9g %.9g\n%.9g %.9g\n", foot1 + reach * w[2], foot2 - reach * w[1], foot1 - reach * w[2],
            foot2 + reach * w[1]);
}

static void
sample_data(FILE *script, const PerceptronFigure *figure, int y)
{
    for (size_t i = 0; i < figure->count; i++)
        if (figure->y[i] == y)
            fprintf(script, "%.6g %.6g\n", figure->X[2 * i], figure->X[2 * i + 1]);
}

bool
perceptron_figure_svg(const PerceptronFigure *figure, const char *path, Error *error)
{
    const double *w = figure->w;
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, 560, 420, error))
        return false;
    FILE *out = plot.script;
    Range x1 = range_of(figure, 0), x2 = range_of(figure, 1);
    fprintf(out, "set xrange [%g:%g]\nset yrange [%g:%g]\nset clip two\nset key outside top center horizontal\n",
            x1.low, x1.high, x2.low, x2.high);
    fprintf(out, "set xlabel ");
    gnuplot_text(&plot, figure->input[0]);
    fprintf(out, "\nset ylabel ");
    gnuplot_text(&plot, figure->input[1]);
    fprintf(out, "\n$plus << END\n");
    sample_data(out, figure, +1);
    fprintf(out, "END\n$minus << END\n");
    sample_data(out, figure, -1);
    fprintf(out, "END\n$line << END\n");
    line_data(out, w, x1, x2);
    fprintf(out, "END\nplot $plus with points linetype 1 title ");
    gnuplot_text(&plot, figure->positive);
    fprintf(out, ", $minus with points linetype 2 title ");
    gnuplot_text(&plot, figure->negative);
    if (w[1] != 0 || w[2] != 0)
        fprintf(out, ", $line with lines linetype 5 title 'w^Tx = 0'");
    fprintf(out, "\n");
    return gnuplot_close(&plot, error);
}
