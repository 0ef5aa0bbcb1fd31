/* Points for speed: a ratio that was measured in one run, with its interval, becomes a share of a test's points, or the verdict
 * that it is too noisy to grade.
 *
 *     share  1 |              ________
 *              |          __/                 straight over log(ratio): from 1 to 2 times as fast is worth as much
 *            0 |________/                     as from 2 to 4
 *              +--------+------+------- ratio
 *                     none    full
 *
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "grade_run.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double
grade_share(double ratio, GradeScale scale)
{
    CHECK_THAT(scale.none > 0 && scale.full > scale.none, "a scale from %g to %g, expected 0 < none < full", scale.none,
               scale.full);
    if (isnan(ratio))
        return NAN;
    double share = log(fmax(ratio, scale.none) / scale.none) / log(scale.full / scale.none);
    return fmin(share, 1);
}

bool
grade_too_noisy(Interval ratio, GradeScale scale)
{
    Comparison comparison = {.ratio = ratio};
    ladder_judge(&comparison);
    double differ = grade_share(ratio.high, scale) - grade_share(ratio.low, scale);
    return comparison.wide && !(differ <= LADDER_NOISE); /* NaN is too noisy */
}

void
grade_speed(Interval ratio, GradeScale scale, const char *what, ...)
{
    CHECK_THAT(!grade_shared->timed, "a test gives points for speed once");
    grade_shared->comparisons++;
    char name[128];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(name, sizeof(name), what, arguments);
    va_end(arguments);

    bool noisy = grade_sanitized || grade_too_noisy(ratio, scale);
    if (isnan(ratio.value))
        snprintf(grade_shared->speed, sizeof(grade_shared->speed), "%s: not graded", name);
    else
        snprintf(grade_shared->speed, sizeof(grade_shared->speed),
                 "%s: %.3g times as fast (%.3g to %.3g); %g gives no points, %g gives all%s", name, ratio.value,
                 ratio.low, ratio.high, scale.none, scale.full,
                 grade_sanitized ? ". Not graded: sanitizers change how fast a program is"
                 : noisy         ? ". Too noisy to grade: close other programs and grade again"
                                 : "");
    grade_shared->ratio = ratio;
    grade_shared->share = noisy ? 0 : grade_share(ratio.value, scale);
    grade_shared->noisy = noisy;
    grade_shared->timed = true; /* last: student's code may have threads that end the process */
}

/* ---- ladders --------------------------------------------------------------------------------------------------------- */

enum { ATTEMPTS = 3, ROUNDS = 11 };
static const double SAMPLE_SECONDS = 0.01;

static int
find_rung(const Ladder *ladder, const char *name)
{
    for (int i = 1; i < ladder->count; i++)
        if (strcmp(ladder->rungs[i].name, name) == 0)
            return i;
    CHECK_THAT(false, "ladder %s has no rung \"%s\" above its first", ladder->operation.name, name);
    return 0;
}

static LadderTable *
measure(const Ladder *ladder, int rung, const int *size, int threads, int rounds)
{
    bool selected[LADDER_RUNGS] = {false};
    selected[0] = selected[rung] = true;
    LadderPlan plan = {.threads = threads,
                       .rounds = rounds,
                       .sample_seconds = SAMPLE_SECONDS,
                       .seed = grade_shared->seed,
                       .selected = selected};
    Error error;
    LadderTable *table = ladder_measure(ladder, size, &plan, &error);
    CHECK_THAT(table != NULL, "%s", error.text);
    CHECK_THAT(table->rows[0].state == ROW_MEASURED, "%s: %s: please tell your teacher", table->rows[0].rung->name,
               table->rows[0].reason);
    return table;
}

void
grade_ladder(const Ladder *ladder, const char *name, const int *size, int threads, GradeScale scale)
{
    int rung = find_rung(ladder, name);
    char text[64];
    ladder_size_text(ladder, size, text);
    for (int attempt = 0, rounds = ROUNDS;; attempt++, rounds *= 2) {
        LadderTable *table = measure(ladder, rung, size, threads, rounds);
        const LadderRow *row = &table->rows[1];
        Interval ratio = row->naive.ratio;
        grade_that(row->state == ROW_MEASURED, "%s, %s: %s", name, text, row->reason);
        ladder_table_free(table);
        if (attempt + 1 < ATTEMPTS && grade_too_noisy(ratio, scale) && !grade_sanitized)
            continue;
        grade_speed(ratio, scale, "%s against %s, %s", name, ladder->rungs[0].name, text);
        return;
    }
}
