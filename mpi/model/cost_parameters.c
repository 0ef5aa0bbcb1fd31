/* SPDX-License-Identifier: MIT */
#include "mpi/model/cost_parameters.h"
#include <math.h>

double
curve_seconds(const Curve *curve, double bytes)
{
    int i = curve->pieces - 1;
    while (i > 0 && bytes < curve->piece[i].from)
        i--;
    return curve->piece[i].alpha + bytes * curve->piece[i].beta;
}

double
curve_part_seconds(const Curve *curve, double bytes, double whole)
{
    const double alone = curve_seconds(curve, bytes);
    return whole > bytes ? fmax(alone, curve_seconds(curve, whole) * bytes / whole) : alone;
}

static Curve
line(double alpha, double beta)
{
    return (Curve){.pieces = 1, .piece = {{.from = 0, .alpha = alpha, .beta = beta}}};
}

CostParameters
cost_parameters_textbook(double alpha, double beta, double gamma)
{
    const Link link = {.curve = {line(alpha, beta), line(alpha, beta), line(alpha, beta)}, .contention = 0};
    return (CostParameters){.within = link, .between = link, .reduce = line(0, gamma), .touch = line(0, 0), .flag = 0};
}
