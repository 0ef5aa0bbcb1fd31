/* Figures and tables of a network trained on XOR: see xor_figure.h.
 * SPDX-License-Identifier: MIT */
#include "xor_figure.h"
#include "core/csv.h"
#include "core/gnuplot.h"

/* Grid line i: from -0.5 to 1.5, so that the four samples stand inside. */
static double
grid_at(int i)
{
    return -0.5 + 2.0 * i / (XOR_GRID - 1);
}

static double
output_at(Mlp *mlp, double x1, double x2)
{
    return mlp_forward(mlp, (const double[]){x1, x2})[0];
}

bool
xor_write_grid(const char *path, Mlp *mlp, Error *error)
{
    Csv *csv = csv_create(path, "x1,x2,output", error);
    if (csv == NULL)
        return false;
    for (int i = 0; i < XOR_GRID; i++)
        for (int j = 0; j < XOR_GRID; j++)
            csv_add(csv, "%g %g %g\n", grid_at(i), grid_at(j), output_at(mlp, grid_at(i), grid_at(j)));
    return csv_close(csv, error);
}

bool
xor_draw_boundary(const char *path, Mlp *mlp, Error *error)
{
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, 520, 440, error))
        return false;
    FILE *out = plot.script;
    fprintf(out, "$grid << END\n");
    for (int i = 0; i < XOR_GRID; i++) {
        for (int j = 0; j < XOR_GRID; j++)
            fprintf(out, "%.4f %.4f %.4f\n", grid_at(i), grid_at(j), output_at(mlp, grid_at(i), grid_at(j)));
        fprintf(out, "\n"); /* an empty line ends a row of the grid */
    }
    fprintf(out, "END\n$false << END\n0 0\n1 1\nEND\n$true << END\n0 1\n1 0\nEND\n"
                 "set contour base\nset cntrparam levels discrete 0.5\nunset surface\n"
                 "set table $half\nsplot $grid using 1:2:3\nunset table\n"
                 "set xrange [-0.52:1.52]\nset yrange [-0.52:1.52]\nset cbrange [0:1]\nunset grid\nset size ratio -1\n"
                 "set palette defined (0 '#f4c7a5', 0.5 '#ffffff', 1 '#a5c9e8')\n"
                 "set xlabel 'x1'\nset ylabel 'x2'\nset cblabel 'output a^L'\n"
                 "set key outside top center horizontal samplen 2\n"
                 "plot $grid using 1:2:3 with image notitle, $half with lines linetype 5 title 'output = 1/2', "
                 "$true with points linetype 1 pointsize 1.2 title 'XOR is 1', "
                 "$false with points linetype 2 pointsize 1.2 title 'XOR is 0'\n");
    return gnuplot_close(&plot, error);
}

bool
xor_draw_loss(const char *path, const double *cost, size_t epochs, Error *error)
{
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, 560, 360, error))
        return false;
    FILE *out = plot.script;
    fprintf(out, "$loss << END\n");
    for (size_t e = 0; e < epochs; e += 1 + e / 50)
        fprintf(out, "%zu %.6g\n", e + 1, cost[e]);
    if (epochs > 0)
        fprintf(out, "%zu %.6g\n", epochs, cost[epochs - 1]);
    fprintf(out,
            "END\nset logscale x\nset xrange [1:%zu]\nset yrange [0:*]\nset key outside top center horizontal\nset "
            "xlabel 'epoch'\nset ylabel 'mean cost C of an epoch'\n"
            "plot 0.125 with lines linetype 5 linewidth 1 dashtype 2 title 'every output 1/2', "
            "$loss with lines linetype 1 title 'training'\n",
            epochs > 1 ? epochs : 2);
    return gnuplot_close(&plot, error);
}
