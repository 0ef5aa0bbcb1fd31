/* Points for counted work: what a program had to do, counted by an observer (the emulator of gpu/), becomes a share of
 * a test's points. It is the same on every machine.
 *
 *     share  1 |________
 *              |        \__               straight over log(work): half the work is worth as much, wherever one begins
 *            0 |           \________
 *              +--------+------+------- work
 *                     full    none
 *
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "grade_run.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void
grade_counted(double work, GradeCost cost, const char *what, ...)
{
    CHECK_THAT(cost.full > 0 && cost.none > cost.full, "a cost from %g to %g, expected 0 < full < none", cost.full,
               cost.none);
    CHECK_THAT(!grade_shared->timed && !grade_shared->counted, "a test gives a part of its points once");
    grade_shared->comparisons++;
    char name[256];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(name, sizeof(name), what, arguments);
    va_end(arguments);
    const double share = log(cost.none / fmax(work, cost.full)) / log(cost.none / cost.full);
    grade_shared->noisy = isnan(work);
    grade_shared->share = isnan(work) ? 0 : fmax(share, 0);
    if (isnan(work))
        snprintf(grade_shared->speed, sizeof(grade_shared->speed), "%s: not graded, this build cannot count it", name);
    else
        snprintf(grade_shared->speed, sizeof(grade_shared->speed),
                 "%s: %.4g; up to %.4g gives all points, from %.4g on none", name, work, cost.full, cost.none);
    grade_shared->counted = true;
}
