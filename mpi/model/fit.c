/* SPDX-License-Identifier: MIT */
#include "mpi/model/fit.h"
#include "core/stats.h"
#include <float.h>
#include <math.h>

enum { FIT_POINTS = 32 };

/* Fewer segments are taken if no point is further from them than this. */
static const double close_enough = 0.05;

typedef struct Line {
    double alpha, beta;
    double error, worst; /* the sum of the squared relative errors, and the largest of them */
} Line;

static Line
judged(double alpha, double beta, const double *n, const double *t, int count)
{
    Line line = {.alpha = alpha, .beta = beta};
    for (int i = 0; i < count; i++) {
        const double relative = (alpha + beta * n[i]) / t[i] - 1;
        line.error += relative * relative;
        line.worst = fmax(line.worst, fabs(relative));
    }
    return line;
}

/* Least squares of alpha / t + beta n / t - 1. Where alpha or beta would be negative it is 0, and the other is fitted alone. */
static Line
line_fit(const double *n, const double *t, int count)
{
    double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
    for (int i = 0; i < count; i++) {
        const double a = 1 / t[i], b = n[i] / t[i];
        aa += a * a;
        ab += a * b;
        bb += b * b;
        a1 += a;
        b1 += b;
    }
    const double determinant = aa * bb - ab * ab;
    const double alpha = (a1 * bb - b1 * ab) / determinant, beta = (aa * b1 - ab * a1) / determinant;
    if (determinant > 1e-12 * aa * bb && alpha >= 0 && beta >= 0)
        return judged(alpha, beta, n, t, count);
    const Line flat = judged(a1 / aa, 0, n, t, count), steep = judged(0, bb > 0 ? b1 / bb : 0, n, t, count);
    return flat.error < steep.error ? flat : steep;
}

/* The best segmentation of points 0 .. last into that number of segments: where the last segment begins. */
typedef struct Split {
    double error, worst;
    int first;
    Line line;
} Split;

static void
split_all(const double *n, const double *t, int count, Split split[CURVE_PIECES][FIT_POINTS])
{
    for (int k = 0; k < CURVE_PIECES; k++)
        for (int last = 0; last < count; last++) {
            Split *best = &split[k][last];
            best->error = DBL_MAX;
            for (int first = k == 0 ? 0 : 2 * k; first < last && (k > 0 || first == 0); first++) {
                const Line line = line_fit(n + first, t + first, last - first + 1);
                const Split *before = k == 0 ? NULL : &split[k - 1][first - 1];
                const double error = line.error + (k == 0 ? 0 : before->error);
                if (error < best->error)
                    *best = (Split){error, k == 0 ? line.worst : fmax(line.worst, before->worst), first, line};
            }
        }
}

Curve
curve_fit(const double *bytes, const double *seconds, int count)
{
    Split split[CURVE_PIECES][FIT_POINTS];
    split_all(bytes, seconds, count, split);
    int pieces = 1;
    while (pieces < CURVE_PIECES && split[pieces - 1][count - 1].worst > close_enough &&
           split[pieces][count - 1].error < DBL_MAX)
        pieces++;
    Curve curve = {.pieces = pieces};
    for (int k = pieces - 1, last = count - 1; k >= 0; k--) {
        const Split *s = &split[k][last];
        const double from = k == 0 ? 0 : sqrt(bytes[s->first - 1] * bytes[s->first]);
        curve.piece[k] = (Piece){.from = from, .alpha = s->line.alpha, .beta = s->line.beta};
        last = s->first - 1;
    }
    return curve;
}

FitPoint
fit_point(double bytes, const double *samples, int count)
{
    const Stats stats = stats_of(samples, (size_t)count);
    return (FitPoint){bytes, stats.low, stats.low / stats.min - 1};
}

bool
fit_points(const FitPoint *points, int count, Curve *curve)
{
    double bytes[FIT_POINTS], seconds[FIT_POINTS];
    int good = 0;
    for (int i = 0; i < count; i++)
        good += points[i].spread <= FIT_SPREAD;
    const bool enough = good >= 2 && 3 * good >= 2 * count;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!enough || points[i].spread <= FIT_SPREAD) {
            bytes[kept] = points[i].bytes;
            seconds[kept++] = points[i].seconds;
        }
    *curve = curve_fit(bytes, seconds, kept);
    return enough;
}
