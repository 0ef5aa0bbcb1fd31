/* SPDX-License-Identifier: MIT */
#include "mpi/model/survey.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/environment.h"
#include "core/process.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS_FEW = 5, ROUNDS = 20, LINE_POINTS = 20, POINTS = 10 * LINE_POINTS };

static const double slow = 20e-3;    /* seconds: no message that takes longer is followed by longer ones */
static const double sample = 0.5e-3; /* seconds that a sample should last, by repetition */
static const double usual =
    3; /* seconds after which no round begins but the first few; after twice as many none goes on */

typedef struct Point {
    Probe probe;
    size_t bytes;
    double least; /* of all samples: how many plays the next one needs */
    double sample[ROUNDS];
} Point;

struct Survey {
    Comm *all;
    double began, elapsed, enough; /* the last two: the same on all ranks */
    int rounds, points;
    Point point[POINTS];
};

/* Seconds of one play, those of the slowest rank, the same on all. */
static double
seconds_of(Survey *survey, Point *point)
{
    const Probe *probe = &point->probe;
    const int repeats = point->least > 0 ? (int)fmin(ceil(sample / point->least), 1000) : 1;
    CHECK_MPI(MPI_Barrier(survey->all->mpi));
    const double begin = clock_now();
    for (int i = 0; probe->comm != NULL && i < repeats; i++)
        probe->play(probe, point->bytes);
    const double now = clock_now();
    double seconds[2] = {(now - begin) / repeats, now - survey->began};
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, survey->all->mpi));
    survey->elapsed = seconds[1];
    point->least = point->least > 0 ? fmin(point->least, seconds[0]) : seconds[0];
    return seconds[0];
}

Survey *
survey_create(Comm *all)
{
    Survey *survey = ARRAY(Survey, 1);
    survey->all = all;
    if (process_rank() == 0 && !environment_number("RUNGS_FIT_SECONDS", usual, &survey->enough)) {
        fprintf(
            stderr,
            "rungs: RUNGS_FIT_SECONDS is \"%s\", expected seconds, as in RUNGS_FIT_SECONDS=3: change it, or unset it\n",
            getenv("RUNGS_FIT_SECONDS"));
        process_abort(2);
    }
    CHECK_MPI(MPI_Bcast(&survey->enough, 1, MPI_DOUBLE, 0, all->mpi));
    survey->began = clock_now();
    return survey;
}

void
survey_free(Survey *survey)
{
    array_free(survey);
}

/* A first impression: the second play, as the first finds caches and connections as they happen to be; a third if both were so
 * slow that they may have been disturbed. */
static double
add_point(Survey *survey, const Probe *probe, size_t bytes)
{
    CHECK_THAT(survey->points < POINTS, "more than %d points", POINTS);
    Point *point = &survey->point[survey->points++];
    *point = (Point){.probe = *probe, .bytes = bytes};
    for (int play = 0; play < (point->least > slow ? 3 : 2); play++)
        point->sample[0] = seconds_of(survey, point);
    return point->least;
}

int
survey_point(Survey *survey, const Probe *probe, size_t bytes)
{
    add_point(survey, probe, bytes);
    return survey->points - 1;
}

SurveyLine
survey_line(Survey *survey, const Probe *probe)
{
    SurveyLine line = {.first = survey->points};
    for (size_t n = 8; n <= probe->longest; n *= n < 512 ? 8 : 2)
        if ((add_point(survey, probe, n) > slow || survey->elapsed > 2 * survey->enough) &&
            survey->points > line.first + 2)
            break;
    line.count = survey->points - line.first;
    return line;
}

FitPoint
survey_fit(const Survey *survey, int i)
{
    const Point *point = &survey->point[i];
    FitPoint fit = fit_point((double)point->bytes, point->sample, survey->rounds > 0 ? survey->rounds : 1);
    if (survey->rounds < ROUNDS_FEW)
        fit.spread = INFINITY; /* the machine let us make too few to know */
    return fit;
}

static bool
is_calm(const Survey *survey)
{
    for (int i = 0; i < survey->points; i++)
        if (survey_fit(survey, i).spread > FIT_SPREAD / 2)
            return false;
    return true;
}

void
survey_measure(Survey *survey)
{
    while (survey->rounds < ROUNDS_FEW ||
           (survey->rounds < ROUNDS && survey->elapsed < survey->enough && !is_calm(survey))) {
        for (int i = 0; i < survey->points; i++) {
            if (survey->elapsed > 2 * survey->enough)
                return; /* and forget this round */
            Point *point = &survey->point[i];
            const double seconds = seconds_of(survey, point);
            point->sample[survey->rounds] = seconds;
        }
        survey->rounds++;
    }
}

bool
survey_fit_line(const Survey *survey, SurveyLine line, double factor, Curve *curve)
{
    FitPoint points[LINE_POINTS];
    for (int i = 0; i < line.count; i++) {
        points[i] = survey_fit(survey, line.first + i);
        points[i].seconds *= factor;
    }
    return fit_points(points, line.count, curve);
}
