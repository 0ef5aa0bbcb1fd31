/* Central differences and the comparison of two gradients: see gradient_check.h. Knows nothing of tapes or networks.
 * SPDX-License-Identifier: MIT */
#include "gradient_check.h"
#include "core/array.h"
#include <float.h>
#include <math.h>

void
gradient_numeric(RealFunction *f, void *context, const double *x, size_t n, double *gradient)
{
    double *moved = ARRAY(double, n);
    for (size_t i = 0; i < n; i++)
        moved[i] = x[i];
    for (size_t i = 0; i < n; i++) {
        double h = cbrt(DBL_EPSILON) * fmax(1, fabs(x[i]));
        double above = x[i] + h, below = x[i] - h; /* rounded: their distance is not exactly 2h */
        moved[i] = above;
        double f_above = f(moved, n, context);
        moved[i] = below;
        double f_below = f(moved, n, context);
        moved[i] = x[i];
        gradient[i] = (f_above - f_below) / (above - below);
    }
    array_free(moved);
}

double
gradient_error(double got, double want)
{
    if (isnan(got) || isnan(want))
        return NAN;
    if (got == want) /* also two equal infinities, whose difference is NaN */
        return 0;
    return fabs(got - want) / fmax(1e-3, fmax(fabs(got), fabs(want)));
}

GradientCheck
gradient_compare(const double *got, const double *want, size_t n)
{
    GradientCheck check = {.n = n, .all_zero = true};
    for (size_t i = 0; i < n; i++) {
        double error = gradient_error(got[i], want[i]);
        bool larger = isnan(error) ? !isnan(check.error) : error > check.error;
        if (i == 0 || larger) {
            check.worst = i;
            check.got = got[i];
            check.want = want[i];
            check.error = error;
        }
        if (got[i] != 0 || want[i] != 0)
            check.all_zero = false;
    }
    return check;
}

bool
gradient_ok(const GradientCheck *check, double tolerance)
{
    return !check->all_zero && check->error <= tolerance;
}
